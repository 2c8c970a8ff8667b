// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: tiles between global and shared memory, in flight.
#include "lowering/Ptx/InlinePtx.h"
#include "lowering/WgToNvvm/CopyPlan.h"
#include "lowering/WgToNvvm/Patterns.h"
#include "lowering/WgToNvvm/Ring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::kChunkBytes;
using ::fa::target::kWavefrontBytes;
using ::fa::target::SharedLayout;
namespace ptx = mlir::fa::ptx;

namespace {

/// Runs `body` in the group's elected thread only.
void byElected(Emit &emit, function_ref<void()> body) {
  if (emit.actsAlone())
    return body();
  auto guard =
      scf::IfOp::create(emit, emit.elected(), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(emit);
  emit.setInsertionPointToStart(guard.thenBlock());
  body();
}

/// The boxes that a tile is moved in: panels of 128 bytes a row.
class Boxes {
public:
  Boxes(Emit &emit, SmemType type, Value address, Value map,
        ArrayRef<ValueRange> coords)
      : emit(emit), layout(type.getLayout()), address(address), map(map) {
    for (ValueRange coord : llvm::reverse(coords))
      innermostFirst.push_back(emit.toI32(coord.front()));
  }

  /// One instruction a box, from the table's row for the rank; `barrier` is the
  /// last operand, null for none.
  void move(ArrayRef<const ptx::Row *> rows, Value barrier) {
    const ptx::Row &row = *rows[innermostFirst.size() - ptx::kTmaFirstRank];
    int64_t boxCols = kWavefrontBytes / layout.elementBytes;
    for (int64_t col = 0; col < layout.cols; col += boxCols) {
      SmallVector<Value> operands = {
          emit.add(address, layout.byteOffset(0, col)), map,
          emit.add(innermostFirst.front(), col)};
      llvm::append_range(operands, llvm::drop_begin(innermostFirst));
      if (barrier)
        operands.push_back(barrier);
      ptx::buildInlinePtx(emit, emit.getLoc(), row, {}, operands);
    }
  }

private:
  Emit &emit;
  SharedLayout layout;
  Value address;
  Value map;
  SmallVector<Value> innermostFirst;
};

class TmaLoadLowering : public OpConversionPattern<TmaLoadOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TmaLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    SmemType type = op.getMap().getType().getTile();
    Slot slot(emit, op.getRing().getType(), adaptor.getRing(),
              adaptor.getCursor());
    byElected(emit, [&] {
      Boxes boxes(emit, type, slot.tile(), adaptor.getMap().front(),
                  adaptor.getCoords());
      slot.wait(slot.empty());
      // TMA counts the bytes of whole boxes, also where they leave the tensor.
      ptx::buildInlinePtx(emit, op.getLoc(), ptx::kMbarrierExpect, {},
                          {slot.full(), emit.i32(type.getLayout().byteSize())});
      boxes.move(ptx::kTmaLoads, slot.full());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

class TmaStoreLowering : public OpConversionPattern<TmaStoreOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TmaStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    byElected(emit, [&] {
      Boxes boxes(emit, op.getTile().getType(), adaptor.getTile().front(),
                  adaptor.getMap().front(), adaptor.getCoords());
      boxes.move(ptx::kTmaStores, /*barrier=*/Value());
      NVVM::CpAsyncBulkCommitGroupOp::create(emit);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

class WaitStoresLowering : public OpConversionPattern<WaitStoresOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitStoresOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    UnitAttr read =
        op.getKind() == StoreWait::Read ? emit.getUnitAttr() : UnitAttr();
    byElected(emit, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(emit, emit.getI32IntegerAttr(0),
                                           read);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

class FenceAsyncLowering : public OpConversionPattern<FenceAsyncOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FenceAsyncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ptx::buildInlinePtx(rewriter, op.getLoc(), ptx::kFenceProxyAsync, {}, {});
    rewriter.eraseOp(op);
    return success();
  }
};

class ZeroRowsLowering : public OpConversionPattern<ZeroRowsOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ZeroRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    CopyPlan plan(emit, op.getTile().getType(), adaptor.getTile().front(),
                  threadsOf(op));
    Value first = adaptor.getRows().front();
    Value zero = LLVM::ZeroOp::create(
        emit, VectorType::get(kChunkBytes / 4, emit.getI32Type()));
    for (int64_t pass = 0; pass < plan.passes(); ++pass) {
      Value row = emit.toIndex(emit.add(plan.laneRow(), plan.rowOf(pass)));
      Value mine =
          arith::CmpIOp::create(emit, arith::CmpIPredicate::sge, row, first);
      if (Value inTile = plan.inTile(pass))
        mine = arith::AndIOp::create(emit, mine, inTile);
      auto guard = scf::IfOp::create(emit, mine, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard restore(emit);
      emit.setInsertionPointToStart(guard.thenBlock());
      auto [tile, tileRow] = plan.sharedOf(pass);
      for (int64_t step : plan.chunks())
        LLVM::StoreOp::create(emit, zero, tile->pointer(tileRow, step),
                              kChunkBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::wg::populateTmaPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<TmaLoadLowering, TmaStoreLowering, WaitStoresLowering,
               FenceAsyncLowering, ZeroRowsLowering>(converter,
                                                     patterns.getContext());
}
