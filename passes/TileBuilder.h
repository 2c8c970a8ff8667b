// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short ways to build what online softmax is made of: index arithmetic, and
// linalg on tiles of static size. A tile is tensor<rows x columns>, a row
// vector tensor<rows>; a row vector beside a tile stands for its value in each
// column.
#ifndef FA_PASSES_TILEBUILDER_H
#define FA_PASSES_TILEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fa {

class TileBuilder {
public:
  /// Builds at `b`'s insertion point; inside the body of a map, pass the nested
  /// builder to ops: index arithmetic then lands there as well, since `b` is
  /// moved along.
  TileBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  using Body = function_ref<Value(OpBuilder &, ValueRange)>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// An f32 constant.
  Value constant(double value);
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  Value cmp(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// Extent of a memref, a constant where it is static.
  Value dim(Value memref, int64_t dim);

  /// A tile or row vector that holds `value` everywhere.
  Value fill(ArrayRef<int64_t> shape, Type type, double value);
  /// `tensor` [n, d] with `missing` rows of zeros after it, so that it has
  /// `rows` in all.
  Value padRows(Value tensor, Value missing, int64_t rows);
  /// a [m, k] times b ([k, n], or [n, k] where transposed), added to `init`.
  Value matmul(Value a, Value bTile, Value init, bool transposeB);
  /// A new tile from `inputs` element by element. `body` gets an element of
  /// each input, then one of the destination. `step` names what it is for the
  /// reader; nothing depends on it.
  Value map(StringRef step, ArrayRef<int64_t> shape, Type type,
            ArrayRef<Value> inputs, Body body);
  /// The same, overwriting `init`, whose element is the last one of `body`'s.
  Value mapInPlace(StringRef step, Value init, ArrayRef<Value> inputs,
                   Body body);
  /// `tile` in a narrower float type.
  Value truncate(StringRef step, Value tile, Type type);
  /// Joins each row of `tile` to the row's value in `init` by `Combine`.
  template <typename Combine>
  Value reduceRows(StringRef step, Value tile, Value init) {
    return reduceRows(
        step, tile, init,
        [](OpBuilder &b, Location loc, Value x, Value y) -> Value {
          return Combine::create(b, loc, x, y);
        });
  }

private:
  using Combiner = function_ref<Value(OpBuilder &, Location, Value, Value)>;
  Value reduceRows(StringRef step, Value tile, Value init, Combiner combine);
  Value generic(StringRef step, Value init, ArrayRef<Value> inputs,
                ArrayRef<AffineMap> maps,
                ArrayRef<utils::IteratorType> iterators, Body body);

  OpBuilder &b;
  Location loc;
};

} // namespace mlir::fa

#endif // FA_PASSES_TILEBUILDER_H
