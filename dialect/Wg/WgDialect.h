// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `wg` dialect: kernels on tiles.
#ifndef FA_DIALECT_WG_WGDIALECT_H
#define FA_DIALECT_WG_WGDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialect/Wg/WgDialect.h.inc"

namespace mlir::wg {
/// Attribute of a `gpu.func` at stage `addressed`: bytes of dynamic shared
/// memory that its `wg.alloc` ops take.
inline constexpr llvm::StringLiteral kSharedBytesAttr = "wg.shared_bytes";
} // namespace mlir::wg

#endif // FA_DIALECT_WG_WGDIALECT_H
