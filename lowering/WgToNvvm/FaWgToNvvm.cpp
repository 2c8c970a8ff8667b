// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/Passes.h"
#include "lowering/WgToNvvm/Patterns.h"
#include "lowering/WgToNvvm/Roles.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAWGTONVVM
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

struct FaWgToNvvm : mlir::fa::impl::FaWgToNvvmBase<FaWgToNvvm> {
  void runOnOperation() override {
    if (failed(mlir::fa::expectStage(getOperation(), {"addressed"})))
      return signalPassFailure();
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(checkBlockSizes(module)) ||
          failed(forEachKernel(module, boundBlocks)) ||
          failed(forEachKernel(module, wg::expandTurns)) ||
          failed(convert(module)) ||
          failed(forEachKernel(module, wg::expandRoles)))
        return signalPassFailure();
  }

private:
  static LogicalResult checkBlockSizes(gpu::GPUModuleOp module) {
    for (auto function : module.getOps<gpu::GPUFuncOp>())
      if (!function.getKnownBlockSize())
        return function.emitOpError("expects the attribute 'known_block_size', "
                                    "since it decides what a thread does");
    return success();
  }

  static LogicalResult
  forEachKernel(gpu::GPUModuleOp module,
                function_ref<LogicalResult(gpu::GPUFuncOp)> action) {
    for (auto function : module.getOps<gpu::GPUFuncOp>())
      if (failed(action(function)))
        return failure();
    return success();
  }

  /// ptxas aims at more blocks an SM than a kernel asks for, and spills for
  /// them. It stops that where the kernel states a number. One that fills the
  /// registers anyway states none: it then gets a few more.
  static LogicalResult boundBlocks(gpu::GPUFuncOp function) {
    constexpr int64_t kNearlyFull = 160; // of 255
    int64_t most = 0;
    function.walk([&](wg::MmaOp op) {
      most = std::max(most, wg::registersBesideProduct(op));
    });
    if (most < kNearlyFull && !function->hasAttr(mlir::fa::kMinBlocksAttr))
      function->setAttr(mlir::fa::kMinBlocksAttr,
                        Builder(function.getContext()).getI32IntegerAttr(1));
    return success();
  }

  static void markTensorMaps(gpu::GPUFuncOp function) {
    auto mark = UnitAttr::get(function.getContext());
    for (auto [i, argument] : llvm::enumerate(function.getArguments()))
      if (isa<wg::TensorMapType>(argument.getType()))
        function.setArgAttr(i, mlir::fa::kTensorMapAttr, mark);
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    wg::RegisterConverter converter;
    RewritePatternSet patterns(&getContext());
    wg::populateStoragePatterns(converter, patterns);
    wg::populateCopyPatterns(converter, patterns);
    wg::populateRingPatterns(converter, patterns);
    wg::populateTmaPatterns(converter, patterns);
    wg::populateMmaPatterns(converter, patterns);
    wg::populateAsyncMmaPatterns(converter, patterns);
    wg::populateSoftmaxPatterns(converter, patterns);
    wg::populateStorePatterns(converter, patterns);

    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<wg::WgDialect>();
    // The region of a role is converted in place; its yield goes with it.
    target.addLegalOp<wg::RoleOp>();
    target.addDynamicallyLegalOp<wg::YieldOp>([](wg::YieldOp yield) {
      return isa<wg::RoleOp>(yield->getParentOp());
    });
    target.addDynamicallyLegalOp<gpu::GPUFuncOp>([&](gpu::GPUFuncOp function) {
      return converter.isSignatureLegal(function.getFunctionType());
    });
    populateFunctionOpInterfaceTypeConversionPattern<gpu::GPUFuncOp>(patterns,
                                                                     converter);
    for (auto function : module.getOps<gpu::GPUFuncOp>())
      markTensorMaps(function);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    return applyPartialConversion(module, target, std::move(patterns));
  }
};

} // namespace
