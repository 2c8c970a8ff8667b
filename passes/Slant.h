// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores a * x + c * column + rows of products x, and what their exponents are
// made of (wg-slanted-scores).
#ifndef FA_PASSES_SLANT_H
#define FA_PASSES_SLANT_H

#include "passes/ScoreStep.h"

namespace mlir::fa {
/// What multiplies products and columns.
struct SlantFactors {
  Value a, c;
};

/// What is the same for all elements.
struct Slant {
  /// Of the scores, and what multiplies these in exponents.
  SlantFactors ofScores;
  Value factor;
  /// Of the exponents.
  SlantFactors ofExponents;
  /// How far exponents of the first column may pass 0 for the others' to stay
  /// where they may, and what that is less by for each unit of the reference's
  /// size.
  Value most, margin;
  /// Whether a tile's slant is large; `most` is -inf then.
  Value isSteep;
};

/// Numbers of a row, or an element of each: the largest product, what it adds
/// to exponents, and the reference.
struct SlantedRow {
  Value largest, rest, reference;
};

/// The slant of tiles of so many columns; scores may pass references by
/// `slack`.
Slant buildSlant(OpBuilder &b, Location loc, SlantFactors ofScores,
                 Value factor, Value slack, int64_t columns);

/// Whether a row has large numbers: products upwards, or all of them downwards,
/// or the reference.
Value hasLarge(OpBuilder &b, const Slant &slant, const SlantedRow &row);

/// x * a + (column * c + rest), of exponents: what does not wait for products
/// is first.
Value buildExponent(OpBuilder &b, Location loc, Value x, SlantFactors by,
                    Value column, Value rest);

/// column * c + (x * a + rows), of scores. In this order each step has the
/// element's register: in a branch that few tiles take, none is there to be
/// filled ahead.
Value buildScore(OpBuilder &b, Location loc, Value x, SlantFactors by,
                 Value column, Value rows);

/// Whether some row of the warp has its exponents from its scores.
Value voteOnLate(OpBuilder &b, Location loc, const Slant &slant,
                 const SlantedRow &row);

/// What exponentials read of a warp with such rows: their exponents, with 1 and
/// 0 for the factors and 0 for the rest, and `early`, of products, in others.
ExponentTerms buildLate(OpBuilder &b, Location loc, const Slant &slant,
                        Value rows, const SlantedRow &row,
                        const ExponentTerms &early);
} // namespace mlir::fa

#endif // FA_PASSES_SLANT_H
