// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the consumer warpgroups take turns with the tensor cores. What a loop
// starts together, the next tile's scores and this tile's product with V, goes
// under one turn; meanwhile the others do their softmax.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGPINGPONG
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Puts the ops from `first` to `last` of one block into a turn, which yields
/// what others read of them.
static void makeTurn(Operation *first, Operation *last) {
  SmallVector<Operation *> ops;
  for (Operation *op = first; op != last; op = op->getNextNode())
    ops.push_back(op);
  ops.push_back(last);
  auto isInside = [&](Operation *user) {
    return llvm::any_of(ops,
                        [&](Operation *op) { return op->isAncestor(user); });
  };
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), isInside))
        results.push_back(result);
  OpBuilder b(first);
  Location loc = first->getLoc();
  auto turn = wg::TurnOp::create(b, loc, ValueRange(results).getTypes());
  Block &body = turn.getBody().emplaceBlock();
  for (Operation *op : ops)
    op->moveBefore(&body, body.end());
  for (auto [inner, outer] : llvm::zip(results, turn.getResults()))
    inner.replaceUsesWithIf(outer, [&](OpOperand &use) {
      return !turn->isAncestor(use.getOwner());
    });
  b.setInsertionPointToEnd(&body);
  wg::YieldOp::create(b, loc, results);
}

/// Whether a wait stands between: a turn ends before anybody waits.
static bool hasWait(Operation *first, Operation *last) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (isa<wg::WaitMmaOp>(op))
      return true;
  return false;
}

/// Gives turns to the loops of a role; all warpgroups run them equally often.
static bool addTurns(wg::RoleOp role) {
  bool any = false;
  SmallVector<scf::ForOp> loops;
  role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    SmallVector<wg::MmaAsyncOp> products(
        loop.getBody()->getOps<wg::MmaAsyncOp>());
    if (products.size() < 2 || hasWait(products.front(), products.back()))
      continue;
    makeTurn(products.front(), products.back());
    any = true;
  }
  return any;
}

namespace {
struct PingPongPass : mlir::fa::impl::WgPingPongBase<PingPongPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || !schedule.getPingPong())
        continue;
      for (wg::RoleOp role : findOps<wg::RoleOp>(kernel)) {
        if (role.getSingleThread() || role.getWarpgroups() < 2)
          continue;
        role.setPingPong(true);
        if (!addTurns(role))
          role.setPingPong(false);
      }
    }
  }
};
} // namespace
