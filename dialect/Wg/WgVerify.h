// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that WgVerify.cpp and WgVerifyHopper.cpp share.
#ifndef FA_DIALECT_WG_WGVERIFY_H
#define FA_DIALECT_WG_WGVERIFY_H

#include "dialect/Wg/WgTypes.h"

namespace mlir::wg {
/// K7, for a product with or without an accumulator operand.
LogicalResult verifyProduct(Operation *op, Type a, SmemType b, bool transposeB,
                            FragType acc);
/// Refuses ops of a region that do more than read: K9, K20.
LogicalResult verifyWritesNothing(Operation *op, Block &body);
} // namespace mlir::wg

#endif // FA_DIALECT_WG_WGVERIFY_H
