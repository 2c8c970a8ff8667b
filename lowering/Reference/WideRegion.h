// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score or mask region, evaluated in a wider type than it was written for.
#ifndef FA_LOWERING_REFERENCE_WIDEREGION_H
#define FA_LOWERING_REFERENCE_WIDEREGION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fa {

/// Clones the one block of `region` at `builder`, with `arguments` for its
/// block arguments, and returns what it yields. Values of type f32 are held as
/// `wide` (f32 or f64); arguments and the result are in that form already.
Value cloneRegionWide(OpBuilder &builder, Region &region, ValueRange arguments,
                      FloatType wide);

} // namespace mlir::fa

#endif // FA_LOWERING_REFERENCE_WIDEREGION_H
