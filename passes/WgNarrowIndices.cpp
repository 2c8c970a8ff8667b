// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the roles of a kernel with tensor maps count in 32 bits. Its launch
// predicate bounds extents and tiles (FaVersionTma.cpp); strides and addresses
// keep their 64 bits, and so does what the regions of elementwise ops compute.
//
// Every op gets casts around it; the canonicalizer joins those that meet.
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "dialect/Fa/FaDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGNARROWINDICES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Narrows the index arithmetic of one kernel's roles.
class Narrower {
public:
  explicit Narrower(gpu::GPUFuncOp kernel) : b(kernel.getContext()) {
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      Attribute attr = kernel.getArgAttr(i, kParamAttr);
      auto param = dyn_cast_or_null<ParamAttr>(attr);
      bool isExtent = param ? param.getKind() != ParamKind::Stride
                            : isa_and_nonnull<ArrayAttr>(attr);
      if (!isExtent)
        addWide(kernel.getArgument(i));
    }
  }

  void run(wg::RoleOp role);

private:
  void addWide(Value value);
  bool canNarrow(Operation *op);
  void narrow(Operation *op);
  void castOperands(Operation *op);
  void castBack(Value value);

  OpBuilder b;
  /// What depends on strides.
  llvm::DenseSet<Value> wide;
};
} // namespace

/// `value`, and what arithmetic makes of it.
void Narrower::addWide(Value value) {
  if (!value.getType().isIndex() || !wide.insert(value).second)
    return;
  for (Operation *user : value.getUsers())
    for (Value result : user->getResults())
      addWide(result);
}

static bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
}

static bool hasIndex(Operation *op) {
  auto isIndex = [](Type type) { return type.isIndex(); };
  return llvm::any_of(op->getOperandTypes(), isIndex) ||
         llvm::any_of(op->getResultTypes(), isIndex) || isControlFlow(op);
}

bool Narrower::canNarrow(Operation *op) {
  if (isa<arith::ConstantOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) ||
      !hasIndex(op) || llvm::any_of(op->getOperands(), [&](Value value) {
        return wide.contains(value);
      }))
    return false;
  return isControlFlow(op) || isa<arith::ArithDialect>(op->getDialect());
}

void Narrower::castOperands(Operation *op) {
  b.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType().isIndex())
      operand.set(arith::IndexCastOp::create(b, op->getLoc(), b.getI32Type(),
                                             operand.get()));
}

/// Gives `value` 32 bits, and its users what they expect.
void Narrower::castBack(Value value) {
  if (!value.getType().isIndex())
    return;
  value.setType(b.getI32Type());
  auto cast =
      arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
  value.replaceAllUsesExcept(cast, cast);
}

void Narrower::narrow(Operation *op) {
  castOperands(op);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      b.setInsertionPointToStart(&block);
      for (BlockArgument argument : block.getArguments())
        castBack(argument);
      castOperands(block.getTerminator());
    }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    castBack(result);
}

void Narrower::run(wg::RoleOp role) {
  SmallVector<Operation *> ops;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<wg::MapOp, wg::AnyOp>(op))
      return WalkResult::skip();
    if (canNarrow(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : ops)
    narrow(op);
}

namespace {
struct NarrowIndicesPass
    : mlir::fa::impl::WgNarrowIndicesBase<NarrowIndicesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      // Blocks of one tile have few indices, and ptxas kept them in uniform
      // registers.
      if (!staysForTiles(kernel))
        continue;
      for (wg::RoleOp role : findOps<wg::RoleOp>(kernel))
        Narrower(kernel).run(role);
    }
  }
};
} // namespace
