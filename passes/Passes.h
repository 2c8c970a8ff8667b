// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes from `fa.attention` down to the chip's own tiles, one step each.
// Pipelines.h puts them in order.
#ifndef FA_PASSES_PASSES_H
#define FA_PASSES_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mlir::fa {
#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace mlir::fa

#endif // FA_PASSES_PASSES_H
