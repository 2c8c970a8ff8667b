// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_TILECOUNT_H
#define FA_LOWERING_TILECOUNT_H

#include "dialect/Fa/FaDialect.h"

#include <optional>

namespace mlir::fa {

/// What a mask leaves of the scores of one head.
struct TileCount {
  /// Pairs of a query tile and a key tile: all, those that some row needs, and
  /// those of them in which a mask drops something.
  int64_t all = 0, visited = 0, masked = 0;
  /// Pairs of a query and a key.
  int64_t kept = 0;
};

/// Counts for an op with a schedule; nothing where sizes are dynamic, or the
/// sequences packed.
std::optional<TileCount> countTiles(AttentionOp op);

} // namespace mlir::fa

#endif // FA_LOWERING_TILECOUNT_H
