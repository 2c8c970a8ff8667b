// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Cpu/Passes.h"
#include "lowering/Reference/Passes.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fa::buildReferencePipeline(OpPassManager &pm, const CpuTarget &target) {
  pm.addPass(createFaLowerToReference()); // buffers -> reference
  FaOutlineOptions cpu;
  cpu.chip = "cpu";
  pm.addPass(createFaOutline(cpu)); // -> outlined
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (!target.hasBf16)
    pm.addPass(createFaExpandBf16()); // or rounding to bf16 is a call
  addLoopsToLlvm(pm);                 // -> llvm
}

namespace mlir::fa {
#define GEN_PASS_REGISTRATION
#include "lowering/Reference/Passes.h.inc"
} // namespace mlir::fa

void fa::registerReferencePasses() {
  registerFaReferencePasses();
  registerCpuPipeline("fa-reference-pipeline",
                      "buffers -> llvm by way of the op's definition",
                      buildReferencePipeline);
}
