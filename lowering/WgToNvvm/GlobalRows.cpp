// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/GlobalRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::kChunkBytes;

GlobalRows::GlobalRows(Emit &emit, Value memref, Value count, Value laneRow,
                       Value laneByte)
    : emit(emit), count(count), laneRow(laneRow) {
  // No tile has more rows than fit in 32 bits, so neither do the rows that it
  // can miss.
  Value most = emit.index(std::numeric_limits<int32_t>::max());
  Value clamped = emit.createOrFold<arith::MinSIOp>(
      emit.createOrFold<arith::MaxSIOp>(count, emit.index(0)), most);
  count32 = emit.createOrFold<arith::IndexCastOp>(emit.getI32Type(), clamped);

  auto type = cast<MemRefType>(memref.getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  auto metadata = memref::ExtractStridedMetadataOp::create(emit, memref);
  auto mul = [&](Value a, Value b) {
    return emit.createOrFold<arith::MulIOp>(a, b);
  };
  auto add = [&](Value a, Value b) {
    return emit.createOrFold<arith::AddIOp>(a, b);
  };
  Value bytes = emit.index(elementBytes);
  strideBytes = mul(metadata.getStrides().front(), bytes);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      emit, metadata.getBaseBuffer());
  reached = add(base, mul(metadata.getOffset(), bytes));
  reached = add(reached, mul(emit.toIndex(laneRow), strideBytes));
  if (laneByte)
    reached = add(reached, emit.toIndex(laneByte));
}

Value GlobalRows::exists(int64_t rows) {
  return emit.less(emit.add(laneRow, rows), count32);
}

Value GlobalRows::allExist(int64_t rows) {
  return emit.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, count,
                                          emit.index(rows));
}

Value GlobalRows::address(int64_t rows) {
  if (rows != reachedRows) {
    Value step = emit.createOrFold<arith::MulIOp>(
        strideBytes, emit.index(rows - reachedRows));
    reached = arith::AddIOp::create(emit, reached, step);
    reachedRows = rows;
  }
  return emit.createOrFold<arith::IndexCastOp>(emit.getI64Type(), reached);
}

/// A chunk as the accesses of `bytes` that it is made of.
static VectorType piecesType(Emit &emit, int64_t bytes) {
  return VectorType::get(kChunkBytes / bytes, emit.getIntegerType(8 * bytes));
}

static VectorType chunkType(Emit &emit) {
  return VectorType::get(kChunkBytes / 4, emit.getI32Type());
}

Value mlir::wg::loadGlobalChunk(Emit &emit, Value address, int64_t offset,
                                int64_t bytes) {
  if (bytes == kChunkBytes)
    return LLVM::LoadOp::create(emit, chunkType(emit),
                                emit.globalPtr(address, offset), bytes);
  VectorType type = piecesType(emit, bytes);
  SmallVector<Value> pieces;
  for (int64_t at = 0; at < kChunkBytes; at += bytes)
    pieces.push_back(LLVM::LoadOp::create(emit, type.getElementType(),
                                          emit.globalPtr(address, offset + at),
                                          bytes));
  Value all = vector::FromElementsOp::create(emit, type, pieces);
  return LLVM::BitcastOp::create(emit, chunkType(emit), all);
}

void mlir::wg::storeGlobalChunk(Emit &emit, Value chunk, Value address,
                                int64_t offset, int64_t bytes) {
  if (bytes == kChunkBytes) {
    LLVM::StoreOp::create(emit, chunk, emit.globalPtr(address, offset), bytes);
    return;
  }
  Value all = LLVM::BitcastOp::create(emit, piecesType(emit, bytes), chunk);
  for (int64_t at = 0; at < kChunkBytes; at += bytes)
    LLVM::StoreOp::create(emit,
                          vector::ExtractOp::create(emit, all, at / bytes),
                          emit.globalPtr(address, offset + at), bytes);
}
