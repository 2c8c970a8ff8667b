// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/OnlineSoftmax.h"

using namespace mlir;
using namespace mlir::fa;

OnlineSoftmax::OnlineSoftmax(AttentionOp op, OpBuilder &b)
    : op(op), b(b), t(b, op.getLoc()), loc(op.getLoc()), f32(b.getF32Type()),
      queryTile(op.getSchedule()->getQueryTile()) {}

bool OnlineSoftmax::scalesExponent() {
  return !op.hasScoreRegion() && op.getScaleOrDefault() > 0;
}

/// The softmax's exponentials may be approximate, those of regions may not.
Value OnlineSoftmax::exp(OpBuilder &nested, Value x) {
  return math::ExpOp::create(nested, loc, x, arith::FastMathFlags::afn);
}

/// exp(x - y) for scores x and y, scaled where they are not yet.
Value OnlineSoftmax::expOfDifference(OpBuilder &nested, Value x, Value y) {
  Value d = arith::SubFOp::create(nested, loc, x, y);
  if (scalesExponent())
    d = arith::MulFOp::create(nested, loc, d, op.getScaleValue());
  return exp(nested, d);
}

static Value product(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}

//===----------------------------------------------------------------------===//
// The key loop
//===----------------------------------------------------------------------===//

SoftmaxState OnlineSoftmax::start() {
  Value max = t.fill({queryTile}, f32, -INFINITY);
  Value sum = t.fill({queryTile}, f32, 0.0);
  Value acc = t.fill({queryTile, op.getVDim()}, f32, 0.0);
  return {max, sum, acc};
}

/// What the exponents are taken against: the new row max, with 0 in the place
/// of -inf. A row without a kept key so far then has exp(-inf - 0) = 0
/// everywhere, and no inf - inf.
Value OnlineSoftmax::reference(Value max, Value tileMax) {
  return t.map("reference", {queryTile}, f32, {max, tileMax},
               [&](OpBuilder &nested, ValueRange args) -> Value {
                 Value both =
                     arith::MaximumFOp::create(nested, loc, args[0], args[1]);
                 Value empty = arith::CmpFOp::create(
                     nested, loc, arith::CmpFPredicate::OEQ, both,
                     t.constant(-INFINITY));
                 return arith::SelectOp::create(nested, loc, empty,
                                                t.constant(0.0), both);
               });
}

SoftmaxState OnlineSoftmax::step(SoftmaxState state, Value scores,
                                 function_ref<Value()> loadValues) {
  Value lowest = t.fill({queryTile}, f32, -INFINITY);
  Value tileMax = t.reduceRows<arith::MaximumFOp>("row_max", scores, lowest);
  Value against = reference(state.max, tileMax);
  Value p = t.mapInPlace("exp", scores, {against},
                         [&](OpBuilder &nested, ValueRange args) -> Value {
                           return expOfDifference(nested, args[1], args[0]);
                         });
  Value alpha = t.map("alpha", {queryTile}, f32, {state.max, against},
                      [&](OpBuilder &nested, ValueRange args) -> Value {
                        return expOfDifference(nested, args[0], args[1]);
                      });
  // The old max is overwritten only here, after alpha has read it.
  Value newMax = t.mapInPlace(
      "new_max", state.max, {tileMax}, [&](OpBuilder &nested, ValueRange args) {
        return arith::MaximumFOp::create(nested, loc, args[0], args[1]);
      });
  auto rescale = [&](OpBuilder &nested, ValueRange args) -> Value {
    return product(nested, loc, args[0], args[1]);
  };
  Value scaledSum = t.mapInPlace("rescale_sum", state.sum, {alpha}, rescale);
  Value sum = t.reduceRows<arith::AddFOp>("row_sum", p, scaledSum);
  Value rounded = t.truncate("round", p, op.getVType().getElementType());
  Value v = loadValues();
  Value scaledAcc = t.mapInPlace("rescale_acc", state.acc, {alpha}, rescale);
  Value acc = t.matmul(rounded, v, scaledAcc, /*transposeB=*/false);
  return {newMax, sum, acc};
}

