// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the `wg` dialect: shared tiles and rings, fragments and rows.
#ifndef FA_DIALECT_WG_WGTYPES_H
#define FA_DIALECT_WG_WGTYPES_H

#include "dialect/Target/FragmentLayout.h"
#include "dialect/Target/SharedLayout.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

#include "dialect/Wg/WgEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Wg/WgTypes.h.inc"

namespace mlir::wg {
/// Warps of a warpgroup (PTX ISA, "wgmma").
inline constexpr int64_t kWarpgroupWarps = 4;

/// The element type of a fragment, rows or shared tile; null for other types.
Type elementTypeOf(Type type);

/// Whether `kind` joins elements by their bits, as integers.
inline bool isOfBits(Combine kind) {
  return kind == Combine::MaximumBits || kind == Combine::MinimumBits ||
         kind == Combine::LargestBits;
}
} // namespace mlir::wg

#endif // FA_DIALECT_WG_WGTYPES_H
