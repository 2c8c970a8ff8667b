// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TileBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::fa;

Value TileBuilder::constant(double value) {
  return arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

Value TileBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}

Value TileBuilder::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(loc, x, y);
}

Value TileBuilder::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(loc, x, y);
}

Value TileBuilder::dim(Value memref, int64_t dim) {
  return getValueOrCreateConstantIndexOp(
      b, loc, memref::getMixedSize(b, loc, memref, dim));
}

Value TileBuilder::fill(ArrayRef<int64_t> shape, Type type, double value) {
  Value init = tensor::EmptyOp::create(b, loc, shape, type);
  Value scalar = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  return linalg::FillOp::create(b, loc, scalar, init).getResult(0);
}

Value TileBuilder::padRows(Value tensor, Value missing, int64_t rows) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  auto padded = RankedTensorType::get({rows, type.getDimSize(1)}, element);
  if (type == padded)
    return tensor;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  OpFoldResult none = b.getIndexAttr(0);
  return tensor::PadOp::create(
      b, loc, padded, tensor, ArrayRef<OpFoldResult>{none, none},
      ArrayRef<OpFoldResult>{getAsOpFoldResult(missing), none}, zero);
}

Value TileBuilder::matmul(Value a, Value bTile, Value init, bool transposeB) {
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  auto map = [&](AffineExpr x, AffineExpr y) {
    return AffineMap::get(3, 0, {x, y}, b.getContext());
  };
  SmallVector<AffineMap> maps{map(m, k), transposeB ? map(n, k) : map(k, n),
                              map(m, n)};
  auto op =
      linalg::MatmulOp::create(b, loc, ValueRange{a, bTile}, ValueRange{init});
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  return op.getResult(0);
}

Value TileBuilder::generic(StringRef step, Value init, ArrayRef<Value> inputs,
                           ArrayRef<AffineMap> maps,
                           ArrayRef<utils::IteratorType> iterators, Body body) {
  auto op = linalg::GenericOp::create(
      b, loc, TypeRange(init.getType()), inputs, ValueRange{init}, maps,
      iterators, [&](OpBuilder &nested, Location loc, ValueRange args) {
        // Index arithmetic of the body lands in the body.
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(nested.getInsertionBlock(),
                            nested.getInsertionPoint());
        Value result = body(b, args);
        linalg::YieldOp::create(b, loc, result);
      });
  op->setAttr("fa.step", b.getStringAttr(step));
  return op.getResult(0);
}

Value TileBuilder::mapInPlace(StringRef step, Value init,
                              ArrayRef<Value> inputs, Body body) {
  unsigned rank = cast<RankedTensorType>(init.getType()).getRank();
  auto identity = AffineMap::getMultiDimIdentityMap(rank, b.getContext());
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    unsigned inputRank = cast<RankedTensorType>(input.getType()).getRank();
    maps.push_back(identity.getMajorSubMap(inputRank));
  }
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return generic(step, init, inputs, maps, iterators, body);
}

Value TileBuilder::map(StringRef step, ArrayRef<int64_t> shape, Type type,
                       ArrayRef<Value> inputs, Body body) {
  Value init = tensor::EmptyOp::create(b, loc, shape, type);
  return mapInPlace(step, init, inputs, body);
}

Value TileBuilder::truncate(StringRef step, Value tile, Type type) {
  auto from = cast<RankedTensorType>(tile.getType());
  return map(step, from.getShape(), type, {tile},
             [&](OpBuilder &nested, ValueRange args) -> Value {
               return arith::TruncFOp::create(nested, loc, type, args[0]);
             });
}

Value TileBuilder::reduceRows(StringRef step, Value tile, Value init,
                              Combiner combine) {
  AffineExpr row, column;
  bindDims(b.getContext(), row, column);
  SmallVector<AffineMap> maps{
      AffineMap::get(2, 0, {row, column}, b.getContext()),
      AffineMap::get(2, 0, {row}, b.getContext())};
  return generic(
      step, init, {tile}, maps,
      {utils::IteratorType::parallel, utils::IteratorType::reduction},
      [&](OpBuilder &nested, ValueRange args) {
        return combine(nested, loc, args[0], args[1]);
      });
}
