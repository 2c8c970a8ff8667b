// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the tile of V that an iteration multiplies by is waited for in the
// iteration before, next to where the product in flight is. Nothing then stands
// between the two products of an iteration, and the wait, a branch, keeps ptxas
// from moving the softmax's instructions over it.
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGACQUIREAHEAD
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A loop that acquires a slot of a ring in each iteration, one behind the
/// other, for a product that the last wait of the iteration ends.
struct Acquiring {
  scf::ForOp loop;
  wg::AcquireOp acquire;
  wg::AdvanceOp advance;
  wg::WaitMmaOp wait;
  /// Which of the loop's values the cursor is.
  unsigned place;
};
} // namespace

/// The product that `pending` is, behind waits that leave it in flight.
static wg::MmaAsyncOp productOf(Value pending) {
  while (auto wait = pending.getDefiningOp<wg::WaitMmaOp>())
    pending = wait.getKept()[cast<OpResult>(pending).getResultNumber() - 1];
  return pending.getDefiningOp<wg::MmaAsyncOp>();
}

static std::optional<Acquiring> matchLoop(scf::ForOp loop) {
  wg::WaitMmaOp wait = lastWait(loop);
  wg::MmaAsyncOp product =
      wait ? productOf(wait.getPending()) : wg::MmaAsyncOp();
  auto acquire =
      product ? product.getB().getDefiningOp<wg::AcquireOp>() : wg::AcquireOp();
  if (!acquire || acquire->getBlock() != loop.getBody() ||
      !loop.isDefinedOutsideOfLoop(acquire.getRing()))
    return std::nullopt;
  std::optional<unsigned> place = carriedPlace(loop, acquire.getCursor());
  if (!place)
    return std::nullopt;
  auto advance = loop.getYieldedValues()[*place].getDefiningOp<wg::AdvanceOp>();
  if (!advance || advance.getCursor() != acquire.getCursor() ||
      advance->getBlock() != loop.getBody())
    return std::nullopt;
  return Acquiring{loop, acquire, advance, wait, *place};
}

/// The acquisitions of `ring` at `cursor`, in loops that carry it as well.
static void findReaders(Value ring, Value cursor,
                        SmallVectorImpl<wg::AcquireOp> &readers) {
  for (OpOperand &use : cursor.getUses()) {
    auto acquire = dyn_cast<wg::AcquireOp>(use.getOwner());
    if (acquire && acquire.getRing() == ring)
      readers.push_back(acquire);
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
      if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use))
        findReaders(ring, carried, readers);
  }
}

/// Whether all that is acquired ahead is also read: the slot that the last of
/// `chain`, loops with each other's cursors, leaves acquired is acquired once
/// behind it.
static wg::AcquireOp readerBehind(Acquiring last) {
  Value cursor = last.loop.getResult(last.place);
  SmallVector<wg::AcquireOp> readers;
  findReaders(last.acquire.getRing(), cursor, readers);
  if (readers.size() != 1 ||
      readers.front()->getBlock() != last.loop->getBlock())
    return {};
  return readers.front();
}

/// Acquires for the next iteration in front of the wait; the tile is carried.
/// Gives the tile that is acquired behind the loop.
static Value acquireAhead(Acquiring &found, Value tile) {
  IRRewriter rewriter(found.loop.getContext());
  Location loc = found.acquire.getLoc();
  Value ring = found.acquire.getRing();
  rewriter.moveOpBefore(found.advance, found.wait);
  rewriter.setInsertionPoint(found.wait);
  Value next =
      wg::AcquireOp::create(rewriter, loc, ring, found.advance.getResult());
  wg::AcquireOp acquire = found.acquire;
  rewriter.setInsertionPoint(found.loop);
  auto made = cast<scf::ForOp>(*found.loop.replaceWithAdditionalYields(
      rewriter, tile, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
        rewriter.replaceOp(acquire, args.front());
        return SmallVector<Value>{next};
      }));
  found.loop = made;
  return made.getResults().back();
}

/// Loops that hand the cursor on to each other, in front of one reader.
static void acquireAhead(MutableArrayRef<Acquiring> chain,
                         wg::AcquireOp behind) {
  Acquiring &first = chain.front();
  OpBuilder b(first.loop);
  Value tile =
      wg::AcquireOp::create(b, first.acquire.getLoc(), first.acquire.getRing(),
                            first.loop.getInitArgs()[first.place]);
  for (Acquiring &found : chain)
    tile = acquireAhead(found, tile);
  behind.replaceAllUsesWith(tile);
  behind.erase();
}

namespace {
struct AcquireAheadPass : mlir::fa::impl::WgAcquireAheadBase<AcquireAheadPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (schedule && schedule.getVWait())
        runOnKernel(kernel);
    }
  }

  /// Collects loops until one is followed by the reader of what it leaves.
  static void runOnKernel(gpu::GPUFuncOp kernel) {
    SmallVector<Acquiring> chain;
    for (scf::ForOp loop : findOps<scf::ForOp>(kernel)) {
      std::optional<Acquiring> found = matchLoop(loop);
      if (!found)
        continue;
      if (!chain.empty() &&
          (found->acquire.getRing() != chain.back().acquire.getRing() ||
           loop.getInitArgs()[found->place] !=
               chain.back().loop.getResult(chain.back().place)))
        chain.clear();
      chain.push_back(*found);
      if (wg::AcquireOp behind = readerBehind(*found)) {
        acquireAhead(chain, behind);
        chain.clear();
      }
    }
  }
};
} // namespace
