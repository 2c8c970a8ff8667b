// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K30 to K32: roles, and the turns that those with ping_pong take.
#include "dialect/Wg/WgOps.h"

using namespace mlir;
using namespace mlir::wg;

LogicalResult RoleOp::verify() {
  // K30
  int64_t registers = getRegisters();
  if (getWarpgroups() <= 0 || static_cast<int64_t>(getFirst()) < 0)
    return emitOpError() << "expects at least one warpgroup, got " << getFirst()
                         << " to " << getLast();
  if (registers < 24 || registers > 256 || registers % 8)
    return emitOpError()
           << "expects registers in multiples of 8 from 24 to 256, got "
           << registers;
  if (getPingPong() && getWarpgroups() < 2)
    return emitOpError()
           << "expects two or more warpgroups with ping_pong, got "
           << getWarpgroups();
  if (getTurnId() && !getPingPong())
    return emitOpError() << "expects turn_id with ping_pong only";
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError() << "expects no role around it";
  return success();
}

LogicalResult RoleOp::verifyRegions() {
  // K30
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError() << "expects one index region argument, got "
                         << body.getArgumentTypes();
  if (!getSingleThread())
    return success();
  // K31
  WalkResult walk = getBody().walk([](Operation *op) {
    bool fits = !isa<WgDialect>(op->getDialect()) ||
                isa<CursorOp, AdvanceOp, TmaLoadOp, SendOp, FetchTileOp, SlotOp,
                    wg::YieldOp>(op);
    return fits ? WalkResult::advance()
                : WalkResult(op->emitOpError()
                             << "needs more than the one thread of this role");
  });
  return failure(walk.wasInterrupted());
}

LogicalResult TurnOp::verify() {
  // K32
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getPingPong() || (*this)->getParentOfType<TurnOp>())
    return emitOpError()
           << "expects to stand in a role with ping_pong and in no other turn";
  return success();
}

LogicalResult TurnOp::verifyRegions() {
  // K32
  Operation *yield = getBody().front().getTerminator();
  if (yield->getOperandTypes() != getResultTypes())
    return emitOpError() << "expects wg.yield of " << getResultTypes()
                         << ", got " << yield->getOperandTypes();
  return success();
}
