// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last step to `llvm`: kernels take their arguments as CUDA's launches give
// them, void NAME(void **params, int64_t tile).
#include "lowering/Cpu/Passes.h"
#include "passes/ManifestBuilder.h"
#include "passes/Stage.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPUEXPORTKERNELS
#include "lowering/Cpu/Passes.h.inc"

namespace {

LogicalResult exportKernel(LLVM::LLVMFuncOp kernel) {
  Location loc = kernel.getLoc();
  Block &entry = kernel.getBody().front();
  unsigned count = entry.getNumArguments();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type tile = builder.getI64Type();
  if (count == 0 || entry.getArgument(count - 1).getType() != tile)
    return kernel.emitOpError("expects the index of the tile as the last "
                              "argument of a kernel");
  if (!isa<LLVM::LLVMVoidType>(kernel.getFunctionType().getReturnType()))
    return kernel.emitOpError("expects a kernel without results");

  Value params = entry.insertArgument(count - 1, pointer, loc);
  for (unsigned i = 0; i + 1 < count; ++i) {
    BlockArgument argument = entry.getArgument(i);
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, params,
                                     LLVM::GEPArg(static_cast<int32_t>(i)));
    Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
    argument.replaceAllUsesWith(
        LLVM::LoadOp::create(builder, loc, argument.getType(), address));
  }
  entry.eraseArguments(0, count - 1);
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), {pointer, tile}));
  return success();
}

struct FaCpuExportKernels : impl::FaCpuExportKernelsBase<FaCpuExportKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"vectors", "outlined"})))
      return signalPassFailure();
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      if (kernel->hasAttr(kKernelAttr) && failed(exportKernel(kernel)))
        return signalPassFailure();
    setStage(module, "llvm");
  }
};

} // namespace
} // namespace mlir::fa
