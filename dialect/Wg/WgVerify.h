// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checks of several groups of ops share, and passes may ask. The
// constraints, K6 and up, are listed in dialect/README.md; each WgVerify file
// names its own.
#ifndef FA_DIALECT_WG_WGVERIFY_H
#define FA_DIALECT_WG_WGVERIFY_H

#include "dialect/Wg/WgTypes.h"

namespace mlir::wg {
/// Refuses ops of a region that do more than read: K9, K20.
LogicalResult verifyWritesNothing(Operation *op, Block &body);

/// The values that take over what `use` reads, as far as loops, branches and
/// turns hand it on: K21, K27.
SmallVector<Value> handedOn(OpOperand &use);

/// Whether `op`, where it is executed, has been in front of `later`, as far as
/// the text shows it.
bool precedes(Operation *op, Operation *later);

/// K37: `frag` can hold columns of `tile` as a product's A operand.
LogicalResult verifyColumnsOf(Operation *op, SmemType tile, FragType frag);

/// K25, for an op on the consumers' side that takes the slot for a tile.
LogicalResult verifyTileConsumer(Operation *op, RingType ring);
} // namespace mlir::wg

#endif // FA_DIALECT_WG_WGVERIFY_H