//===----------------------------------------------------------------------===//
// After the loop
//===----------------------------------------------------------------------===//

SoftmaxState OnlineSoftmax::scaleMax(SoftmaxState state) {
  state.max = t.mapInPlace(
      "scale_max", state.max, {}, [&](OpBuilder &nested, ValueRange args) {
        return product(nested, loc, args[0], op.getScaleValue());
      });
  return state;
}

SoftmaxState OnlineSoftmax::joinSink(SoftmaxState state) {
  Value sink = memref::LoadOp::create(b, loc, op.getSink(), t.index(0));
  auto newMax = [&](OpBuilder &nested, Value max) -> Value {
    return arith::MaximumFOp::create(nested, loc, max, sink);
  };
  auto expOf = [&](OpBuilder &nested, Value x, Value max) -> Value {
    Value lowest = t.constant(-INFINITY);
    Value none = arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OEQ,
                                       x, lowest);
    Value d = arith::SubFOp::create(nested, loc, x, max);
    Value e = exp(nested, d);
    return arith::SelectOp::create(nested, loc, none, t.constant(0.0), e);
  };
  Value alpha = t.map("sink_alpha", {queryTile}, f32, {state.max},
                      [&](OpBuilder &nested, ValueRange args) {
                        return expOf(nested, args[0], newMax(nested, args[0]));
                      });
  Value sum =
      t.mapInPlace("sink_sum", state.sum, {alpha, state.max},
                   [&](OpBuilder &nested, ValueRange args) -> Value {
                     Value own = product(nested, loc, args[0], args[2]);
                     Value added = expOf(nested, sink, newMax(nested, args[1]));
                     return arith::AddFOp::create(nested, loc, own, added);
                   });
  Value acc = t.mapInPlace("sink_acc", state.acc, {alpha},
                           [&](OpBuilder &nested, ValueRange args) {
                             return product(nested, loc, args[0], args[1]);
                           });
  Value max = t.mapInPlace("sink_max", state.max, {},
                           [&](OpBuilder &nested, ValueRange args) {
                             return newMax(nested, args[0]);
                           });
  return {max, sum, acc};
}

Value OnlineSoftmax::isZero(OpBuilder &nested, Value sum) {
  return arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OEQ, sum,
                               t.constant(0.0));
}

Value OnlineSoftmax::normalize(Value acc, Value sum, bool mayBeAny) {
  Value inverse = t.map(
      "inverse", {queryTile}, f32, {sum},
      [&](OpBuilder &nested, ValueRange args) -> Value {
        Value one = t.constant(1.0);
        Value quotient = arith::DivFOp::create(nested, loc, one, args[0]);
        return arith::SelectOp::create(nested, loc, isZero(nested, args[0]),
                                       t.constant(0.0), quotient);
      });
  SmallVector<Value> factors{inverse};
  if (mayBeAny)
    factors.push_back(sum);
  Value o = t.mapInPlace(
      "normalize", acc, factors,
      [&](OpBuilder &nested, ValueRange args) -> Value {
        Value scaled = product(nested, loc, args.back(), args[0]);
        if (!mayBeAny)
          return scaled;
        return arith::SelectOp::create(nested, loc, isZero(nested, args[1]),
                                       t.constant(0.0), scaled);
      });
  Type element = op.getOutputType().getElementType();
  return element.isF32() ? o : t.truncate("round", o, element);
}

Value OnlineSoftmax::logSumExp(Value max, Value sum) {
  return t.map(
      "lse", {queryTile}, f32, {sum, max},
      [&](OpBuilder &nested, ValueRange args) -> Value {
        Value log = math::LogOp::create(nested, loc, args[0]);
        Value joined = arith::AddFOp::create(nested, loc, args[1], log);
        return arith::SelectOp::create(nested, loc, isZero(nested, args[0]),
                                       t.constant(-INFINITY), joined);
      });
}
