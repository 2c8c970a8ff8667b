// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Slant.h"

#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fa;

/// Below it in size what an exponent is the sum of is off by less than what
/// rounding P costs: half of the bound of wg-fast-exp, for two terms.
static constexpr double kHarmless = 2048;
/// From it on the rounding of a reference would move all exponents of a row.
static constexpr double kFarReference = 0x1p22;
/// How far the sides of the branch's comparison are off, in exponents and of
/// the reference's size.
static constexpr double kVoteMargin = 0x1p-9, kVotePrecision = 0x1p-22;

/// Whether `value` is that much, or no number.
static Value isAtLeast(OpBuilder &b, Value value, double least) {
  Location loc = value.getLoc();
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, value,
                               buildNumber(b, loc, least));
}

static Value toFloat(OpBuilder &b, Location loc, Value column) {
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), column);
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), wide);
}

Value mlir::fa::buildExponent(OpBuilder &b, Location loc, Value x,
                              SlantFactors by, Value column, Value rest) {
  Value slant =
      math::FmaOp::create(b, loc, toFloat(b, loc, column), by.c, rest);
  return math::FmaOp::create(b, loc, x, by.a, slant);
}

Value mlir::fa::buildScore(OpBuilder &b, Location loc, Value x, SlantFactors by,
                           Value column, Value rows) {
  Value flat = math::FmaOp::create(b, loc, x, by.a, rows);
  return math::FmaOp::create(b, loc, toFloat(b, loc, column), by.c, flat);
}

/// `value` with the largest finite numbers in the place of infinities.
static Value buildFiniteNumber(OpBuilder &b, Location loc, Value value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  value = arith::MinimumFOp::create(b, loc, value, buildNumber(b, loc, kMost));
  return arith::MaximumFOp::create(b, loc, value, buildNumber(b, loc, -kMost));
}

Slant mlir::fa::buildSlant(OpBuilder &b, Location loc, SlantFactors ofScores,
                           Value factor, Value slack, int64_t columns) {
  auto product = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  Value a = buildFiniteNumber(b, loc, product(factor, ofScores.a));
  Value c = buildFiniteNumber(b, loc, product(factor, ofScores.c));
  Value last = product(c, buildNumber(b, loc, columns - 1));
  Value rise = arith::MaximumFOp::create(b, loc, last, buildNumber(b, loc, 0));
  Value isSteep = isAtLeast(b, math::AbsFOp::create(b, loc, last), kHarmless);
  Value most = arith::SubFOp::create(b, loc, product(factor, slack),
                                     buildNumber(b, loc, kVoteMargin));
  most = arith::SubFOp::create(b, loc, most, rise);
  most = chooseNumber(b, loc, isSteep, -std::numeric_limits<double>::infinity(),
                      most);
  Value margin = product(factor, buildNumber(b, loc, -kVotePrecision));
  return {ofScores, factor, {a, c}, most, margin, isSteep};
}

Value mlir::fa::hasLarge(OpBuilder &b, const Slant &slant,
                         const SlantedRow &row) {
  Location loc = row.largest.getLoc();
  Value share = arith::MulFOp::create(b, loc, row.largest, slant.ofExponents.a);
  Value upwards = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                        share, buildNumber(b, loc, kHarmless));
  Value downwards = isAtLeast(b, row.rest, kHarmless / 2);
  Value size = math::AbsFOp::create(b, loc, row.reference);
  Value far = isAtLeast(b, size, kFarReference);
  Value ofProducts = arith::OrIOp::create(b, loc, upwards, downwards);
  return arith::OrIOp::create(b, loc, ofProducts, far);
}

/// Whether a row's exponents come from its scores: it has large numbers, or the
/// slant is large. Of other rows all that counts in an exponent is below 2^12
/// in size: it is off by less than what rounding P costs, and exponents of
/// products that are larger downwards are below -kHarmless / 2.
static Value isLate(OpBuilder &b, const Slant &slant, const SlantedRow &row) {
  return arith::OrIOp::create(b, row.largest.getLoc(), hasLarge(b, slant, row),
                              slant.isSteep);
}

Value mlir::fa::voteOnLate(OpBuilder &b, Location loc, const Slant &slant,
                           const SlantedRow &row) {
  return buildVote(b, loc, {row.largest, row.rest, row.reference},
                   [&](OpBuilder &at, ValueRange args) {
                     return isLate(at, slant, {args[0], args[1], args[2]});
                   });
}

/// `value` of each row, `late` in those whose exponents come from scores.
static Value chooseRows(OpBuilder &b, Location loc, const Slant &slant,
                        const SlantedRow &row, Value value, double late) {
  return buildMap(
      b, loc, value.getType(), {value, row.largest, row.rest, row.reference},
      [&](OpBuilder &at, ValueRange args) {
        Value takes = isLate(at, slant, {args[1], args[2], args[3]});
        return chooseNumber(at, loc, takes, late, args[0]);
      });
}

ExponentTerms mlir::fa::buildLate(OpBuilder &b, Location loc,
                                  const Slant &slant, Value rows,
                                  const SlantedRow &row,
                                  const ExponentTerms &early) {
  // Of other rows a 0: with the rows themselves these would be the scores that
  // the maxima were taken of, and LLVM would keep all of them in registers.
  rows = buildMap(
      b, loc, rows.getType(), {rows, row.largest, row.rest, row.reference},
      [&](OpBuilder &at, ValueRange args) -> Value {
        Value takes = isLate(at, slant, {args[1], args[2], args[3]});
        return arith::SelectOp::create(at, loc, takes, args[0],
                                       buildNumber(at, loc, 0));
      });
  Value operands[] = {early.tile, rows, row.largest, row.rest, row.reference};
  Value tile = buildTileMap(
      b, loc, early.tile.getType(), operands,
      [&](OpBuilder &at, ValueRange args) -> Value {
        Value score =
            buildScore(at, loc, args[0], slant.ofScores, args[6], args[1]);
        Value less = arith::SubFOp::create(at, loc, score, args[4]);
        Value late = arith::MulFOp::create(at, loc, less, slant.factor);
        Value takes = isLate(at, slant, {args[2], args[3], args[4]});
        return arith::SelectOp::create(at, loc, takes, late, args[0]);
      });
  auto choose = [&](unsigned term, double late) {
    return chooseRows(b, loc, slant, row, early.rows[term], late);
  };
  return {tile, {choose(0, 1), choose(1, 0), choose(2, 0)}, {}};
}
