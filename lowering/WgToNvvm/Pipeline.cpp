// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::fa::buildNvvmPipeline(OpPassManager &manager) {
  // wg ops -> what one thread does, still with loops, memrefs and maths
  manager.addPass(createFaWgToNvvm());
  manager.addPass(createFaCanonicalizeScalars());
  manager.addPass(createCSEPass());
  // masks' comparisons -> 32 bits
  manager.addPass(createFaNarrowCompares());
  manager.addPass(createCSEPass());
  // coordinates as f32 numbers -> one conversion a tile
  manager.addPass(createFaFloatCoordinates());
  // two limits of an element -> one
  manager.addPass(createFaMergeCompares());
  // math ops -> instructions and polynomials
  manager.addPass(createFaExpandGpuMath());
  // subviews -> offsets and strides as arithmetic. Affine ops first: those of a
  // subview in the key loop would else take in what stands in front of it.
  manager.addPass(createLowerAffinePass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createFaCanonicalizeScalars());
  manager.addPass(createCSEPass());
  // divisions of the block's number -> 32 bits
  manager.addPass(createFaNarrowDivisions());
  // a tile's place -> computed again behind the key loop
  manager.addPass(createFaRecomputeBehindLoops());
  // loops, memrefs and the kernel itself -> LLVM and NVVM (stage nvvm)
  manager.addPass(createFaKernelToLlvm());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void mlir::fa::registerNvvmPasses() {
  registerFaNvvmPasses();
  PassPipelineRegistration<>(
      "fa-nvvm-pipeline", "From stage addressed to stage nvvm",
      [](OpPassManager &manager) { buildNvvmPipeline(manager); });
}
