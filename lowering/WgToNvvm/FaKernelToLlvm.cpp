// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's patterns for the gpu dialect are not used here: they come together
// with some that call a device library (`__nv_fminf` for arith.minnumf), and
// PTX with such a call does not load.
#include "lowering/WgToNvvm/Passes.h"
#include "passes/Stage.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
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

/// Makes each memref argument (rank 0: an address) a pointer to global memory,
/// from which the body builds the memref.
void passAddresses(gpu::GPUFuncOp function,
                   const LLVMTypeConverter &converter) {
  MLIRContext *context = function.getContext();
  auto global = LLVM::LLVMPointerType::get(
      context, unsigned(NVVM::NVVMMemorySpace::Global));
  auto generic = LLVM::LLVMPointerType::get(context);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  SmallVector<Type> inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (type) {
      argument.setType(global);
      auto pointer =
          LLVM::AddrSpaceCastOp::create(builder, loc, generic, argument);
      Value descriptor = MemRefDescriptor::fromStaticShape(
          builder, loc, converter, type, pointer);
      auto memref =
          UnrealizedConversionCastOp::create(builder, loc, type, descriptor);
      argument.replaceAllUsesExcept(memref.getResult(0), pointer);
    }
    inputs.push_back(argument.getType());
  }
  function.setFunctionType(FunctionType::get(context, inputs, {}));
}

/// A tensor map is the 128 bytes that TMA reads: a parameter by value that
/// stays where it is, since TMA takes no copy in local memory.
void passByValue(LLVM::LLVMFuncOp kernel, unsigned argument) {
  constexpr unsigned kWords = 16, kAlignment = 64;
  Builder b(kernel.getContext());
  kernel.setArgAttr(
      argument, LLVM::LLVMDialect::getByValAttrName(),
      TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), kWords)));
  kernel.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(kAlignment));
  kernel.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(),
                    b.getUnitAttr());
}

class KernelLowering : public ConvertOpToLLVMPattern<gpu::GPUFuncOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    for (auto [i, argument] : llvm::enumerate(op.getArguments()))
      signature.addInputs(i,
                          getTypeConverter()->convertType(argument.getType()));
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()),
                                    signature.getConvertedTypes());
    auto kernel =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    if (op.isKernel())
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    // The exact block size: ptxas takes it as the bound on registers, and the
    // driver refuses a launch with another.
    if (DenseI32ArrayAttr size = op.getKnownBlockSizeAttr())
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
    if (Attribute blocks = op->getAttr(mlir::fa::kMinBlocksAttr))
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), blocks);
    for (unsigned i = 0, e = op.getNumArguments(); i < e; ++i)
      if (op.getArgAttr(i, mlir::fa::kTensorMapAttr))
        passByValue(kernel, i);
    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(), kernel.end());
    rewriter.applySignatureConversion(&kernel.front(), signature,
                                      getTypeConverter());
    rewriter.eraseOp(op);
    return success();
  }
};

class ReturnLowering : public ConvertOpToLLVMPattern<gpu::ReturnOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// A special register as an index.
template <typename Op, typename X, typename Y, typename Z>
class RegisterLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type narrow = rewriter.getI32Type();
    Location loc = op.getLoc();
    Value value;
    switch (op.getDimension()) {
    case gpu::Dimension::x:
      value = X::create(rewriter, loc, narrow);
      break;
    case gpu::Dimension::y:
      value = Y::create(rewriter, loc, narrow);
      break;
    case gpu::Dimension::z:
      value = Z::create(rewriter, loc, narrow);
      break;
    }
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(
        op, this->getTypeConverter()->getIndexType(), value);
    return success();
  }
};

struct FaKernelToLlvm : mlir::fa::impl::FaKernelToLlvmBase<FaKernelToLlvm> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(convert(module)))
        return signalPassFailure();
    mlir::fa::setStage(getOperation(), "nvvm");
  }

private:
  LogicalResult convert(gpu::GPUModuleOp module) {
    LLVMTypeConverter converter(&getContext());
    for (auto function : module.getOps<gpu::GPUFuncOp>())
      passAddresses(function, converter);

    RewritePatternSet patterns(&getContext());
    patterns.add<KernelLowering, ReturnLowering,
                 RegisterLowering<gpu::BlockIdOp, NVVM::BlockIdXOp,
                                  NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
                 RegisterLowering<gpu::GridDimOp, NVVM::GridDimXOp,
                                  NVVM::GridDimYOp, NVVM::GridDimZOp>>(
        converter);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
    return applyPartialConversion(module, target, std::move(patterns));
  }
};

} // namespace
