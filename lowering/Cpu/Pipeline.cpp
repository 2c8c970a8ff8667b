// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU path in order: open this file first.
#include "lowering/Cpu/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fa::buildCpuPackPipeline(OpPassManager &pm, const CpuTarget &target) {
  pm.addPass(createFaCpuPack());    // products on f32 tiles
  pm.addPass(createFaExpandMath()); // no calls of the C library
  if (!target.hasBf16)
    pm.addPass(createFaExpandBf16()); // nor of the compiler's
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void fa::buildCpuVectorPipeline(OpPassManager &pm, const CpuTarget &target) {
  pm.addPass(createFaCpuVectorize({target.vectorBits})); // register tiles
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Tensors to buffers on the stack, all of them outside of loops.
static void addBuffers(OpPassManager &pm) {
  pm.addPass(fa::createFaCpuBufferize());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass()); // drops copies of a buffer to itself
  pm.addPass(fa::createFaCpuLowerCopies());
  auto &functions = pm.nest<func::FuncOp>();
  functions.addPass(bufferization::createBufferLoopHoistingPass());
  bufferization::PromoteBuffersToStackPassOptions stack;
  stack.maxAllocSizeInBytes = mlir::fa::kMostTileBytes;
  functions.addPass(bufferization::createPromoteBuffersToStackPass(stack));
  pm.addPass(fa::createFaCpuCheckBuffers());
}

/// Tiles to loops; vectors of more than one dimension to several of one.
static void addLoops(OpPassManager &pm) {
  auto &functions = pm.nest<func::FuncOp>();
  VectorTransferToSCFOptions vectorToScf;
  vectorToScf.unroll = true;
  functions.addPass(createConvertVectorToSCFPass(vectorToScf));
  functions.addPass(createConvertLinalgToLoopsPass());
}

void fa::addLoopsToLlvm(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true; // memref<T> arguments are plain pointers
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createConvertToLLVMPass()); // arith, math, cf, index
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFaCpuExportKernels()); // NAME(void **params, int64_t tile)
}

void fa::buildCpuLlvmPipeline(OpPassManager &pm, const CpuTarget &) {
  addBuffers(pm);
  addLoops(pm);
  addLoopsToLlvm(pm);
}

void fa::buildCpuPipeline(OpPassManager &pm, const CpuTarget &target) {
  buildCpuPackPipeline(pm, target);   // -> packed
  buildCpuVectorPipeline(pm, target); // -> vectors
  buildCpuLlvmPipeline(pm, target);   // -> llvm
}

namespace {

struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("x86-64-v3, x86-64-v4, native, or a "
                                         "name that LLVM's -mcpu takes"),
                          llvm::cl::init("x86-64-v3")};
};

} // namespace

void fa::registerCpuPipeline(StringRef name, StringRef text,
                             CpuPipelineBuilder build) {
  auto parse = [build](OpPassManager &pm, StringRef text,
                       function_ref<LogicalResult(const Twine &)> fail) {
    CpuPipelineOptions options;
    if (failed(options.parseFromString(text)))
      return failure();
    auto target = fa::CpuTarget::get({options.cpu});
    if (!target)
      return fail(llvm::toString(target.takeError()));
    build(pm, *target);
    return success();
  };
  registerPassPipeline(
      name, text, parse,
      [](function_ref<void(const detail::PassOptions &)> show) {
        show(CpuPipelineOptions());
      });
}

namespace mlir::fa {
#define GEN_PASS_REGISTRATION
#include "lowering/Cpu/Passes.h.inc"
} // namespace mlir::fa

void fa::registerCpuPasses() {
  registerFaLoweringCpuPasses();
  registerCpuPipeline("fa-cpu-pipeline", "outlined -> llvm, for the CPU",
                      buildCpuPipeline);
  registerCpuPipeline("fa-to-packed", "outlined -> packed",
                      buildCpuPackPipeline);
  registerCpuPipeline("fa-to-vectors", "packed -> vectors",
                      buildCpuVectorPipeline);
  registerCpuPipeline("fa-to-llvm", "vectors -> llvm", buildCpuLlvmPipeline);
}
