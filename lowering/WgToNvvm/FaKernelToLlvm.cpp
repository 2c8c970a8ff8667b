// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/Passes.h"
#include "passes/Stage.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAKERNELTOLLVM
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

struct FaKernelToLlvm : fa::impl::FaKernelToLlvmBase<FaKernelToLlvm> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(convert(module)))
        return signalPassFailure();
    fa::setStage(getOperation(), "nvvm");
  }

private:
  LogicalResult convert(gpu::GPUModuleOp module) {
    LowerToLLVMOptions options(&getContext());
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(&getContext(), options);
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(getContext());
    configureGpuToNVVMConversionLegality(target);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      setLaunchBounds(function);
    return success();
  }

  /// An exact block size: ptxas takes it as the bound on registers, and the
  /// driver refuses a launch with another.
  static void setLaunchBounds(LLVM::LLVMFuncOp function) {
    auto rename = [&](StringRef from, StringRef to) {
      if (Attribute value = function->removeAttr(from))
        function->setAttr(to, value);
    };
    rename(NVVM::NVVMDialect::getMaxntidAttrName(),
           NVVM::NVVMDialect::getReqntidAttrName());
    rename(fa::kMinBlocksAttr, NVVM::NVVMDialect::getMinctasmAttrName());
  }
};

} // namespace
