// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: blocks stay. Where a launch has more query tiles than the chip has
// places for blocks, each block takes every n-th tile, n the number of blocks.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGPERSIST
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Computes an expression of the manifest from a kernel's arguments.
class ExpressionBuilder {
public:
  ExpressionBuilder(OpBuilder &b, gpu::GPUFuncOp kernel)
      : b(b), kernel(kernel), loc(kernel.getLoc()) {}

  /// Null where it names what the kernel does not have.
  Value build(Attribute expr);

private:
  Value size(ArrayAttr expr);
  Value join(StringRef op, Value x, Value y);

  OpBuilder &b;
  gpu::GPUFuncOp kernel;
  Location loc;
};
} // namespace

/// `["size", tensor, dim]`
Value ExpressionBuilder::size(ArrayAttr expr) {
  auto name = dyn_cast<StringAttr>(expr[1]);
  auto dim = dyn_cast<IntegerAttr>(expr[2]);
  for (unsigned i = 0; name && dim && i < kernel.getNumArguments(); ++i)
    if (kernel.getArgAttr(i, kParamAttr) ==
        ParamAttr::get(b.getContext(), ParamKind::Size, name.getValue(),
                       dim.getInt()))
      return kernel.getArgument(i);
  return {};
}

Value ExpressionBuilder::join(StringRef op, Value x, Value y) {
  if (op == "add")
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  if (op == "sub")
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  if (op == "mul")
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  if (op == "min")
    return b.createOrFold<arith::MinSIOp>(loc, x, y);
  if (op == "max")
    return b.createOrFold<arith::MaxSIOp>(loc, x, y);
  if (op == "ceildiv")
    return b.createOrFold<arith::CeilDivSIOp>(loc, x, y);
  if (op == "floordiv")
    return b.createOrFold<arith::FloorDivSIOp>(loc, x, y);
  return {};
}

Value ExpressionBuilder::build(Attribute expr) {
  if (auto number = dyn_cast<IntegerAttr>(expr))
    return arith::ConstantIndexOp::create(b, loc, number.getInt());
  auto list = dyn_cast<ArrayAttr>(expr);
  auto op =
      list && list.size() >= 3 ? dyn_cast<StringAttr>(list[0]) : StringAttr();
  if (!op)
    return {};
  if (op == "size")
    return size(list);
  Value value = build(list[1]);
  for (Attribute other : list.getValue().drop_front(2)) {
    Value next = value ? build(other) : Value();
    value = next ? join(op.getValue(), value, next) : Value();
  }
  return value;
}

/// All that stands behind the block's number goes into a loop over tiles, of
/// which there are as many as `grid` says.
static bool persist(gpu::GPUFuncOp kernel, Attribute grid) {
  SmallVector<gpu::BlockIdOp> ids = findOps<gpu::BlockIdOp>(kernel);
  if (ids.size() != 1 || ids[0]->getParentOp() != kernel)
    return false;
  gpu::BlockIdOp block = ids[0];
  OpBuilder b(block);
  b.setInsertionPointAfter(block);
  Value tiles = ExpressionBuilder(b, kernel).build(grid);
  if (!tiles)
    return false;
  Location loc = block.getLoc();
  Value blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
  auto loop = scf::ForOp::create(b, loc, block.getResult(), tiles, blocks);
  block.getResult().replaceUsesWithIf(
      loop.getInductionVar(),
      [&](OpOperand &use) { return use.getOwner() != loop; });
  Operation *end = loop.getBody()->getTerminator();
  while (!loop->getNextNode()->hasTrait<OpTrait::IsTerminator>())
    loop->getNextNode()->moveBefore(end);
  return true;
}

namespace {
struct PersistPass : mlir::fa::impl::WgPersistBase<PersistPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!staysForTiles(kernel))
        continue;
      bool done = false;
      replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList fields) {
        Attribute grid = fields.get("grid");
        done = grid && persist(kernel, grid);
        if (done)
          fields.set("grid", oneEach(module, grid));
        return KernelEntries{fields};
      });
      if (!done)
        emitRemark(kernel.getLoc())
            << "a block for each tile: the manifest's grid cannot be computed "
               "from the kernel's arguments";
    }
  }

  /// One block fills a multiprocessor: its warps have all registers.
  static Attribute oneEach(ModuleOp module, Attribute grid) {
    ManifestBuilder manifest(module.getContext());
    return manifest.expr("min", {grid, manifest.expr("units", {})});
  }
};
} // namespace
