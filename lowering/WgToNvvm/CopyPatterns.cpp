// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory to shared memory.
#include "lowering/Ptx/InlinePtx.h"
#include "lowering/WgToNvvm/CopyPlan.h"
#include "lowering/WgToNvvm/GlobalRows.h"
#include "lowering/WgToNvvm/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::kChunkBytes;

namespace {

/// Runs `body` inside an scf.if on `condition`, or at once where that is null.
void guarded(Emit &emit, Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto guard = scf::IfOp::create(emit, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(emit);
  emit.setInsertionPointToStart(guard.thenBlock());
  body();
}

class CopyLowering : public OpConversionPattern<CopyOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    CopyPlan plan(emit, op.getTile().getType(), adaptor.getTile().front(),
                  threadsOf(op));
    GlobalRows rows(emit, adaptor.getMem().front(), adaptor.getRows().front(),
                    plan.laneRow(), plan.laneByte());
    for (int64_t pass = 0; pass < plan.passes(); ++pass) {
      Value address = rows.address(plan.rowOf(pass));
      guarded(emit, plan.inTile(pass),
              [&] { copyRow(emit, plan, rows, pass, address, op.getBytes()); });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The thread's chunks of its row in this pass, a few at a time: there are
  /// not registers for all of them in flight. Nor for the first of them beside
  /// what is computed in front of the copy and soon takes less.
  static void copyRow(Emit &emit, CopyPlan &plan, GlobalRows &rows,
                      int64_t pass, Value address, int64_t bytes) {
    constexpr size_t kInFlight = 4;
    auto [tile, row] = plan.sharedOf(pass);
    Value exists = rows.exists(plan.rowOf(pass));
    for (ArrayRef<int64_t> left = plan.chunks(); !left.empty();) {
      ArrayRef<int64_t> steps = left.take_front(kInFlight);
      left = left.drop_front(steps.size());
      emit.newBlock();
      SmallVector<Value> chunks =
          loadChunks(emit, exists, steps, address, bytes);
      for (auto [chunk, step] : llvm::zip_equal(chunks, steps))
        LLVM::StoreOp::create(emit, chunk, tile->pointer(row, step),
                              kChunkBytes);
    }
  }

  /// The chunks at these steps of a row, zeros where it does not exist.
  static SmallVector<Value> loadChunks(Emit &emit, Value exists,
                                       ArrayRef<int64_t> steps, Value address,
                                       int64_t bytes) {
    auto type = VectorType::get(kChunkBytes / 4, emit.getI32Type());
    SmallVector<Type> types(steps.size(), type);
    auto choice =
        scf::IfOp::create(emit, types, exists, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard restore(emit);
    emit.setInsertionPointToStart(choice.thenBlock());
    SmallVector<Value> loaded;
    for (int64_t step : steps)
      loaded.push_back(
          loadGlobalChunk(emit, address, step * kChunkBytes, bytes));
    scf::YieldOp::create(emit, loaded);
    emit.setInsertionPointToStart(choice.elseBlock());
    Value zero = arith::ConstantOp::create(emit, emit.getZeroAttr(type));
    scf::YieldOp::create(emit, SmallVector<Value>(types.size(), zero));
    return SmallVector<Value>(choice.getResults());
  }
};

class CopyAsyncLowering : public OpConversionPattern<CopyAsyncOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    SmemType type = op.getTile().getType();
    CopyPlan plan(emit, type, adaptor.getTile().front(), threadsOf(op));
    GlobalRows rows(emit, adaptor.getMem().front(), adaptor.getRows().front(),
                    plan.laneRow(), plan.laneByte());

    // Nearly all tiles are whole: those spend nothing on rows that may be
    // missing. The branch is the same for all threads.
    Value whole = rows.allExist(type.getRows());
    auto choice = scf::IfOp::create(emit, whole, /*withElseRegion=*/true);
    for (Block *block : {choice.thenBlock(), choice.elseBlock()}) {
      OpBuilder::InsertionGuard restore(emit);
      emit.setInsertionPointToStart(block);
      bool isWhole = block == choice.thenBlock();
      copyTile(emit, plan, rows, op.getBytes(), isWhole);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// `rows` by value: each branch has a walk of its own.
  static void copyTile(Emit &emit, CopyPlan &plan, GlobalRows rows,
                       int64_t bytes, bool whole) {
    for (int64_t pass = 0; pass < plan.passes(); ++pass) {
      Value address = rows.address(plan.rowOf(pass));
      Value size = whole ? emit.i32(bytes)
                         : Value(arith::SelectOp::create(
                               emit, rows.exists(plan.rowOf(pass)),
                               emit.i32(bytes), emit.i32(0)));
      guarded(emit, plan.inTile(pass), [&] {
        auto [tile, row] = plan.sharedOf(pass);
        for (int64_t step : plan.chunks())
          for (int64_t at = 0; at < kChunkBytes; at += bytes)
            copyPiece(emit, tile->address(row, step, at), address,
                      step * kChunkBytes + at, bytes, size);
      });
    }
  }

  static void copyPiece(Emit &emit, Value target, Value source, int64_t offset,
                        int64_t bytes, Value size) {
    Value from = emit.createOrFold<arith::AddIOp>(
        source, arith::ConstantIntOp::create(emit, offset, 64));
    const mlir::fa::ptx::Row &row = bytes == 16  ? mlir::fa::ptx::kCpAsync16
                                    : bytes == 8 ? mlir::fa::ptx::kCpAsync8
                                                 : mlir::fa::ptx::kCpAsync4;
    mlir::fa::ptx::buildInlinePtx(emit, emit.getLoc(), row, {},
                                  {target, from, size});
  }
};

class CommitCopiesLowering : public OpConversionPattern<CommitCopiesOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CommitCopiesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

class WaitCopiesLowering : public OpConversionPattern<WaitCopiesOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitCopiesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getNewer());
    return success();
  }
};

} // namespace

void mlir::wg::populateCopyPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<CopyLowering, CopyAsyncLowering, CommitCopiesLowering,
               WaitCopiesLowering>(converter, patterns.getContext());
}
