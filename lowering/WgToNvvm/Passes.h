// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes from `wg` at stage `addressed` to the NVVM dialect.
#ifndef FA_LOWERING_WGTONVVM_PASSES_H
#define FA_LOWERING_WGTONVVM_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lowering/WgToNvvm/Passes.h.inc"

/// Attribute of a gpu.func: how many blocks of it an SM has to hold at once,
/// which bounds the registers of a thread.
inline constexpr llvm::StringLiteral kMinBlocksAttr = "wg.min_blocks";

/// Attribute of a kernel's pointer argument between the passes: it is a tensor
/// map, passed by value.
inline constexpr llvm::StringLiteral kTensorMapAttr = "wg.tensor_map";

/// From stage `addressed` to stage `nvvm`.
void buildNvvmPipeline(OpPassManager &manager);

/// Registers the passes and the pipeline `fa-nvvm-pipeline`.
void registerNvvmPasses();
} // namespace mlir::fa

#endif // FA_LOWERING_WGTONVVM_PASSES_H
