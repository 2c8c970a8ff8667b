// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_PTX_PASSES_H
#define FA_LOWERING_PTX_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lowering/Ptx/Passes.h.inc"
} // namespace mlir::fa

#endif // FA_LOWERING_PTX_PASSES_H
