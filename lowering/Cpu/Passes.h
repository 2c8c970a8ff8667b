// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From `outlined` to LLVM on the CPU: the passes and their composition.
#ifndef FA_LOWERING_CPU_PASSES_H
#define FA_LOWERING_CPU_PASSES_H

#include "lowering/Cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#include "lowering/Cpu/Passes.h.inc"

/// The largest tile that a kernel may put on the stack, in bytes: a few of them
/// fit the 8 MiB that threads have.
inline constexpr unsigned kMostTileBytes = 1 << 20;

/// outlined -> packed: products on f32 tiles, maths in arith.
void buildCpuPackPipeline(OpPassManager &pm, const CpuTarget &target);
/// packed -> vectors: products in vector registers.
void buildCpuVectorPipeline(OpPassManager &pm, const CpuTarget &target);
/// vectors -> llvm: buffers on the stack, loops, the LLVM dialect.
void buildCpuLlvmPipeline(OpPassManager &pm, const CpuTarget &target);
/// The three above, from `outlined` to `llvm`.
void buildCpuPipeline(OpPassManager &pm, const CpuTarget &target);

/// Loops over memrefs and vectors -> llvm: the end of every way to the CPU.
void addLoopsToLlvm(OpPassManager &pm);

using CpuPipelineBuilder = void (*)(OpPassManager &, const CpuTarget &);
/// Registers `build` as the pipeline `name{cpu=CPU}`.
void registerCpuPipeline(StringRef name, StringRef text,
                         CpuPipelineBuilder build);

/// Registers the passes, and the pipelines as `fa-to-packed`, `fa-to-vectors`,
/// `fa-to-llvm`, and `fa-cpu-pipeline` for all three.
void registerCpuPasses();

} // namespace mlir::fa

#endif // FA_LOWERING_CPU_PASSES_H
