// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TileRows.h"

#include "passes/TileBuilder.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::fa;

/// `rows` rows of a memref from `first` on, as [rows, columns] or, with no
/// columns, as [rows].
static Value viewRows(OpBuilder &b, Location loc, Value memref, unsigned seq,
                      OpFoldResult first, OpFoldResult rows,
                      ArrayRef<int64_t> columns) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      sizes(type.getRank(), b.getIndexAttr(1)),
      strides(type.getRank(), b.getIndexAttr(1));
  offsets[seq] = first;
  sizes[seq] = rows;
  if (!columns.empty())
    sizes.back() = b.getIndexAttr(columns.front());
  SmallVector<int64_t> shape{
      getConstantIntValue(rows).value_or(ShapedType::kDynamic)};
  llvm::append_range(shape, columns);
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, reduced, memref, offsets, sizes,
                                   strides);
}

Value mlir::fa::loadRows(OpBuilder &b, Location loc, Value source, unsigned seq,
                         Value first, Value rows, int64_t tile) {
  int64_t columns = cast<MemRefType>(source.getType()).getShape().back();
  Value view = viewRows(b, loc, source, seq, getAsOpFoldResult(first),
                        getAsOpFoldResult(rows), columns);
  auto type = cast<MemRefType>(view.getType());
  Value tensor = bufferization::ToTensorOp::create(
      b, loc, RankedTensorType::get(type.getShape(), type.getElementType()),
      view, /*restrict=*/true);
  TileBuilder t(b, loc);
  return t.padRows(tensor, t.sub(t.index(tile), rows), tile);
}

void mlir::fa::storeRows(OpBuilder &b, Location loc, Value tile,
                         Value destination, unsigned seq, Value rows) {
  auto type = cast<RankedTensorType>(tile.getType());
  OpFoldResult zero = b.getIndexAttr(0), count = getAsOpFoldResult(rows);
  Value view = viewRows(b, loc, destination, seq, zero, count,
                        type.getShape().drop_front());
  SmallVector<OpFoldResult> offsets(type.getRank(), zero),
      strides(type.getRank(), b.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  sizes[0] = count;
  Value exists =
      tensor::ExtractSliceOp::create(b, loc, tile, offsets, sizes, strides);
  bufferization::MaterializeInDestinationOp::create(
      b, loc, /*result=*/Type(), exists, view, /*restrict=*/true,
      /*writable=*/true);
}
