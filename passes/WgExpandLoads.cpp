// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values -> pipelined, without any overlap: what wg-pipeline left (or all,
// where that did not run) becomes storage, a copy and the barriers around it.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGEXPANDLOADS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// One tile of storage serves all iterations: none may outlive its own.
static LogicalResult checkLifetime(wg::LoadOp load) {
  if (!outermostLoop(load))
    return success();
  for (Operation *user : load.getResult().getUsers())
    if (user->hasTrait<OpTrait::IsTerminator>()) {
      InFlightDiagnostic diag = load.emitOpError();
      diag << "expects a tile that is loaded in a loop to be used in the same "
              "iteration only, got a use in '"
           << user->getName() << "'";
      return diag;
    }
  return success();
}

/// A copy that is complete for the whole group, in the place of `load`.
static void expandLoad(wg::LoadOp load) {
  Location loc = load.getLoc();
  Value tile = allocateFor(load, load.getType());
  OpBuilder b(load);
  // The last iteration's readers may still be at it.
  if (outermostLoop(load))
    wg::BarrierOp::create(b, loc, IntegerAttr());
  if (!canBeAsync(load)) {
    wg::CopyOp::create(b, loc, load.getMem(), tile, load.getRows(),
                       load.getBytesAttr());
  } else {
    wg::CopyAsyncOp::create(b, loc, load.getMem(), tile, load.getRows(),
                            load.getBytesAttr());
    wg::CommitCopiesOp::create(b, loc);
    wg::WaitCopiesOp::create(b, loc, 0);
  }
  wg::BarrierOp::create(b, loc, IntegerAttr());
  load.getResult().replaceAllUsesWith(tile);
  load.erase();
}

namespace {
struct ExpandLoadsPass : mlir::fa::impl::WgExpandLoadsBase<ExpandLoadsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "pipelined"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      SetVector<Operation *> loops;
      for (wg::LoadOp load : findOps<wg::LoadOp>(kernel)) {
        if (failed(checkLifetime(load)))
          return signalPassFailure();
        if (Operation *loop = outermostLoop(load))
          if (loops.insert(loop) && loops.size() > 1)
            separate(loop);
        expandLoad(load);
      }
    }
    setStage(module, "pipelined");
  }

  /// Behind the barrier the tiles of the loops in front of it are free: without
  /// it each loop's tiles would need places of their own.
  static void separate(Operation *loop) {
    OpBuilder b(loop);
    wg::BarrierOp::create(b, loop->getLoc(), IntegerAttr());
  }
};
} // namespace
