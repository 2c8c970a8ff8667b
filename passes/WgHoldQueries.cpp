// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the loops over key tiles read Q's first columns from registers. The
// tensor cores otherwise read all of Q from shared memory again for each key
// tile: a third of what a product of 128 keys reads there.
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGHOLDQUERIES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Whether a loop in which `product` stands runs with the same shared A operand
/// throughout.
static bool keepsTile(wg::MmaAsyncOp product) {
  auto loop = product->getParentOfType<scf::ForOp>();
  return loop && isa<wg::SmemType>(product.getA().getType()) &&
         loop.isDefinedOutsideOfLoop(product.getA());
}

/// The first columns of `tile`, at most `columns`, where it is known.
static Value hold(Value tile, int64_t columns, int64_t warps) {
  auto type = cast<wg::SmemType>(tile.getType());
  auto frag =
      wg::FragType::get(type.getRows(), std::min(columns, type.getCols()),
                        type.getElementType(), wg::FragLayout::A, warps);
  OpBuilder b(tile.getContext());
  b.setInsertionPointAfterValue(tile);
  return wg::GetOp::create(b, tile.getLoc(), frag, tile);
}

/// The release of the ring's slot that `tile` is, or is a band of, in the block
/// of `op`; null where there is none.
static wg::ReleaseOp releaseOf(Value tile, Operation *op) {
  if (auto band = tile.getDefiningOp<wg::BandOp>())
    tile = band.getTile();
  Operation *slot = tile.getDefiningOp();
  if (!isa_and_nonnull<wg::AcquireOp, wg::PeekOp>(slot))
    return {};
  for (auto release : op->getBlock()->getOps<wg::ReleaseOp>())
    if (release->getOperands() == slot->getOperands())
      return release;
  return {};
}

/// Gives the slot of `tile`, of which `held` is all, back behind `held` and the
/// products of its block that read the tile: the next query tile is loaded
/// under this one.
static void releaseEarly(Value tile, Operation *held) {
  wg::ReleaseOp release = releaseOf(tile, held);
  if (!release)
    return;
  Operation *last = held;
  for (Operation *user : tile.getUsers()) {
    auto product = dyn_cast<wg::MmaAsyncOp>(user);
    if (!product)
      continue;
    auto wait = dyn_cast<wg::WaitMmaOp>(*product->user_begin());
    if (!wait || wait->getBlock() != last->getBlock())
      return;
    if (last->isBeforeInBlock(wait))
      last = wait;
  }
  release->moveAfter(last);
}

static void holdQueries(gpu::GPUFuncOp kernel, int64_t columns) {
  llvm::MapVector<Value, Value> held;
  for (wg::MmaAsyncOp product : findOps<wg::MmaAsyncOp>(kernel)) {
    if (!keepsTile(product))
      continue;
    Value tile = product.getA();
    Value &front = held[tile];
    if (!front)
      front = hold(tile, columns,
                   product.getResult().getType().getFrag().getWarps());
    if (columns >= cast<wg::SmemType>(tile.getType()).getCols())
      product.getAMutable().assign(front);
    else
      product.getFrontMutable().assign(front);
  }
  for (auto [tile, front] : held)
    if (columns >= cast<wg::SmemType>(tile.getType()).getCols())
      releaseEarly(tile, front.getDefiningOp());
  if (held.empty())
    emitRemark(kernel.getLoc()) << "no columns of Q are held in registers: no "
                                   "loop reads the same tile all the time";
}

namespace {
struct HoldQueriesPass : mlir::fa::impl::WgHoldQueriesBase<HoldQueriesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (schedule && schedule.getQRegisters() > 0 &&
          !findOps<wg::RoleOp>(kernel).empty())
        holdQueries(kernel, schedule.getQRegisters());
    }
  }
};
} // namespace
