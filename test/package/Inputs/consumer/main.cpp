// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler does that has this one as a library: parses a module with
// fa.attention, runs a pipeline on a copy of it, and compiles it to PTX.
#include "dialect/Fa/FaDialect.h"
#include "lowering/Compiler.h"
#include "lowering/Register.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

static LogicalResult printKernel(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  if (failed(parsePassPipeline("fa-pipeline{chip=sm_80}", passes)) ||
      failed(passes.run(*copy)))
    return failure();
  copy->walk([](gpu::GPUFuncOp kernel) {
    llvm::outs() << "kernel " << kernel.getName() << "\n";
  });
  return success();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: consumer IN.mlir\n";
    return 2;
  }
  // embed: begin package
  DialectRegistry registry;
  fa::registerEverything(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  // embed: end package
  module->walk([](fa::AttentionOp op) {
    llvm::outs() << "head dim " << op.getQkDim() << "\n";
  });
  if (failed(printKernel(*module)))
    return 1;
  // embed: begin compile
  fa::CompileOptions options;
  options.chip = "sm_80";
  FailureOr<std::string> ptx = fa::compileToArtifact(*module, options);
  if (failed(ptx))
    return 1;
  llvm::outs() << *ptx;
  // embed: end compile
  return 0;
}
