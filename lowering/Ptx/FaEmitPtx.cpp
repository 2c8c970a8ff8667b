// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Ptx/EmitPtx.h"
#include "lowering/Ptx/Passes.h"
#include "lowering/WriteFile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEMITPTX
#include "lowering/Ptx/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

gpu::BinaryOp mlir::fa::createPtxBinary(OpBuilder &b, Location loc,
                                        StringRef name, const PtxText &ptx) {
  auto target = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                          "nvptx64-nvidia-cuda", ptx.chip);
  // Without this the driver is asked to compile the PTX unoptimised.
  auto properties =
      b.getDictionaryAttr(b.getNamedAttr("O", b.getI32IntegerAttr(4)));
  auto object = gpu::ObjectAttr::get(
      b.getContext(), target, gpu::CompilationTarget::Assembly,
      b.getStringAttr(ptx.text), properties, gpu::KernelTableAttr());
  return gpu::BinaryOp::create(b, loc, name, /*offloadingHandler=*/nullptr,
                               b.getArrayAttr({object}));
}

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
      OpBuilder b(module);
      fa::createPtxBinary(b, module.getLoc(), module.getName(), *ptx);
      module.erase();
    }
    if (!to.empty() && failed(write(all)))
      signalPassFailure();
  }

  LogicalResult write(StringRef text) {
    std::string error;
    if (failed(fa::writeFile(to, text, error)))
      return getOperation().emitError(error);
    return success();
  }
};

} // namespace
