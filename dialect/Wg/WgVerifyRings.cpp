// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K24, K25 and K33 to K35: rings with barriers, and what passes through them:
// tiles by TMA, and numbers.
#include "dialect/Wg/WgOps.h"
#include "dialect/Wg/WgVerify.h"

using namespace mlir;
using namespace mlir::wg;

static bool isInSingleThreadRole(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role && role.getSingleThread();
}

LogicalResult InitOp::verify() {
  // K35
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError() << "expects to stand outside roles";
  for (Type type : getOperandTypes())
    if (!cast<RingType>(type).getConsumers())
      return emitOpError() << "expects rings with consumers, got " << type;
  return success();
}

/// K25, for every op on the consumers' side.
static LogicalResult verifyConsumer(Operation *op, RingType ring) {
  if (!ring.getConsumers())
    return op->emitOpError() << "expects a ring with consumers, got " << ring;
  auto role = op->getParentOfType<RoleOp>();
  if (role && role.getWarpgroups() != ring.getConsumers())
    return op->emitOpError() << "expects a ring with " << role.getWarpgroups()
                             << " consumers, the warpgroups of role "
                             << role.getNameAttr() << ", got " << ring;
  return success();
}

LogicalResult wg::verifyTileConsumer(Operation *op, RingType ring) {
  if (ring.carriesNumbers())
    return op->emitOpError()
           << "expects a ring of tiles, got " << ring
           << ", a ring of numbers for wg.send and wg.receive";
  return verifyConsumer(op, ring);
}

LogicalResult AcquireOp::verify() {
  return verifyTileConsumer(*this, getRing().getType());
}

LogicalResult PeekOp::verify() {
  return verifyTileConsumer(*this, getRing().getType());
}

/// K24, the part that loads and stores share.
static LogicalResult verifyMap(Operation *op, TensorMapType map, SmemType tile,
                               size_t coords) {
  if (map.getTile() != tile)
    return op->emitOpError()
           << "expects a map of the tile " << tile << ", got " << map;
  if (static_cast<int64_t>(coords) != map.getRank())
    return op->emitOpError()
           << "expects " << map.getRank() << " coordinates, got " << coords;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  RingType ring = getRing().getType();
  // K24
  if (!ring.getConsumers())
    return emitOpError() << "expects a ring with consumers, got " << ring;
  return verifyMap(*this, getMap().getType(), ring.getTile(),
                   getCoords().size());
}

LogicalResult TmaStoreOp::verify() {
  return verifyMap(*this, getMap().getType(), getTile().getType(),
                   getCoords().size());
}

/// K33, for a ring that carries `count` numbers.
static LogicalResult verifyMail(Operation *op, RingType ring, size_t count) {
  if (!ring.carriesNumbers())
    return op->emitOpError()
           << "expects a ring of 1xNxi32 with consumers, got " << ring;
  if (int64_t most = ring.getTile().getCols(); int64_t(count) > most)
    return op->emitOpError()
           << "expects at most " << most << " values, got " << count;
  return success();
}

LogicalResult SendOp::verify() {
  // K33
  if (!isInSingleThreadRole(*this))
    return emitOpError() << "expects to stand in a role with single_thread";
  return verifyMail(*this, getRing().getType(), getValues().size());
}

LogicalResult ReceiveOp::verify() {
  // K33
  if (!(*this)->getParentOfType<RoleOp>())
    return emitOpError() << "expects to stand in a role";
  if (failed(verifyMail(*this, getRing().getType(), getValues().size())))
    return failure();
  return verifyConsumer(*this, getRing().getType());
}

LogicalResult FetchTileOp::verify() {
  // K34
  if (!isInSingleThreadRole(*this))
    return emitOpError() << "expects to stand in a role with single_thread";
  return success();
}
