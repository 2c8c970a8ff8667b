// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K6, K13 to K16, K29 and K37: tiles and rows on their way to and from global
// memory, and the shared memory that tiles stand in.
#include "dialect/Wg/WgOps.h"
#include "dialect/Wg/WgVerify.h"

using namespace mlir;
using namespace mlir::wg;

/// K6, for a tile of `cols` columns against the rows that it is moved from or
/// to.
static LogicalResult verifyGlobal(Operation *op, int64_t cols, Type elementType,
                                  MemRefType mem, int64_t bytes) {
  if (mem.getElementType() != elementType || mem.getDimSize(1) != cols)
    return op->emitOpError() << "expects global rows of " << cols << " "
                             << elementType << ", got " << mem;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(mem.getStridesAndOffset(strides, offset)) || strides[1] != 1)
    return op->emitOpError()
           << "expects a unit stride along the columns, got " << mem;
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  bool known = bytes == 4 || bytes == 8 || bytes == 16 || bytes == elementBytes;
  if (!known || bytes < elementBytes || cols * elementBytes % bytes)
    return op->emitOpError()
           << "expects bytes of 4, 8, 16 or the element's " << elementBytes
           << " that divide a row, got " << bytes;
  return success();
}

static LogicalResult verifyGlobal(Operation *op, SmemType tile, MemRefType mem,
                                  int64_t bytes) {
  return verifyGlobal(op, tile.getCols(), tile.getElementType(), mem, bytes);
}

LogicalResult LoadOp::verify() {
  return verifyGlobal(*this, getResult().getType(), getMem().getType(),
                      getBytes());
}

LogicalResult CopyOp::verify() {
  return verifyGlobal(*this, getTile().getType(), getMem().getType(),
                      getBytes());
}

LogicalResult CopyAsyncOp::verify() {
  // K15
  if (getBytes() < 4)
    return emitOpError() << "expects bytes of at least 4, got " << getBytes();
  return verifyGlobal(*this, getTile().getType(), getMem().getType(),
                      getBytes());
}

LogicalResult CopyOutOp::verify() {
  return verifyGlobal(*this, getTile().getType(), getMem().getType(),
                      getBytes());
}

LogicalResult StoreOp::verify() {
  FragType frag = getFrag().getType();
  if (frag.getLayout() != FragLayout::Acc)
    return emitOpError() << "expects a fragment in layout acc, got " << frag;
  return verifyGlobal(*this, frag.getCols(), frag.getElementType(),
                      getMem().getType(), getBytes());
}

LogicalResult StoreRowsOp::verify() {
  // K13
  RowsType rows = getValues().getType();
  if (rows.getPartial())
    return emitOpError() << "expects whole rows, got " << rows;
  if (getMem().getType().getElementType() != rows.getElementType())
    return emitOpError() << "expects global values of " << rows.getElementType()
                         << ", got " << getMem().getType();
  return success();
}

LogicalResult AllocOp::verify() {
  // K14
  auto ring = dyn_cast<RingType>(getType());
  if (getBarrierOffset() && !(ring && ring.getConsumers()))
    return emitOpError()
           << "expects barrier_offset on a ring with consumers only, got "
           << getType();
  if (getBarrierOffset().value_or(0) % 8)
    return emitOpError() << "expects barrier_offset in multiples of 8, got "
                         << *getBarrierOffset();
  if (!getOffset())
    return success();
  SmemType tile = ring ? ring.getTile() : cast<SmemType>(getType());
  int64_t alignment = tile.getLayout().alignment();
  if (*getOffset() < 0 || *getOffset() % alignment)
    return emitOpError() << "expects an offset in multiples of " << alignment
                         << ", got " << *getOffset();
  return success();
}

LogicalResult PutOp::verify() {
  // K16
  FragType frag = getFrag().getType();
  SmemType tile = getTile().getType();
  if (frag.getRows() != tile.getRows() || frag.getCols() != tile.getCols() ||
      frag.getElementType() != tile.getElementType() ||
      frag.getLayout() != FragLayout::Acc)
    return emitOpError() << "expects a fragment in layout acc of the tile's "
                            "shape and element type, got "
                         << frag << " for " << tile;
  return success();
}

LogicalResult GetOp::verify() {
  // K37
  return verifyColumnsOf(*this, getTile().getType(), getResult().getType());
}

LogicalResult BandOp::verify() {
  // K29
  SmemType from = getTile().getType(), to = getResult().getType();
  bool panels = from.getSwizzle() == Swizzle::Xor
                    ? to.getPanelRows() == to.getRows()
                    : to.getPanelRows() == from.getPanelRows();
  if (to.getCols() != from.getCols() ||
      to.getElementType() != from.getElementType() ||
      to.getSwizzle() != from.getSwizzle() || !panels)
    return emitOpError()
           << "expects only the rows to change and the panels to stay where "
              "they are, got "
           << from << " to " << to;
  if (from.getRows() % to.getRows() || to.getRows() % 8)
    return emitOpError() << "expects rows in multiples of 8 that divide "
                         << from.getRows() << ", got " << to.getRows();
  return success();
}
