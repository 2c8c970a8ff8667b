// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_PASSES_RAISE_PASSES_H
#define FA_PASSES_RAISE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fa {
#define GEN_PASS_DECL
#include "passes/Raise/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Raise/Passes.h.inc"
} // namespace mlir::fa

#endif // FA_PASSES_RAISE_PASSES_H
