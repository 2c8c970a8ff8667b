// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa.attention as a tileable op: its parallel loops are batch, head and query.
// A tile is the same op on slices, which says with `at` where it stands.
#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

static OpFoldResult mixedSize(OpBuilder &b, Location loc, Value value,
                              int64_t dim) {
  if (isa<MemRefType>(value.getType()))
    return memref::getMixedSize(b, loc, value, dim);
  return tensor::getMixedSize(b, loc, value, dim);
}

/// The slice [offsets, offsets + sizes) of a tensor or memref, as tiles of it
/// are made everywhere in this file.
static Value slice(OpBuilder &b, Location loc, Value value,
                   ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  if (isa<MemRefType>(value.getType()))
    return memref::SubViewOp::create(b, loc, value, offsets, sizes, strides);
  return tensor::ExtractSliceOp::create(b, loc, value, offsets, sizes, strides);
}

namespace {
/// A box in the iteration space (batch, head, query).
struct Box {
  OpFoldResult batch, head, query;
};

/// Makes the tile of an op that stands at `offset` and has the extents `size`.
class TileOfAttention {
public:
  TileOfAttention(OpBuilder &b, AttentionOp op, Box offset, Box size)
      : b(b), op(op), loc(op.getLoc()), offset(offset), size(size) {}

  FailureOr<TilingResult> build();

private:
  /// Offsets or sizes of a 4-D operand, from those of its three outer
  /// dimensions.
  SmallVector<OpFoldResult> inMemoryOrder(OpFoldResult batch, OpFoldResult head,
                                          OpFoldResult seq, OpFoldResult last) {
    if (op.getLayout() == Layout::BSHD)
      return {batch, seq, head, last};
    return {batch, head, seq, last};
  }

  Value sliceQueries(Value value) {
    int64_t dim = cast<ShapedType>(value.getType()).getShape().back();
    return slice(
        b, loc, value,
        inMemoryOrder(offset.batch, offset.head, offset.query, zero()),
        inMemoryOrder(size.batch, size.head, size.query, b.getIndexAttr(dim)));
  }
  Value sliceKeys(Value value) {
    int64_t dim = cast<ShapedType>(value.getType()).getShape().back();
    OpFoldResult keys = mixedSize(b, loc, value, op.getSeqDim());
    return slice(b, loc, value,
                 inMemoryOrder(offset.batch, kvHead, zero(), zero()),
                 inMemoryOrder(size.batch, kvHeads, keys, b.getIndexAttr(dim)));
  }
  Value sliceVector(Value value, OpFoldResult from, OpFoldResult count) {
    return value ? slice(b, loc, value, {from}, {count}) : Value();
  }

  LogicalResult findKvHeads();
  SmallVector<Value> position();
  OpFoldResult zero() { return b.getIndexAttr(0); }

  OpBuilder &b;
  AttentionOp op;
  Location loc;
  Box offset, size;
  /// First key/value head that the tile reads, and how many.
  OpFoldResult kvHead, kvHeads;
};
} // namespace

/// Query head h reads key/value head h / (Hq / Hkv): a tile of one head reads
/// one, a tile of all heads reads all; other tiles of grouped heads may cut a
/// group and are refused.
LogicalResult TileOfAttention::findKvHeads() {
  unsigned headDim = op.getHeadDim();
  OpFoldResult hq = mixedSize(b, loc, op.getQ(), headDim);
  OpFoldResult hkv = mixedSize(b, loc, op.getK(), headDim);
  if (isEqualConstantIntOrValue(hq, hkv)) {
    kvHead = offset.head;
    kvHeads = size.head;
    return success();
  }
  if (isEqualConstantIntOrValue(size.head, hq) && isZeroInteger(offset.head)) {
    kvHead = zero();
    kvHeads = hkv;
    return success();
  }
  if (!isOneInteger(size.head))
    return op.emitOpError()
           << "expects tiles of one head, or of all, where query heads share "
              "key/value heads";
  AffineExpr h, q, kv;
  bindDims(op.getContext(), h);
  bindSymbols(op.getContext(), q, kv);
  kvHead = affine::makeComposedFoldedAffineApply(
      b, loc, h.floorDiv(q.floorDiv(kv)), {offset.head, hq, hkv});
  kvHeads = b.getIndexAttr(1);
  return success();
}

