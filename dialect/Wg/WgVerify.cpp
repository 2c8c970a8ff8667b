// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints K6 to K16, which dialect/README.md lists. Those about types
// stand in WgTypes.cpp, those that sm_90a adds in WgVerifyHopper.cpp.
#include "dialect/Wg/WgVerify.h"

#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::wg;

//===----------------------------------------------------------------------===//
// Tiles and global memory
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult wg::verifyProduct(Operation *op, Type a, SmemType b,
                                bool transposeB, FragType acc) {
  auto aFrag = dyn_cast<FragType>(a);
  auto aTile = dyn_cast<SmemType>(a);
  int64_t m = aFrag ? aFrag.getRows() : aTile.getRows();
  int64_t k = aFrag ? aFrag.getCols() : aTile.getCols();
  int64_t bk = transposeB ? b.getCols() : b.getRows();
  int64_t bn = transposeB ? b.getRows() : b.getCols();
  if (m != acc.getRows() || k != bk || bn != acc.getCols())
    return op->emitOpError()
           << "expects [M, K] times [K, N] giving [M, N], got " << m << "x" << k
           << " times " << bk << "x" << bn << " giving " << acc.getRows() << "x"
           << acc.getCols();
  if (k % 8 || bn % 8)
    return op->emitOpError()
           << "expects K and N in multiples of 8, got " << k << " and " << bn;
  Type element = elementTypeOf(a);
  if (element != b.getElementType() || !(element.isF16() || element.isBF16()))
    return op->emitOpError() << "expects f16 or bf16 for both a and b, got "
                             << element << " and " << b.getElementType();
  if (acc.getLayout() != FragLayout::Acc || !acc.getElementType().isF32())
    return op->emitOpError()
           << "expects an f32 accumulator in layout acc, got " << acc;
  if (aFrag && (aFrag.getLayout() != FragLayout::A ||
                aFrag.getWarps() != acc.getWarps()))
    return op->emitOpError() << "expects a fragment a in layout a with "
                             << acc.getWarps() << " warps, got " << aFrag;
  return success();
}

LogicalResult MmaOp::verify() {
  return verifyProduct(*this, getA().getType(), getB().getType(),
                       getTransposeB(), getResult().getType());
}

//===----------------------------------------------------------------------===//
// Register ops
//===----------------------------------------------------------------------===//

namespace {
/// What fragments and rows have in common.
struct RegisterTile {
  int64_t rows;
  int64_t warps;
  /// Null for rows.
  FragType frag;

  static RegisterTile of(Type type) {
    if (auto frag = dyn_cast<FragType>(type))
      return {frag.getRows(), frag.getWarps(), frag};
    auto rows = cast<RowsType>(type);
    return {rows.getRows(), rows.getWarps(), nullptr};
  }
};
} // namespace

static bool isPartial(Type type) {
  auto rows = dyn_cast<RowsType>(type);
  return rows && rows.getPartial();
}

LogicalResult MapOp::verify() {
  // K8
  RegisterTile result = RegisterTile::of(getType());
  for (Type type : getOperandTypes()) {
    RegisterTile operand = RegisterTile::of(type);
    bool fits = operand.rows == result.rows && operand.warps == result.warps;
    if (operand.frag)
      fits &= result.frag && operand.frag.getCols() == result.frag.getCols() &&
              operand.frag.getLayout() == result.frag.getLayout();
    if (!fits)
      return emitOpError() << "expects operands of the result's rows, columns, "
                              "layout and warps, got "
                           << type << " for " << getType();
  }
  return success();
}

/// K10: the only map that is the same for the parts as for their sum.
static LogicalResult verifyPartialMap(MapOp op) {
  auto isSum = [](Type type) {
    auto rows = dyn_cast<RowsType>(type);
    return rows && rows.getPartial() == Combine::AddF;
  };
  SmallVector<unsigned> partials;
  for (auto [i, type] : llvm::enumerate(op.getOperandTypes()))
    if (isPartial(type))
      partials.push_back(i);
  if (partials.empty() && !isPartial(op.getType()))
    return success();
  Block &body = op.getBody().front();
  auto product = op.getYielded().getDefiningOp<arith::MulFOp>();
  bool linear =
      partials.size() == 1 && isSum(op.getType()) &&
      op.getOperands()[partials[0]].getType() == op.getType() && product &&
      body.getOperations().size() == 2 &&
      llvm::count(product->getOperands(), body.getArgument(partials[0])) == 1;
  if (!linear)
    return op.emitOpError() << "expects partial rows to be scaled only: one "
                               "partial = addf operand of the result's type "
                               "and a body of one arith.mulf";
  return success();
}

LogicalResult wg::verifyWritesNothing(Operation *op, Block &body) {
  for (Operation &inner : body.without_terminator()) {
    auto effects = getEffectsRecursively(&inner);
    bool reads = effects && llvm::all_of(*effects, [](const auto &effect) {
                   return isa<MemoryEffects::Read>(effect.getEffect());
                 });
    if (!reads)
      return inner.emitOpError() << "is not expected in a " << op->getName()
                                 << ", which writes nothing";
  }
  return success();
}

LogicalResult MapOp::verifyRegions() {
  // K9
  SmallVector<Type> expected;
  for (Type type : getOperandTypes())
    expected.push_back(elementTypeOf(type));
  expected.append(isa<FragType>(getType()) ? 2 : 1,
                  IndexType::get(getContext()));
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "expects region arguments " << TypeRange(expected)
                         << ", got " << body.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != elementTypeOf(getType()))
    return emitOpError() << "expects its region to end in wg.yield of one "
                         << elementTypeOf(getType());
  if (failed(verifyWritesNothing(*this, body)))
    return failure();
  return verifyPartialMap(*this);
}

LogicalResult ReduceRowsOp::verify() {
  // K11
  FragType frag = getFrag().getType();
  RowsType init = getInit().getType();
  if (frag.getLayout() != FragLayout::Acc || !frag.getElementType().isF32())
    return emitOpError() << "expects an f32 fragment in layout acc, got "
                         << frag;
  if (init.getRows() != frag.getRows() || init.getWarps() != frag.getWarps())
    return emitOpError() << "expects init with the fragment's rows and warps, "
                            "got "
                         << init << " for " << frag;
  if (init.getPartial() && *init.getPartial() != getKind())
    return emitOpError() << "expects partial rows of its own kind "
                         << stringifyCombine(getKind()) << ", got " << init;
  return success();
}

LogicalResult RelayoutOp::verify() {
  // K12
  FragType from = getFrag().getType(), to = getResult().getType();
  if (from.getLayout() != FragLayout::Acc ||
      to != from.withLayout(FragLayout::A))
    return emitOpError()
           << "expects layout acc to layout a and nothing else to change, got "
           << from << " to " << to;
  return success();
}
