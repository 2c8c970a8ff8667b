// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: a query tile is loaded behind its first key tile. Where Q has one
// buffer, its load waits until the tile before has taken its last scores; K's
// ring has a free slot by then, and its load need not wait as well.
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGLATEQUERIES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The branch in whose then-block all users of `load` stand, null where there
/// is none.
static scf::IfOp branchOfUsers(wg::LoadOp load) {
  scf::IfOp found;
  for (Operation *user : load.getResult().getUsers()) {
    auto branch = dyn_cast_or_null<scf::IfOp>(
        load->getBlock()->findAncestorOpInBlock(*user));
    if (!branch || (found && found != branch) ||
        !branch.getThenRegion().isAncestor(user->getParentRegion()))
      return {};
    found = branch;
  }
  return found;
}

/// Moves `load` to its first user in `branch`, behind the loads in front of it.
static void sink(wg::LoadOp load, scf::IfOp branch) {
  Operation *first = nullptr;
  for (Operation *user : load.getResult().getUsers()) {
    Operation *place = branch.thenBlock()->findAncestorOpInBlock(*user);
    if (!first || place->isBeforeInBlock(first))
      first = place;
  }
  load->moveBefore(first);
}

namespace {
struct LateQueriesPass : mlir::fa::impl::WgLateQueriesBase<LateQueriesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!staysForTiles(kernel) || schedule.getQBuffers() > 1 ||
          schedule.getOverlapTiles())
        continue;
      for (wg::LoadOp load : findOps<wg::LoadOp>(kernel))
        if (scf::IfOp branch = branchOfUsers(load))
          sink(load, branch);
    }
  }
};
} // namespace
