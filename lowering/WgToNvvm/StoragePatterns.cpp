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
    Emit emit(op, rewriter);
    LLVM::GlobalOp memory =
        sharedMemory(op->getParentOfType<gpu::GPUModuleOp>(), emit);
    Value start = LLVM::PtrToIntOp::create(
        emit, emit.getI32Type(), LLVM::AddressOfOp::create(emit, memory));
    SmallVector<Value> places = {emit.add(start, *op.getOffset())};
    auto ring = dyn_cast<RingType>(op.getResult().getType());
    if (ring && ring.getConsumers()) {
      if (!op.getBarrierOffset())
        return op.emitOpError("expects a barrier_offset, as it has from stage "
                              "'addressed' on");
      places.push_back(emit.add(start, *op.getBarrierOffset()));
    }
    rewriter.replaceOpWithMultiple(op, {places});
    return success();
  }
};

class SlotLowering : public OpConversionPattern<SlotOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SlotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    int64_t bytes = op.getResult().getType().getLayout().byteSize();
    Value index = emit.toI32(adaptor.getIndex().front());
    rewriter.replaceOp(
        op, emit.add(adaptor.getRing().front(), emit.mul(index, bytes)));
    return success();
  }
};

class BandLowering : public OpConversionPattern<BandOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BandOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    int64_t rows = op.getResult().getType().getRows();
    int64_t bytes = op.getTile().getType().getLayout().byteOffset(rows, 0);
    rewriter.replaceOp(
        op, emit.add(adaptor.getTile().front(),
                     emit.mul(emit.toI32(adaptor.getIndex().front()), bytes)));
    return success();
  }
};

class BarrierLowering : public OpConversionPattern<BarrierOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    bool inRole = bool(op->getParentOfType<RoleOp>());
    if (inRole && !op.getId())
      return op.emitOpError("expects an id, as it has from stage 'addressed' "
                            "on");
    if (inRole)
      emit.barrierSync(emit.add(emit.warpgroup(), *op.getId()),
                       kWarpgroupThreads);
    else if (int64_t id = op.getId().value_or(0))
      emit.barrierSync(emit.i32(id), threadsOf(op));
    else
      NVVM::Barrier0Op::create(emit);
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
  addConversion([](PendingType type, SmallVectorImpl<Type> &results) {
    llvm::append_range(results, registerTypes(type.getFrag()));
    return success();
  });
  addConversion([](RowsType type, SmallVectorImpl<Type> &results) {
    llvm::append_range(results, registerTypes(type));
    return success();
  });
  auto word = [](Type type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  };
  addConversion([=](SmemType type) { return word(type); });
  addConversion([=](RingType type, SmallVectorImpl<Type> &results) {
    results.assign(type.getConsumers() ? 2 : 1, word(type));
    return success();
  });
  addConversion([=](CursorType type, SmallVectorImpl<Type> &results) {
    results.assign(2, word(type));
    return success();
  });
  addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
}

void mlir::wg::populateStoragePatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<AllocLowering, SlotLowering, BandLowering, BarrierLowering>(
      converter, patterns.getContext());
}
