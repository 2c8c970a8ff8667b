// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pipelined -> specialized: kernels that load by TMA are divided among the
// warpgroups of their blocks. One thread of warpgroup 0 does the loads and what
// they depend on; the others do the rest, each for 64 rows of the tile.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGSPECIALIZE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

static constexpr int64_t kThreadsPerGroup = 128;

namespace {
/// Registers of each thread, by the number of consumer warpgroups, in steps of
/// 8 (setmaxnreg): together not more than the launch takes, which is 168 for
/// each of three warpgroups' threads and 128 for four.
struct Budget {
  int64_t producer, consumer;
};

/// Divides one kernel.
class Specializer {
public:
  Specializer(gpu::GPUFuncOp kernel, int64_t groups)
      : kernel(kernel), groups(groups), b(kernel.getContext()),
        loc(kernel.getLoc()) {}

  LogicalResult check();
  void run();

private:
  bool staysOutside(Operation *op);
  wg::RoleOp makeRole(StringRef name, int64_t first, int64_t last,
                      int64_t registers, bool single);
  void fillProducer(wg::RoleOp role);
  void fillConsumers(wg::RoleOp role);
  Type ofGroup(Type type);
  void cloneForGroup(OpBuilder &b, Operation *op, IRMapping &mapping);
  void cloneMap(OpBuilder &b, wg::MapOp map, IRMapping &mapping);
  void cloneStore(OpBuilder &b, Operation *op, IRMapping &mapping);
  Value ownRows(OpBuilder &b, Value tile);

  gpu::GPUFuncOp kernel;
  int64_t groups;
  OpBuilder b;
  Location loc;
  /// A consumer's number, and the first row of its part of each tile.
  Value number, firstRow;
};
} // namespace

/// A producer that goes from tile to tile keeps where it is in every ring.
static Budget budgetFor(int64_t groups, bool persistent) {
  switch (groups) {
  case 1:
    return {40, 240};
  case 2:
    return persistent ? Budget{40, 232} : Budget{24, 240};
  case 3:
    return {32, 160};
  default:
    return {24, 112};
  }
}

//===----------------------------------------------------------------------===//
// Types and ops of one warpgroup
//===----------------------------------------------------------------------===//

/// What a warpgroup has of a fragment or row vector of all of them.
Type Specializer::ofGroup(Type type) {
  if (auto frag = dyn_cast<wg::FragType>(type))
    return wg::FragType::get(frag.getRows() / groups, frag.getCols(),
                             frag.getElementType(), frag.getLayout(),
                             frag.getWarps() / groups);
  if (auto rows = dyn_cast<wg::RowsType>(type))
    return wg::RowsType::get(rows.getRows() / groups, rows.getElementType(),
                             rows.getWarps() / groups, rows.getPartial());
  return type;
}

/// The region counts rows from the tile's first one.
void Specializer::cloneMap(OpBuilder &b, wg::MapOp map, IRMapping &mapping) {
  auto made = cast<wg::MapOp>(b.clone(*map, mapping));
  made.getResult().setType(ofGroup(map.getResult().getType()));
  Block &body = made.getBody().front();
  BlockArgument row = body.getArgument(map.getOperands().size());
  if (row.use_empty())
    return;
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  auto whole = arith::AddIOp::create(inner, map.getLoc(), row, firstRow);
  row.replaceAllUsesExcept(whole, whole);
}

/// The rows that the warpgroup has, and as many of them as exist.
void Specializer::cloneStore(OpBuilder &b, Operation *op, IRMapping &mapping) {
  Operation *made = b.clone(*op, mapping);
  b.setInsertionPoint(made);
  Value view = made->getOperand(1), rows = made->getOperand(2);
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value left = arith::SubIOp::create(b, loc, rows, firstRow);
  Value exist = arith::MaxSIOp::create(b, loc, left, zero);
  auto type = cast<MemRefType>(view.getType());
  SmallVector<OpFoldResult> offsets{firstRow}, sizes{exist},
      strides(type.getRank(), b.getIndexAttr(1));
  if (type.getRank() == 2) {
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(type.getDimSize(1)));
  }
  Value part = memref::SubViewOp::create(b, loc, view, offsets, sizes, strides);
  made->setOperand(1, part);
  made->setOperand(2, exist);
  b.setInsertionPointAfter(made);
}

/// A warpgroup's rows of a shared tile that all of them read by rows.
Value Specializer::ownRows(OpBuilder &b, Value tile) {
  auto type = cast<wg::SmemType>(tile.getType());
  auto band = wg::SmemType::get(
      b.getContext(), type.getRows() / groups, type.getCols(),
      type.getElementType(), type.getSwizzle(),
      type.getSwizzle() == wg::Swizzle::Sw128 ? type.getPanelRows()
                                              : type.getRows() / groups);
  return wg::BandOp::create(b, loc, band, tile, number);
}

