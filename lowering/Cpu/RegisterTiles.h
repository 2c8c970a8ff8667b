// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which block of a matrix product is kept in vector registers: a table.
#ifndef FA_LOWERING_CPU_REGISTERTILES_H
#define FA_LOWERING_CPU_REGISTERTILES_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::fa {

/// A block of `mr` rows and `nr` columns of f32 accumulators.
struct RegisterTile {
  int64_t mr;
  int64_t nr;
};

/// `count` blocks of one kind side by side.
struct Segment {
  RegisterTile tile;
  int64_t count;
  int64_t width() const { return tile.nr * count; }
};

/// Cuts an m x n result into segments that together have n columns, at the
/// least cost by the table for `vectorBits`; every `mr` divides m. Empty where
/// n is no positive multiple of 8 or there is no table for that width.
llvm::SmallVector<Segment> chooseRegisterTiles(unsigned vectorBits, int64_t m,
                                               int64_t n);

/// The largest divisor of n that is at most `limit`.
int64_t largestDivisorUpTo(int64_t n, int64_t limit);

} // namespace mlir::fa

#endif // FA_LOWERING_CPU_REGISTERTILES_H
