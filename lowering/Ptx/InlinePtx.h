// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only place that builds `llvm.inline_asm`.
#ifndef FA_LOWERING_PTX_INLINEPTX_H
#define FA_LOWERING_PTX_INLINEPTX_H

#include "lowering/Ptx/PtxTable.h"
#include "lowering/Ptx/Wgmma.h"

#include "mlir/IR/Builders.h"

namespace mlir::fa::ptx {

/// Builds `row` with `operands` for its inputs, and returns one value for each
/// of `resultTypes`, its outputs in order.
SmallVector<Value> buildInlinePtx(OpBuilder &builder, Location loc,
                                  const Row &row, TypeRange resultTypes,
                                  ValueRange operands);

/// The same for a text that has its shape in it. It reads or writes memory, and
/// the whole warp executes it together.
SmallVector<Value> buildInlinePtx(OpBuilder &builder, Location loc,
                                  const ShapedPtx &ptx, TypeRange resultTypes,
                                  ValueRange operands);

} // namespace mlir::fa::ptx

#endif // FA_LOWERING_PTX_INLINEPTX_H
