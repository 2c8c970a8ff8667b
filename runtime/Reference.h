// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in float64 by its definition (no regions), the unfused
// low-precision computation that its element-wise criterion compares with, and
// the criterion. Shares nothing with the compiler.
#ifndef FA_RUNTIME_REFERENCE_H
#define FA_RUNTIME_REFERENCE_H

#include "runtime/fa_runtime.h"

#include <functional>
#include <optional>
#include <vector>

namespace fa::rt {

/// The element at (batch, head, position, d) is data[b*batch + h*head + i*row +
/// d].
struct HeadsView {
  const uint16_t *data = nullptr;
  int64_t batch = 0, head = 0, row = 0;
};

struct AttentionProblem {
  fa_type type = FA_F16; // of q, k and v: FA_F16 or FA_BF16
  int64_t batch = 0, heads = 0, kvHeads = 0;
  int64_t queries = 0, keys = 0; // extents; all rows in the packed form
  int64_t headDim = 0, valueDim = 0;
  HeadsView q, k, v; // packed: batch = 0, rows count from the start of all
  float scale = 1;
  bool bottomRight = false, causal = false;
  std::optional<int64_t> left, right;
  std::vector<int32_t> qLengths, kvLengths; // empty = none
  std::vector<int32_t> qOffsets, kvOffsets; // both or none
  std::vector<float> sink;                  // empty = none

  bool isPacked() const { return !qOffsets.empty(); }
  /// How many queries and keys sequence b has.
  int64_t queryCount(int64_t b) const;
  int64_t keyCount(int64_t b) const;
  /// Rows of sequence b that are written: all of the extent in the padded form.
  int64_t rowCount(int64_t b) const;
  /// Where query i of sequence b stands among the rows of q and o.
  int64_t rowIndex(int64_t b, int64_t i) const;

  /// The keys [first, last) that query i of sequence b keeps.
  void keptKeys(int64_t b, int64_t i, int64_t &first, int64_t &last) const;
  /// All pairs of a query and a key that it keeps, over all heads.
  double attendedPairs() const;
};

/// A query row; i counts within its sequence.
struct RowId {
  int64_t b, h, i;
};

struct RowValues {
  std::vector<double> o;   // [rows][valueDim]
  std::vector<double> lse; // [rows]
  std::vector<double> low; // [rows][valueDim]: S, P and O rounded to the type
  double maxScore = 0;     // the largest |s| of a kept key
};

/// Evaluates the rows. Rows of one (batch, key/value head) should stand
/// together. `progress` is told the fraction done, from several threads.
RowValues evaluateRows(const AttentionProblem &problem,
                       const std::vector<RowId> &rows,
                       const std::function<void(double)> &progress = {});

/// semantics.md, "Accuracy".
struct Accuracy {
  double frobenius = 0, frobeniusLimit = 0; // relative
  double largest = 0, largestLimit = 0;     // element-wise
  int64_t notFinite = 0; // elements that are not finite where they must be
  bool ok() const;
  /// For scores that a region has changed, the largest of them `maxScore`. By
  /// the definition they are f32: where rounding that one alone goes beyond the
  /// relative limit, what the region added to it is lost in every evaluation
  /// but the float64 one, and the limit is none.
  void allowForRoundedScores(double maxScore);
};
/// `type` is that of q, k and v, `outType` that of o: what is smaller than its
/// normal numbers, o cannot hold to that relative error.
Accuracy judgeOutput(const double *out, const double *reference,
                     const double *low, size_t count, fa_type type,
                     fa_type outType);

struct LseAccuracy {
  double largest = 0, limit = 0;
  int64_t wrongInfinity = 0; // -inf on one side only, or not a number
  bool ok() const;
};
LseAccuracy judgeLse(const double *out, const double *reference, size_t count,
                     double maxScore);

} // namespace fa::rt

#endif
