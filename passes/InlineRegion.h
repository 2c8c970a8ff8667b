// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The regions of an attention op, at a position in a tile.
#ifndef FA_PASSES_INLINEREGION_H
#define FA_PASSES_INLINEREGION_H

#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// A query and a key, which may be padding, and how many there are of both.
struct ScorePosition {
  Value batch, head, query, key;
  Value queryLength, keyLength;
};

/// The score or mask `region` with `leading` arguments, then those of the
/// position. For what reads memory the coordinates of padding are moved to the
/// last position that exists.
Value inlineRegion(OpBuilder &b, Location loc, Region &region,
                   ArrayRef<Value> leading, const ScorePosition &at);

} // namespace mlir::fa

#endif // FA_PASSES_INLINEREGION_H
