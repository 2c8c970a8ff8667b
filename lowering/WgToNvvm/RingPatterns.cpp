// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings with mbarriers, and what goes through them but for TMA.
#include "lowering/WgToNvvm/Ring.h"

#include "lowering/Ptx/InlinePtx.h"
#include "lowering/WgToNvvm/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::wg;
namespace ptx = mlir::fa::ptx;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Slot::Slot(Emit &emit, RingType type, ValueRange ring, ValueRange cursor)
    : emit(emit), type(type), tiles(ring[0]), barriers(ring[1]),
      index(cursor[0]), parity(cursor[1]) {}

Value Slot::tile() {
  return emit.add(tiles,
                  emit.mul(index, type.getTile().getLayout().byteSize()));
}

Value Slot::full() {
  return emit.add(barriers, emit.mul(index, kMbarrierBytes));
}

Value Slot::empty() {
  return emit.add(full(), type.getStages() * kMbarrierBytes);
}

void Slot::wait(Value barrier) {
  ptx::buildInlinePtx(emit, emit.getLoc(), ptx::kMbarrierWait, {},
                      {barrier, parity});
}

void Slot::arriveElected(Value barrier) {
  Value mine =
      emit.createOrFold<arith::ExtUIOp>(emit.getI32Type(), emit.elected());
  ptx::buildInlinePtx(emit, emit.getLoc(), ptx::kMbarrierArriveIf, {},
                      {barrier, mine});
}

namespace {

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

class CursorLowering : public OpConversionPattern<CursorOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CursorOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    // Of a fresh barrier the phase before the first counts as over: its parity
    // is 1.
    bool isProducer = op.getResult().getType().getSide() == Side::Producer;
    SmallVector<Value> cursor = {emit.i32(0), emit.i32(isProducer)};
    rewriter.replaceOpWithMultiple(op, {cursor});
    return success();
  }
};

class AdvanceLowering : public OpConversionPattern<AdvanceOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    int64_t stages = op.getCursor().getType().getStages();
    Value index = adaptor.getCursor()[0], parity = adaptor.getCursor()[1];
    Value next = emit.add(index, 1);
    Value wraps = emit.equal(next, stages);
    Value turned = emit.createOrFold<arith::ExtUIOp>(emit.getI32Type(), wraps);
    SmallVector<Value> cursor = {
        emit.createOrFold<arith::SelectOp>(wraps, emit.i32(0), next),
        emit.bitXor(parity, turned)};
    if (stages == 1)
      cursor = {index, emit.bitXor(parity, 1)};
    rewriter.replaceOpWithMultiple(op, {cursor});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Barriers of rings
//===----------------------------------------------------------------------===//

class InitLowering : public OpConversionPattern<InitOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(InitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    auto guard =
        scf::IfOp::create(emit, emit.elected(), /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard restore(emit);
      emit.setInsertionPointToStart(guard.thenBlock());
      for (auto [ring, values] :
           llvm::zip_equal(op.getRings(), adaptor.getRings()))
        initRing(emit, cast<RingType>(ring.getType()), values[1]);
      ptx::buildInlinePtx(emit, op.getLoc(), ptx::kFenceMbarrierInit, {}, {});
      ptx::buildInlinePtx(emit, op.getLoc(), ptx::kFenceProxyAsync, {}, {});
    }
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }

private:
  static void initRing(Emit &emit, RingType type, Value barriers) {
    for (int64_t i = 0; i < 2 * type.getStages(); ++i) {
      bool isFull = i < type.getStages();
      ptx::buildInlinePtx(emit, emit.getLoc(), ptx::kMbarrierInit, {},
                          {emit.add(barriers, i * kMbarrierBytes),
                           emit.i32(isFull ? 1 : type.getArrivals())});
    }
  }
};

/// A slot's tile: acquired, or without a wait.
template <typename OpTy> class TileLowering : public OpConversionPattern<OpTy> {
public:
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult matchAndRewrite(
      OpTy op,
      typename OpTy::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Slot slot(emit, op.getRing().getType(), adaptor.getRing(),
              adaptor.getCursor());
    if (std::is_same_v<OpTy, AcquireOp>)
      slot.wait(slot.full());
    rewriter.replaceOp(op, slot.tile());
    return success();
  }
};

class ReleaseLowering : public OpConversionPattern<ReleaseOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReleaseOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Slot slot(emit, op.getRing().getType(), adaptor.getRing(),
              adaptor.getCursor());
    slot.arriveElected(slot.empty());
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

constexpr int64_t kWordBytes = 4;

class SendLowering : public OpConversionPattern<SendOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SendOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Slot slot(emit, op.getRing().getType(), adaptor.getRing(),
              adaptor.getCursor());
    slot.wait(slot.empty());
    for (auto [i, value] : llvm::enumerate(adaptor.getValues()))
      LLVM::StoreOp::create(emit, emit.toI32(value.front()),
                            emit.sharedPtr(slot.tile(), i * kWordBytes),
                            kWordBytes);
    ptx::buildInlinePtx(emit, op.getLoc(), ptx::kMbarrierArrive, {},
                        {slot.full()});
    rewriter.eraseOp(op);
    return success();
  }
};

/// The words of a slot, and its arrival, by the first lane of each warp, which
/// has read when it arrives. Other lanes get values that mean nothing.
SmallVector<Value> takeWords(Emit &emit, Slot &slot, int64_t count) {
  SmallVector<Type> types(count, emit.getI32Type());
  SmallVector<Value> words, others(count, emit.i32(0));
  auto guard = scf::IfOp::create(emit, types, emit.firstLane(),
                                 /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard restore(emit);
    emit.setInsertionPointToStart(guard.thenBlock());
    for (int64_t i = 0; i < count; ++i)
      words.push_back(LLVM::LoadOp::create(
          emit, emit.getI32Type(), emit.sharedPtr(slot.tile(), i * kWordBytes),
          kWordBytes));
    ptx::buildInlinePtx(emit, emit.getLoc(), ptx::kMbarrierArrive, {},
                        {slot.empty()});
    scf::YieldOp::create(emit, words);
    emit.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(emit, others);
  }
  return SmallVector<Value>(guard.getResults());
}

class ReceiveLowering : public OpConversionPattern<ReceiveOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReceiveOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Slot slot(emit, op.getRing().getType(), adaptor.getRing(),
              adaptor.getCursor());
    slot.wait(slot.full());
    SmallVector<Value> values = takeWords(emit, slot, op.getNumResults());
    for (Value &value : values)
      value = arith::IndexCastOp::create(emit, emit.getIndexType(),
                                         emit.uniform(value));
    rewriter.replaceOp(op, values);
    return success();
  }
};

class FetchTileLowering : public OpConversionPattern<FetchTileOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchTileOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        emit, adaptor.getCounter().front());
    Value pointer = emit.globalPtr(
        arith::IndexCastOp::create(emit, emit.getI64Type(), address), 0);
    Value last = emit.add(emit.toI32(adaptor.getTiles().front()), -1);
    Value old = LLVM::AtomicRMWOp::create(
        emit, LLVM::AtomicBinOp::uinc_wrap, pointer, last,
        LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device");
    Value blocks = gpu::GridDimOp::create(emit, gpu::Dimension::x);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, emit.toIndex(old), blocks);
    return success();
  }
};

} // namespace

void mlir::wg::populateRingPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<CursorLowering, AdvanceLowering, InitLowering,
               TileLowering<AcquireOp>, TileLowering<PeekOp>, ReleaseLowering,
               SendLowering, ReceiveLowering, FetchTileLowering>(
      converter, patterns.getContext());
}
