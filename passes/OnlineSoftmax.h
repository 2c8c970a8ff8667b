// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Online softmax over the key tiles of one query tile: what is carried from one
// key tile to the next, a step, and what is made of it after the last one.
//
// The order of the steps is the one that lets each of them bufferise in place:
// a row vector is overwritten only after its last reader.
#ifndef FA_PASSES_ONLINESOFTMAX_H
#define FA_PASSES_ONLINESOFTMAX_H

#include "dialect/Fa/FaDialect.h"
#include "passes/TileBuilder.h"

namespace mlir::fa {

/// Row max and row sum [queries], and the accumulator [queries, Dv].
struct SoftmaxState {
  Value max, sum, acc;
};

class OnlineSoftmax {
public:
  /// Builds at `b`'s insertion point.
  OnlineSoftmax(AttentionOp op, OpBuilder &b);

  /// Where the scale is positive and nothing but the mask stands between the
  /// scores and the softmax, row max and row sum may be taken of Q K^T itself,
  /// and the scale multiplies the exponents only.
  bool scalesExponent();

  /// Before the first key tile.
  SoftmaxState start();
  /// Joins a tile of scores, -inf where masked, and the tile of V that
  /// `loadValues` makes.
  SoftmaxState step(SoftmaxState state, Value scores,
                    function_ref<Value()> loadValues);
  /// After the last key tile: the row max in the domain of the scores.
  SoftmaxState scaleMax(SoftmaxState state);
  /// The sink is a logit without a value row: it joins the max and the sum.
  SoftmaxState joinSink(SoftmaxState state);

  /// acc / sum, 0 where the sum is: for rows that kept no key. `mayBeAny`: so
  /// may rows of the accumulator whose sum is 0.
  Value normalize(Value acc, Value sum, bool mayBeAny);
  /// max + ln(sum), -inf where the sum is 0.
  Value logSumExp(Value max, Value sum);

private:
  Value exp(OpBuilder &nested, Value x);
  Value expOfDifference(OpBuilder &nested, Value x, Value y);
  Value reference(Value max, Value tileMax);
  Value isZero(OpBuilder &nested, Value sum);

  AttentionOp op;
  OpBuilder &b;
  TileBuilder t;
  Location loc;
  Type f32;
  int64_t queryTile;
};

} // namespace mlir::fa

#endif // FA_PASSES_ONLINESOFTMAX_H