/// The operands of `at`: this tile's place within the whole problem.
SmallVector<Value> TileOfAttention::position() {
  SmallVector<Value> at;
  AffineExpr x, y;
  bindDims(op.getContext(), x, y);
  OpFoldResult within[] = {offset.batch, offset.head, offset.query};
  for (auto [i, own] : llvm::enumerate(within)) {
    OpFoldResult base = op.isTile() ? OpFoldResult(op.getAt()[i]) : zero();
    at.push_back(getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, x + y, {base, own})));
  }
  OpFoldResult queries = op.isTile()
                             ? OpFoldResult(op.getAt()[3])
                             : mixedSize(b, loc, op.getQ(), op.getSeqDim());
  at.push_back(getValueOrCreateConstantIndexOp(b, loc, queries));
  return at;
}

FailureOr<TilingResult> TileOfAttention::build() {
  if (failed(findKvHeads()))
    return failure();
  Value q = sliceQueries(op.getQ());
  Value k = sliceKeys(op.getK());
  Value v = sliceKeys(op.getV());
  SmallVector<Value> outs{sliceQueries(op.getOutput())};
  if (Value lse = op.getLse())
    outs.push_back(slice(b, loc, lse, {offset.batch, offset.head, offset.query},
                         {size.batch, size.head, size.query}));
  Value qLengths = sliceVector(op.getQLengths(), offset.batch, size.batch);
  Value kvLengths = sliceVector(op.getKvLengths(), offset.batch, size.batch);
  Value sink = sliceVector(op.getSink(), offset.head, size.head);
  SmallVector<Type> results;
  if (!op.isBufferized())
    llvm::append_range(results, ValueRange(outs).getTypes());
  auto tile =
      AttentionOp::create(b, loc, results, q, k, v, outs, qLengths, kvLengths,
                          /*q_offsets=*/Value(),
                          /*kv_offsets=*/Value(), sink, op.getScaleValue(),
                          position(), op.getScaleAttr(), op.getMaskAttr(),
                          op.getLayoutAttr(), op.getScheduleAttr());
  IRMapping mapping;
  op.getScore().cloneInto(&tile.getScore(), mapping);
  op.getKeep().cloneInto(&tile.getKeep(), mapping);

  TilingResult result;
  result.tiledOps.push_back(tile);
  llvm::append_range(result.tiledValues, tile.getResults());
  for (Value operand : tile->getOperands())
    if (Operation *producer = operand.getDefiningOp();
        producer && isa<tensor::ExtractSliceOp, memref::SubViewOp>(producer))
      result.generatedSlices.push_back(producer);
  return result;
}

//===----------------------------------------------------------------------===//
// TilingInterface
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &b) {
  Location loc = getLoc();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  // In the packed form one batch entry stands for all sequences.
  OpFoldResult batch = isPacked() ? one : mixedSize(b, loc, getQ(), 0);
  return {Range{zero, batch, one},
          Range{zero, mixedSize(b, loc, getQ(), getHeadDim()), one},
          Range{zero, mixedSize(b, loc, getQ(), getSeqDim()), one}};
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  if (isPacked())
    return emitOpError() << "in packed form is tiled by fa-tile only: a tile "
                            "belongs to the sequence that its offsets give";
  return TileOfAttention(b, *this, {offsets[0], offsets[1], offsets[2]},
                         {sizes[0], sizes[1], sizes[2]})
      .build();
}

LogicalResult AttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  bool swapped = resultNumber == 0 && getLayout() == Layout::BSHD;
  auto order = [&](ArrayRef<OpFoldResult> box) -> SmallVector<OpFoldResult> {
    if (swapped)
      return {box[0], box[2], box[1]};
    return {box[0], box[1], box[2]};
  };
  resultOffsets = order(offsets);
  resultSizes = order(sizes);
  if (resultNumber == 0) {
    resultOffsets.push_back(b.getIndexAttr(0));
    resultSizes.push_back(b.getIndexAttr(getVDim()));
  }
  return success();
}

FailureOr<TilingResult>
AttentionOp::generateResultTileValue(OpBuilder &b, unsigned resultNumber,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  bool swapped = resultNumber == 0 && getLayout() == Layout::BSHD;
  unsigned head = swapped ? 2 : 1, query = swapped ? 1 : 2;
  if (resultNumber == 0 &&
      (!isZeroInteger(offsets[3]) || !isConstantIntValue(sizes[3], getVDim())))
    return emitOpError() << "expects tiles that hold whole rows of o";
  FailureOr<TilingResult> tiled =
      getTiledImplementation(b, {offsets[0], offsets[head], offsets[query]},
                             {sizes[0], sizes[head], sizes[query]});
  if (failed(tiled))
    return failure();
  tiled->tiledValues = {tiled->tiledValues[resultNumber]};
  return tiled;
}
