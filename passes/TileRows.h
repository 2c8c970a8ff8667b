// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between memrefs and tiles: rows that exist are moved, tiles have all of
// theirs. The memrefs are of rank 4, [1, 1, n, D] or [1, n, 1, D], or of rank 3
// and hold one value a row, [1, 1, n]; `seq` is the dimension of n.
#ifndef FA_PASSES_TILEROWS_H
#define FA_PASSES_TILEROWS_H

#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// `rows` rows of a memref from `first` on as a tile [tile, D]; rows that do
/// not exist are zero.
Value loadRows(OpBuilder &b, Location loc, Value source, unsigned seq,
               Value first, Value rows, int64_t tile);

/// Writes the first `rows` rows of a tile, or values of a row vector, to a
/// memref.
void storeRows(OpBuilder &b, Location loc, Value tile, Value destination,
               unsigned seq, Value rows);

} // namespace mlir::fa

#endif // FA_PASSES_TILEROWS_H
