// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op's definition as code, for checks that share nothing with what they
// check.
#ifndef FA_LOWERING_REFERENCE_PASSES_H
#define FA_LOWERING_REFERENCE_PASSES_H

#include "lowering/Cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#include "lowering/Reference/Passes.h.inc"

/// buffers -> llvm by way of the definition. emitCpuObject then makes the
/// artefact, with Calls::MathLibrary.
void buildReferencePipeline(OpPassManager &pm, const CpuTarget &target);

/// Registers the pass, and the pipeline as `fa-reference-pipeline`.
void registerReferencePasses();

} // namespace mlir::fa

#endif // FA_LOWERING_REFERENCE_PASSES_H
