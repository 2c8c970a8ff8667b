// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Ptx/EmitPtx.h"
#include "lowering/Ptx/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEMITPTX
#include "lowering/Ptx/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

struct FaEmitPtx : fa::impl::FaEmitPtxBase<FaEmitPtx> {
  using FaEmitPtxBase::FaEmitPtxBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
    fa::registerPtxTranslations(registry);
  }

  void runOnOperation() override {
    std::string all;
    for (auto module : llvm::make_early_inc_range(
             getOperation().getOps<gpu::GPUModuleOp>())) {
      FailureOr<fa::PtxText> ptx = fa::emitPtx(module);
      if (failed(ptx))
        return signalPassFailure();
      all += ptx->text;
      replaceByBinary(module, *ptx);
    }
    if (!to.empty() && failed(write(all)))
      signalPassFailure();
  }

  void replaceByBinary(gpu::GPUModuleOp module, const fa::PtxText &ptx) {
    OpBuilder builder(module);
    auto target = NVVM::NVVMTargetAttr::get(&getContext(), /*optLevel=*/3,
                                            "nvptx64-nvidia-cuda", ptx.chip);
    auto object = gpu::ObjectAttr::get(
        &getContext(), target, gpu::CompilationTarget::Assembly,
        builder.getStringAttr(ptx.text), DictionaryAttr(),
        gpu::KernelTableAttr());
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                          /*offloadingHandler=*/nullptr,
                          builder.getArrayAttr({object}));
    module.erase();
  }

  LogicalResult write(StringRef text) {
    std::string error;
    auto file = openOutputFile(to, &error);
    if (!file)
      return getOperation().emitError(error);
    file->os() << text;
    file->keep();
    return success();
  }
};

} // namespace
