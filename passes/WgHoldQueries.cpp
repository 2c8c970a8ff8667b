// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the loops over key tiles read Q's first columns from registers. The
// tensor cores otherwise read all of Q from shared memory again for each key
// tile: a third of what a product of 128 keys reads there.
#include "dialect/Fa/FaDialect.h"
#include "dialect/Wg/WgVerify.h"
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
/// throughout; a band that is taken in the loop moves in front of it.
static bool keepsTile(wg::MmaAsyncOp product) {
  auto loop = product->getParentOfType<scf::ForOp>();
  if (!loop || !isa<wg::SmemType>(product.getA().getType()))
    return false;
  auto band = product.getA().getDefiningOp<wg::BandOp>();
  if (band && loop->isProperAncestor(band) &&
      llvm::all_of(band->getOperands(), [&](Value operand) {
        return loop.isDefinedOutsideOfLoop(operand);
      }))
    band->moveBefore(loop);
  return loop.isDefinedOutsideOfLoop(product.getA());
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

/// Whether `held` has all columns of `tile`.
static bool isWhole(Value held, Value tile) {
  return cast<wg::FragType>(held.getType()).getCols() ==
         cast<wg::SmemType>(tile.getType()).getCols();
}

/// The op that takes the slot of a ring that `tile` is, or is a band of; null
/// where the slot is taken in several places.
static Operation *slotOf(Value tile) {
  if (auto band = tile.getDefiningOp<wg::BandOp>())
    tile = band.getTile();
  Operation *slot = tile.getDefiningOp();
  if (!isa_and_nonnull<wg::AcquireOp, wg::PeekOp>(slot))
    return nullptr;
  for (Operation *user : slot->getOperand(0).getUsers())
    if (user != slot && isa<wg::AcquireOp, wg::PeekOp>(user) &&
        user->getOperands() == slot->getOperands())
      return nullptr;
  return slot;
}

/// Of `last` and what reads `tile`, or waits for a product that does, the last,
/// in the block of `last`; null where that is not told.
static Operation *lastReader(Value tile, Operation *last) {
  for (Operation *user : tile.getUsers()) {
    if (auto band = dyn_cast<wg::BandOp>(user)) {
      last = lastReader(band.getResult(), last);
      if (!last)
        return nullptr;
      continue;
    }
    Operation *reader = isa<wg::GetOp, wg::ZeroRowsOp>(user) ? user : nullptr;
    if (auto product = dyn_cast<wg::MmaAsyncOp>(user)) {
      auto wait = dyn_cast<wg::WaitMmaOp>(*product->user_begin());
      if (wait && wait.getPending() == product.getResult())
        reader = wait;
    }
    if (!reader)
      return nullptr;
    if (reader == last || wg::precedes(reader, last))
      continue;
    if (reader->getBlock() != last->getBlock())
      return nullptr;
    last = reader;
  }
  return last;
}

/// Gives the slot of `tile`, of which `held` is all, back behind the last that
/// reads it: the next query tile is loaded under this one. All warps have read
/// by then.
static void releaseEarly(Value tile, Operation *held) {
  Operation *slot = slotOf(tile);
  Operation *last = slot ? lastReader(slot->getResult(0), held) : nullptr;
  if (!last)
    return;
  for (auto release : held->getBlock()->getOps<wg::ReleaseOp>())
    if (release->getOperands() == slot->getOperands() &&
        last->isBeforeInBlock(release)) {
      release->moveAfter(last);
      OpBuilder b(release);
      wg::BarrierOp::create(b, release.getLoc());
      return;
    }
}

static void holdQueries(gpu::GPUFuncOp kernel, int64_t columns) {
  llvm::MapVector<Value, Value> held;
  bool hasLoops = false;
  for (wg::MmaAsyncOp product : findOps<wg::MmaAsyncOp>(kernel)) {
    hasLoops |= bool(product->getParentOfType<scf::ForOp>());
    if (!keepsTile(product))
      continue;
    Value tile = product.getA();
    Value &front = held[tile];
    if (!front)
      front = hold(tile, columns,
                   product.getResult().getType().getFrag().getWarps());
    if (isWhole(front, tile))
      product.getAMutable().assign(front);
    else
      product.getFrontMutable().assign(front);
  }
  for (auto [tile, front] : held)
    if (isWhole(front, tile))
      releaseEarly(tile, front.getDefiningOp());
  if (held.empty() && hasLoops)
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
