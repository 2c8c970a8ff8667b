// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op's definition as a loop nest, in one of two precisions.
#ifndef FA_LOWERING_REFERENCE_DEFINITION_H
#define FA_LOWERING_REFERENCE_DEFINITION_H

#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

namespace mlir::fa {

/// Writes the definition in the place of an op.
class Definition {
public:
  /// `low`: sums in `wide` = f32, with S, P and O rounded to the input's type;
  /// else nothing is rounded.
  Definition(AttentionOp op, FloatType wide, bool low)
      : op(op), wide(wide), low(low), b(op.getLoc(), op),
        narrow(op.getQType().getElementType()) {}

  void build();

private:
  /// One row of the output: where it stands and how long its two sequences are.
  struct Row {
    Value batch, head, query;
    /// The place of the row, and of key 0, along the sequence dimension.
    Value queryPlace, keyPlace;
    Value queryLength, keyLength;
  };

  void buildPackedRow(Value head, Value token, Value sums);
  void buildRow(Row row, Value sums);

  Value keep(const Row &row, Value key);
  Value score(const Row &row, Value key);
  Value dot(const Row &row, Value key);
  Value maximum(const Row &row);
  Value sumOfExponentials(const Row &row, Value max);
  void addValues(const Row &row, Value max, Value sum, Value sums);
  void store(const Row &row, Value max, Value sum, Value sums);

  // DefinitionPlaces.cpp
  Value keyHead(Value head);
  Value load(Value memref, Value batch, Value head, Value place, Value d);
  SmallVector<Value> place(Value batch, Value head, Value place);
  Value lengthOr(Value lengths, Value batch, Value extent);
  Value clamp(Value length, Value extent);
  Value rounded(Value x);

  /// A loop over the keys that `row` keeps, carrying `init`.
  Value forKeptKeys(const Row &row, Value init,
                    function_ref<Value(Value key, Value carried)> body);
  void forEachSum(function_ref<void(Value d)> body);

  Value index(int64_t i) { return arith::ConstantIndexOp::create(b, i); }
  Value real(double x) {
    return arith::ConstantOp::create(b, b.getFloatAttr(wide, x));
  }
  Value minusInfinity() {
    return real(-std::numeric_limits<double>::infinity());
  }
  Value extent(Value memref, int64_t dim) {
    return memref::DimOp::create(b, memref, dim);
  }
  Value isInt(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value isReal(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value toWide(Value x) {
    return x.getType() == wide ? x : arith::ExtFOp::create(b, wide, x);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value exp(Value x) { return math::ExpOp::create(b, x); }

  AttentionOp op;
  FloatType wide;
  bool low;
  ImplicitLocOpBuilder b;
  Type narrow;
};

} // namespace mlir::fa

#endif // FA_LOWERING_REFERENCE_DEFINITION_H
