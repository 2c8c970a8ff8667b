// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which key tiles of a loop a mask leaves, and which of them it keeps whole:
// arithmetic on keys, in front of the loop. For a tile of queries [i0, i0 + M)
// and a mask with bounds L (left) and R (right), with d = i + off the diagonal
// of row i:
//
//   a key j can be kept by some row only if  d(first) - L <= j <= d(last) + R,
//   and is kept by every row        if       d(last) - L <= j <= d(first) + R,
//
// and always j < Sk. The first line bounds the loop, the second tells the tiles
// that need no mask.
#ifndef FA_PASSES_KEYRANGES_H
#define FA_PASSES_KEYRANGES_H

#include "passes/MaskStep.h"

namespace mlir::fa {

/// The key tiles of a loop told apart, in keys: visited are [begin, end), and
/// a tile that lies within [fullBegin, fullEnd) needs no mask.
struct KeyRanges {
  Value begin, end, fullBegin, fullEnd;
};

/// Some of the loop's iterations, all masked or none.
struct KeyPart {
  Value from, to;
  bool masked;
};

KeyRanges findRanges(OpBuilder &b, MaskStep step);

/// Whether the ranges say statically that no tile needs the mask.
bool neverMasks(MaskStep step, KeyRanges ranges);

/// Whether the last tile alone needs the mask: the others end in front of the
/// tile's first query, or of the last key.
bool onlyLastMasks(MaskStep step);

/// Three parts of the loop: masked tiles, kept ones, masked ones. Where the
/// mask has no left bound the first of them is left out. Backward, their order
/// is the other one as well.
SmallVector<KeyPart> splitRange(OpBuilder &b, MaskStep step, KeyRanges ranges,
                                bool backward);

/// Where the last tile of [begin, end) begins, tiles counted from `begin`.
Value lastTile(OpBuilder &b, Location loc, Value begin, Value end,
               int64_t tile);

/// Whether the tile at `key` reaches past `end`.
Value reachesPast(OpBuilder &b, Location loc, MaskStep step, Value key,
                  Value end);

} // namespace mlir::fa

#endif // FA_PASSES_KEYRANGES_H
