// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of memrefs as tiles in shared memory, and tiles as rows of memrefs.
#include "passes/ToWg.h"

#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

/// The tile that `result` is, loaded from the rows of a memref that `rows`
/// names.
LogicalResult ToWgConverter::load(Value result, Value rows) {
  Location loc = result.getLoc();
  auto source = rows.getDefiningOp<bufferization::ToTensorOp>();
  auto type = cast<RankedTensorType>(rows.getType());
  if (!source || type.getRank() != 2 || type.isDynamicDim(1))
    return emitError(loc) << "expects rows of a memref (to_tensor of a "
                             "two-dimensional memref), got "
                          << rows;
  Value memref = mapping.lookupOrDefault(source.getBuffer());
  Value exist =
      b.createOrFold<memref::DimOp>(loc, memref, static_cast<int64_t>(0));
  auto shape = cast<RankedTensorType>(result.getType());
  auto tile = wg::SmemType::getChecked([&] { return emitError(loc); },
                                       shape.getDimSize(0), type.getDimSize(1),
                                       type.getElementType(), swizzle);
  if (!tile)
    return failure();
  mapping.map(result, wg::LoadOp::create(b, loc, tile, memref, exist,
                                         b.getI64IntegerAttr(bytes))
                          .getResult());
  return success();
}

/// A whole tile, which needs no padding; else its users say what becomes of it.
LogicalResult ToWgConverter::convert(bufferization::ToTensorOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  bool isPadded = llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<tensor::PadOp, tensor::CastOp>(user);
  });
  if (!type.hasStaticShape() || isPadded)
    return success();
  return load(op.getResult(), op.getResult());
}

LogicalResult ToWgConverter::convert(tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  bool zeros = padding && matchPattern(padding, m_AnyZeroFloat());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  bool rowsOnly = type && type.hasStaticShape() && type.getRank() == 2 &&
                  llvm::all_of(op.getMixedLowPad(), isZeroInteger) &&
                  isZeroInteger(op.getMixedHighPad()[1]);
  if (!zeros || !rowsOnly)
    return op.emitOpError() << "expects zeros after the rows of a tile, and a "
                               "static shape";
  return load(op.getResult(), op.getSource());
}

/// Rows of which all are known to exist: what is left of a pad by nothing.
LogicalResult ToWgConverter::convert(tensor::CastOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() || type.getRank() != 2)
    return op.emitOpError() << "expects a static shape of two dimensions";
  return load(op.getResult(), op.getSource());
}

static int64_t elementBytes(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

LogicalResult
ToWgConverter::convert(bufferization::MaterializeInDestinationOp op) {
  auto slice = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  Value tile = slice ? slice.getSource() : op.getSource();
  if (slice && !(slice.hasUnitStride() &&
                 llvm::all_of(slice.getMixedOffsets(), isZeroInteger)))
    return op.emitOpError()
           << "expects the first rows of a tile, got " << slice.getResult();
  FailureOr<Value> value = fragment(tile, op.getLoc());
  if (failed(value))
    return failure();
  Value memref = mapping.lookupOrDefault(op.getDest());
  Value rows = b.createOrFold<memref::DimOp>(op.getLoc(), memref,
                                             static_cast<int64_t>(0));
  if (isa<wg::RowsType>(value->getType()))
    wg::StoreRowsOp::create(b, op.getLoc(), *value, memref, rows);
  else
    wg::StoreOp::create(
        b, op.getLoc(), *value, memref, rows,
        b.getI64IntegerAttr(std::max<int64_t>(bytes, elementBytes(memref))));
  return success();
}
