// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What mask layers mean: a band around the diagonal, lengths, or conditions
// that only a mask region can say.
#ifndef FA_PASSES_RAISE_MASKS_H
#define FA_PASSES_RAISE_MASKS_H

#include "passes/Raise/Plan.h"

#include <vector>

namespace mlir::fa::raising {

/// One condition of a conjunction.
struct Condition {
  Expr *expr;     // i1, as far expanded as it was looked at
  Expr *original; // the Load that it was read from, if any
  bool negated = false;
};

struct Masks {
  std::optional<int64_t> left, right; // keeps i - left <= j <= i + right
  /// Keeps j < lengths + extra; a Load or Scalar, or null and `extra` alone.
  bool hasLengths = false;
  Expr *lengths = nullptr;
  int64_t extra = 0;
  llvm::SmallVector<Condition> conditions; // for the mask region
  MaskAttr attribute;                      // the band
};

/// The stricter of two bounds.
inline void tighten(std::optional<int64_t> &bound, int64_t value) {
  bound = bound ? std::min(*bound, value) : value;
}

class MaskReader {
public:
  MaskReader(Graph &graph, const Plan &plan);

  /// Reads all layers.
  Masks read(ArrayRef<MaskLayer> layers);
  /// Whether every row keeps a key under these layers, whatever the data.
  bool keepsInEachRow(ArrayRef<MaskLayer> layers);

private:
  struct Linear {
    llvm::DenseMap<Axis *, int64_t> factors;
    int64_t constant = 0;
    Expr *data = nullptr;
    int64_t dataFactor = 0;
  };
  void split(Expr *expr, bool negated, Expr *original,
             llvm::SmallVectorImpl<Condition> &all);
  bool splitComparison(Expr *expr, bool negated, Expr *original,
                       llvm::SmallVectorImpl<Condition> &all);
  bool addLinear(Expr *expr, int64_t factor, Linear &sum);
  std::optional<Linear> atLeastZero(const Condition &condition);
  bool asBand(const Condition &condition, Masks &masks);
  bool asTable(const Condition &condition, Masks &masks);
  bool bandOf(const std::vector<char> &kept, Masks &masks);
  std::optional<std::vector<char>> table(const Condition &condition);
  std::optional<double> valueAt(Expr *expr);
  std::optional<double> literalAt(Expr *expr);
  std::optional<int64_t> positionOf(const Coord &at);
  int64_t factorIn(const Linear &sum, const Axes &axes, bool &whole);
  bool isPositional(Expr *expr);
  void setAttribute(Masks &masks);

  Graph &graph;
  const Plan &plan;
  int64_t rows, keys; // extents, or kDynamic
  llvm::DenseMap<Axis *, int64_t> position;
  llvm::DenseMap<Expr *, std::vector<double>> literals;
};

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_MASKS_H
