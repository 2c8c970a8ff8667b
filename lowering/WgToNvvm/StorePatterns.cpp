// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers to shared memory, and both to global memory.
#include "lowering/WgToNvvm/CopyPlan.h"
#include "lowering/WgToNvvm/GlobalRows.h"
#include "lowering/WgToNvvm/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::Coord;
using ::fa::target::GroupLayout;
using ::fa::target::kAccM16N8;
using ::fa::target::kChunkBytes;

namespace {

/// An accumulator's registers come in pairs of neighbouring columns, a quad of
/// a warp's lanes has a row.
constexpr int64_t kPair = 2, kQuadLanes = 4, kWarpLanes = 32;

/// Two neighbouring elements as one value to store.
struct PairOfElements {
  Value value;
  Coord at; // of lane 0 of warp 0
};

SmallVector<PairOfElements> pairsOf(Emit &emit, FragType type,
                                    ValueRange registers) {
  GroupLayout group = type.getGroupLayout();
  auto pairType = VectorType::get(kPair, type.getElementType());
  bool isPacked = int64_t(registers.size()) < group.regs();
  SmallVector<PairOfElements> pairs;
  for (int64_t reg = 0; reg < group.regs(); reg += kPair) {
    Value value = isPacked ? registers[reg / kPair]
                           : Value(vector::FromElementsOp::create(
                                 emit, pairType, registers.slice(reg, kPair)));
    pairs.push_back({value, group.coordOf(/*warp=*/0, /*lane=*/0, reg)});
  }
  return pairs;
}

/// The thread's number, computed anew behind the loops: ptxas would keep what
/// follows from it over them, or spill it. Roles have registers for it.
Value threadForStore(Emit &emit) {
  return emit.isInRole() ? emit.thread() : emit.threadHere();
}

/// First row that a lane holds.
Value firstRow(Emit &emit, Value thread, int64_t rowsPerWarp) {
  Value warp = emit.div(thread, kWarpLanes);
  Value quad = emit.div(emit.rem(thread, kWarpLanes), kQuadLanes);
  return emit.add(emit.mul(warp, rowsPerWarp), quad);
}

class PutLowering : public OpConversionPattern<PutOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    FragType type = op.getFrag().getType();
    int64_t elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    int64_t pairBytes = kPair * elementBytes;
    // The quad's pairs fill one chunk of 16-bit elements, two of f32.
    int64_t pairsPerChunk = kChunkBytes / pairBytes;
    Value thread = threadForStore(emit);
    Value inQuad = emit.rem(thread, kQuadLanes);
    SharedTile tile(emit, op.getTile().getType(), adaptor.getTile().front(),
                    firstRow(emit, thread, type.getGroupLayout().rowsPerWarp()),
                    emit.div(inQuad, pairsPerChunk),
                    emit.mul(emit.rem(inQuad, pairsPerChunk), pairBytes));
    for (PairOfElements pair : pairsOf(emit, type, adaptor.getFrag())) {
      int64_t chunk = pair.at.col * elementBytes / kChunkBytes;
      LLVM::StoreOp::create(emit, pair.value, tile.pointer(pair.at.row, chunk),
                            pairBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

class CopyOutLowering : public OpConversionPattern<CopyOutOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyOutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    CopyPlan plan(emit, op.getTile().getType(), adaptor.getTile().front(),
                  threadsOf(op));
    GlobalRows rows(emit, adaptor.getMem().front(), adaptor.getRows().front(),
                    plan.laneRow(), plan.laneByte());
    for (int64_t pass = 0; pass < plan.passes(); ++pass) {
      Value address = rows.address(plan.rowOf(pass));
      Value mine = rows.exists(plan.rowOf(pass));
      if (Value inTile = plan.inTile(pass))
        mine = arith::AndIOp::create(emit, mine, inTile);
      auto guard = scf::IfOp::create(emit, mine, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard restore(emit);
      emit.setInsertionPointToStart(guard.thenBlock());
      copyRow(emit, plan, pass, address, op.getBytes());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void copyRow(Emit &emit, CopyPlan &plan, int64_t pass, Value address,
                      int64_t bytes) {
    auto [tile, row] = plan.sharedOf(pass);
    auto type = VectorType::get(kChunkBytes / 4, emit.getI32Type());
    for (int64_t step : plan.chunks()) {
      Value chunk = LLVM::LoadOp::create(emit, type, tile->pointer(row, step),
                                         kChunkBytes);
      storeGlobalChunk(emit, chunk, address, step * kChunkBytes, bytes);
    }
  }
};

class StoreLowering : public OpConversionPattern<StoreOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    FragType type = op.getFrag().getType();
    int64_t elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    Value thread = threadForStore(emit);
    GlobalRows rows(
        emit, adaptor.getMem().front(), adaptor.getRows().front(),
        firstRow(emit, thread, type.getGroupLayout().rowsPerWarp()),
        emit.mul(emit.rem(thread, kQuadLanes), kPair * elementBytes));

    // By rows, so that each is asked for once whether it exists.
    llvm::MapVector<int64_t, SmallVector<PairOfElements>> pairsOfRow;
    for (PairOfElements pair : pairsOf(emit, type, adaptor.getFrag()))
      pairsOfRow[pair.at.row].push_back(pair);
    for (auto &[row, pairs] : pairsOfRow) {
      Value address = rows.address(row);
      auto guard = scf::IfOp::create(emit, rows.exists(row),
                                     /*withElseRegion=*/false);
      OpBuilder::InsertionGuard restore(emit);
      emit.setInsertionPointToStart(guard.thenBlock());
      for (PairOfElements pair : pairs)
        storePair(emit, type.getElementType(), pair.value, address,
                  pair.at.col * elementBytes, op.getBytes());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void storePair(Emit &emit, Type elementType, Value pair, Value address,
                        int64_t offset, int64_t bytes) {
    int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    if (bytes >= kPair * elementBytes) {
      LLVM::StoreOp::create(emit, pair, emit.globalPtr(address, offset),
                            kPair * elementBytes);
      return;
    }
    Value elements = LLVM::BitcastOp::create(
        emit, VectorType::get(kPair, elementType), pair);
    for (int64_t i = 0; i < kPair; ++i)
      LLVM::StoreOp::create(emit, vector::ExtractOp::create(emit, elements, i),
                            emit.globalPtr(address, offset + i * elementBytes),
                            elementBytes);
  }
};

class StoreRowsLowering : public OpConversionPattern<StoreRowsOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    auto type = cast<RowsType>(op.getValues().getType());
    ::fa::target::RowLayout layout = type.getRowLayout();
    Value thread = threadForStore(emit);
    GlobalRows rows(emit, adaptor.getMem().front(), adaptor.getRows().front(),
                    firstRow(emit, thread, layout.rows / layout.warps));
    // All four lanes of a quad hold the value; the first writes it.
    Value isFirst = emit.equal(emit.rem(thread, kQuadLanes), 0);
    for (auto [reg, value] : llvm::enumerate(adaptor.getValues())) {
      int64_t row = layout.rowOf(/*warp=*/0, /*lane=*/0, reg);
      Value address = rows.address(row);
      Value mine = arith::AndIOp::create(emit, isFirst, rows.exists(row));
      auto guard = scf::IfOp::create(emit, mine, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard restore(emit);
      emit.setInsertionPointToStart(guard.thenBlock());
      LLVM::StoreOp::create(emit, value, emit.globalPtr(address, 0),
                            type.getElementType().getIntOrFloatBitWidth() / 8);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::wg::populateStorePatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<PutLowering, CopyOutLowering, StoreLowering, StoreRowsLowering>(
      converter, patterns.getContext());
}
