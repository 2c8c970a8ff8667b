// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates as sums: of what is the same for a whole tile, what is small and
// differs between threads, and a constant, which alone differs between the
// elements that one thread holds.
#ifndef FA_LOWERING_WGTONVVM_INDEXSUM_H
#define FA_LOWERING_WGTONVVM_INDEXSUM_H

#include "lowering/WgToNvvm/Emit.h"

namespace mlir::wg {

/// Sums of small terms and constants stay below this.
inline constexpr int64_t kSmall = int64_t(1) << 24;

/// A sum of index values, or of i32 values made from them, sorted by size. Such
/// sums are taken not to overflow.
struct IndexSum {
  /// A value and its sign, 1 or -1.
  using Term = std::pair<Value, int>;

  int64_t constant = 0;
  /// i32 or index values below kSmall.
  SmallVector<Term> small;
  /// i32 values that are clamped to as little.
  SmallVector<Term> clamped;
  /// All others.
  SmallVector<Term> large;
  int64_t smallBound = 0;

  void add(Value value, int sign);

  /// Whether there are small terms, and those and the constant are below
  /// kSmall together.
  bool isNarrow() const;
};

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_INDEXSUM_H
