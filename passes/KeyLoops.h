// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a key loop whose tiles are told apart: its mask goes away or
// under a test, the loop is turned around, split, or loses its last tile. Each
// visits the same tiles and does the same to them but for the mask.
#ifndef FA_PASSES_KEYLOOPS_H
#define FA_PASSES_KEYLOOPS_H

#include "passes/KeyRanges.h"

namespace mlir::fa {

/// No tile of the loop needs its mask.
void dropMask(MaskStep step);

/// Puts the mask under a test for tiles that are not wholly kept.
void guardMask(MaskStep step, KeyRanges ranges);

/// Makes `loop` visit its key tiles from the last to the first: its counter
/// stays as it is, the key that the body sees is the one from the other end.
void reverseLoop(scf::ForOp loop, int64_t tile);

/// A loop for each part of the ranges in the place of the loop.
void splitLoop(MaskStep step, KeyRanges ranges, bool backward);

/// The last tile in front of the loops over the others, which visit theirs
/// backward, all of it where there is a tile at all. `drops`: no tile needs its
/// mask.
void peelLast(MaskStep step, KeyRanges ranges, bool drops);

} // namespace mlir::fa

#endif // FA_PASSES_KEYLOOPS_H
