// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/Passes.h"
#include "lowering/WgToNvvm/Patterns.h"
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
      if (failed(checkBlockSizes(module)) || failed(convert(module)))
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

  LogicalResult convert(gpu::GPUModuleOp module) {
    wg::RegisterConverter converter;
    RewritePatternSet patterns(&getContext());
    wg::populateStoragePatterns(converter, patterns);
    wg::populateCopyPatterns(converter, patterns);
    wg::populateMmaPatterns(converter, patterns);
    wg::populateSoftmaxPatterns(converter, patterns);
    wg::populateStorePatterns(converter, patterns);

    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<wg::WgDialect>();
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    return applyPartialConversion(module, target, std::move(patterns));
  }
};

} // namespace