void Specializer::cloneForGroup(OpBuilder &b, Operation *op,
                                IRMapping &mapping) {
  if (auto map = dyn_cast<wg::MapOp>(op))
    return cloneMap(b, map, mapping);
  if (isa<wg::StoreOp, wg::StoreRowsOp>(op))
    return cloneStore(b, op, mapping);
  Operation *made = b.clone(*op, mapping);
  for (OpResult result : made->getResults())
    result.setType(ofGroup(result.getType()));
  if (auto product = dyn_cast<wg::MmaOp>(made))
    if (isa<wg::SmemType>(product.getA().getType())) {
      b.setInsertionPoint(made);
      product.getAMutable().assign(ownRows(b, product.getA()));
      b.setInsertionPointAfter(made);
    }
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Storage is there for all roles, and is prepared by all threads.
bool Specializer::staysOutside(Operation *op) {
  return isa<wg::AllocOp, wg::InitOp, gpu::ReturnOp>(op);
}

/// Every fragment is the whole block's, and ops that have no form for one
/// warpgroup of several are not there.
LogicalResult Specializer::check() {
  WalkResult walk = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto frag = dyn_cast<wg::FragType>(type);
      auto rows = dyn_cast<wg::RowsType>(type);
      int64_t warps = frag ? frag.getWarps() : rows ? rows.getWarps() : 0;
      if (warps && warps != wg::kWarpgroupWarps * groups) {
        op->emitOpError() << "expects tiles of " << wg::kWarpgroupWarps * groups
                          << " warps, got " << type;
        return WalkResult::interrupt();
      }
    }
    if (isa<wg::LoadOp, wg::CopyOp, wg::CopyAsyncOp, wg::PutOp, wg::CopyOutOp,
            wg::RoleOp>(op)) {
      op->emitOpError() << "cannot be divided among warpgroups";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

wg::RoleOp Specializer::makeRole(StringRef name, int64_t first, int64_t last,
                                 int64_t registers, bool single) {
  auto role = wg::RoleOp::create(
      b, loc, b.getStringAttr(name), b.getI64IntegerAttr(first),
      b.getI64IntegerAttr(last), b.getI64IntegerAttr(registers),
      single ? b.getUnitAttr() : UnitAttr(), /*ping_pong=*/UnitAttr(),
      /*turn_id=*/IntegerAttr());
  role.getBody().emplaceBlock().addArgument(b.getIndexType(), loc);
  return role;
}

void Specializer::fillProducer(wg::RoleOp role) {
  Slice slice;
  kernel.walk([&](wg::TmaLoadOp load) { slice.add(load); });
  OpBuilder inner = OpBuilder::atBlockEnd(&role.getBody().front());
  auto clone = [](OpBuilder &b, Operation *op, IRMapping &mapping) {
    b.clone(*op, mapping);
  };
  SliceCloner cloner(inner, slice, clone, [](Type type) { return type; });
  cloner.cloneKernel(kernel, [&](Operation *op) { return staysOutside(op); });
  wg::YieldOp::create(inner, loc);
}

void Specializer::fillConsumers(wg::RoleOp role) {
  Slice slice;
  kernel.walk([&](Operation *op) {
    bool acts = !isa<scf::ForOp, scf::IfOp, wg::TmaLoadOp>(op) &&
                !op->hasTrait<OpTrait::IsTerminator>() &&
                op != kernel.getOperation() && !staysOutside(op) &&
                !wouldOpBeTriviallyDead(op);
    if (acts)
      slice.add(op);
  });
  OpBuilder inner = OpBuilder::atBlockEnd(&role.getBody().front());
  number = role.getBody().getArgument(0);
  Value rows =
      arith::ConstantIndexOp::create(inner, loc, 16 * wg::kWarpgroupWarps);
  firstRow = arith::MulIOp::create(inner, loc, number, rows);
  auto clone = [&](OpBuilder &b, Operation *op, IRMapping &mapping) {
    cloneForGroup(b, op, mapping);
  };
  SliceCloner cloner(inner, slice, clone,
                     [&](Type type) { return ofGroup(type); });
  cloner.cloneKernel(kernel, [&](Operation *op) { return staysOutside(op); });
  wg::YieldOp::create(inner, loc);
}

void Specializer::run() {
  Block &body = kernel.getBody().front();
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  ScheduleAttr schedule = scheduleOf(kernel);
  Budget budget =
      budgetFor(groups, schedule && schedule.getGrid() != Grid::Blocks);
  wg::RoleOp producer = makeRole("producer", 0, 1, budget.producer, true);
  wg::RoleOp consumers =
      makeRole("consumers", 1, 1 + groups, budget.consumer, false);
  producer->remove();
  consumers->remove();
  fillProducer(producer);
  fillConsumers(consumers);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (!staysOutside(&op))
      op.erase();
  b.setInsertionPoint(end);
  b.insert(producer);
  b.insert(consumers);
  int32_t threads = (1 + groups) * kThreadsPerGroup;
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({threads, 1, 1}));
}

namespace {
struct SpecializePass : mlir::fa::impl::WgSpecializeBase<SpecializePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"pipelined"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (findOps<wg::TmaLoadOp>(kernel).empty())
        continue;
      DenseI32ArrayAttr size = kernel.getKnownBlockSizeAttr();
      int64_t groups = size ? size[0] / kThreadsPerGroup : 0;
      if (groups < 1 || groups > 4 || size[0] % kThreadsPerGroup) {
        kernel.emitOpError() << "expects a block of 1 to 4 warpgroups (128 "
                                "threads each), got known_block_size "
                             << size;
        return signalPassFailure();
      }
      Specializer specializer(kernel, groups);
      if (failed(specializer.check()))
        return signalPassFailure();
      specializer.run();
      replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList fields) {
        Builder b(module.getContext());
        fields.set("block",
                   b.getI64IntegerAttr(kernel.getKnownBlockSizeAttr()[0]));
        return KernelEntries{fields};
      });
    }
    setStage(module, "specialized");
  }
};
} // namespace
