// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K20 and K21: votes, and what may stand in a branch on one.
#include "dialect/Wg/WgOps.h"
#include "dialect/Wg/WgVerify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::wg;

LogicalResult AnyOp::verify() {
  // K20
  if (getOperands().empty())
    return emitOpError() << "expects at least one operand";
  auto first = cast<RowsType>(getOperandTypes().front());
  for (Type type : getOperandTypes())
    if (cast<RowsType>(type).joined() != first.joined())
      return emitOpError()
             << "expects operands of the same rows and warps, got " << first
             << " and " << type;
  return success();
}

/// Ops that each warp does by itself.
static bool isWarpLocal(Operation *op) {
  return !isa<WgDialect>(op->getDialect()) ||
         isa<MapOp, SplatOp, ReduceRowsOp, JoinRowsOp, SliceOp, ConcatOp,
             RelayoutOp, AnyOp, YieldOp>(op);
}

/// K21, for one scf.if on a vote.
static LogicalResult verifyVotedBranch(scf::IfOp branch) {
  WalkResult walk = branch.walk([](Operation *op) {
    if (isWarpLocal(op))
      return WalkResult::advance();
    op->emitOpError() << "needs the whole group, but stands in an scf.if on a "
                         "wg.any, which differs from warp to warp";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// The values that a vote decides over as well once `use` reads it.
static SmallVector<Value> takenOverBy(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(user))
    return {user->getResult(0)};
  return handedOn(use);
}

/// K21: follows the vote to every scf.if that it decides over.
static LogicalResult verifyVote(AnyOp vote) {
  SmallVector<Value> work = {vote.getResult()};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    for (OpOperand &use : work.pop_back_val().getUses()) {
      auto branch = dyn_cast<scf::IfOp>(use.getOwner());
      if (branch && failed(verifyVotedBranch(branch)))
        return failure();
      for (Value value : takenOverBy(use))
        if (value.getType().isInteger(1) && seen.insert(value).second)
          work.push_back(value);
    }
  }
  return success();
}

LogicalResult AnyOp::verifyRegions() {
  // K20
  Block &body = getBody().front();
  bool argumentsFit =
      body.getNumArguments() == getOperands().size() &&
      llvm::all_of(body.getArgumentTypes(), [](Type t) { return t.isF32(); });
  auto yield = dyn_cast<wg::YieldOp>(body.getTerminator());
  if (!argumentsFit || !yield || yield.getValues().size() != 1 ||
      !yield.getValues()[0].getType().isInteger(1))
    return emitOpError() << "expects one f32 region argument for each operand "
                            "and a wg.yield of one i1";
  if (failed(verifyWritesNothing(*this, body)))
    return failure();
  return verifyVote(*this);
}
