// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory as addresses, and the block's barrier.
#include "lowering/WgToNvvm/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::wg;

namespace {

constexpr StringLiteral kSharedName = "wg_shared";

/// The block's dynamic shared memory, as an array without a size.
LLVM::GlobalOp sharedMemory(gpu::GPUModuleOp module, OpBuilder &builder) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(kSharedName))
    return known;
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, kSharedName, Attribute(),
      ::fa::target::kSw128Alignment, unsigned(NVVM::NVVMMemorySpace::Shared));
}

class AllocLowering : public OpConversionPattern<AllocOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AllocOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("expects an offset, as it has from stage "
                            "'addressed' on");
    Emit emit(op.getLoc(), rewriter);
    LLVM::GlobalOp memory =
        sharedMemory(op->getParentOfType<gpu::GPUModuleOp>(), emit);
    Value start = LLVM::PtrToIntOp::create(
        emit, emit.getI32Type(), LLVM::AddressOfOp::create(emit, memory));
    rewriter.replaceOp(op, emit.add(start, *op.getOffset()));
    return success();
  }
};

class SlotLowering : public OpConversionPattern<SlotOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SlotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op.getLoc(), rewriter);
    int64_t bytes = op.getResult().getType().getLayout().byteSize();
    Value index = emit.createOrFold<arith::IndexCastOp>(
        emit.getI32Type(), adaptor.getIndex().front());
    rewriter.replaceOp(
        op, emit.add(adaptor.getRing().front(), emit.mul(index, bytes)));
    return success();
  }
};

class BarrierLowering : public OpConversionPattern<BarrierOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op.getLoc(), rewriter);
    NVVM::BarrierOp::create(emit, emit.i32(op.getId().value_or(0)));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

RegisterConverter::RegisterConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](FragType type, SmallVectorImpl<Type> &results) {
    llvm::append_range(results, registerTypes(type));
    return success();
  });
  addConversion([](RowsType type, SmallVectorImpl<Type> &results) {
    llvm::append_range(results, registerTypes(type));
    return success();
  });
  auto address = [](Type type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  };
  addConversion([=](SmemType type) { return address(type); });
  addConversion([=](RingType type) { return address(type); });
}

void mlir::wg::populateStoragePatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<AllocLowering, SlotLowering, BarrierLowering>(
      converter, patterns.getContext());
}
