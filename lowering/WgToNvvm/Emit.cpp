// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/Emit.h"

#include "lowering/Ptx/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::wg;

static constexpr int64_t kWarpLanes = 32;
static constexpr int64_t kQuadLanes = 4;

int64_t mlir::wg::threadsOf(Operation *op) {
  if (op->getParentOfType<RoleOp>())
    return kWarpgroupThreads;
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  int64_t threads = 1;
  ArrayRef<int32_t> sizes = *function.getKnownBlockSize();
  for (int32_t size : sizes)
    threads *= size;
  return threads;
}

Emit::Emit(Operation *op, const OpBuilder &builder)
    : ImplicitLocOpBuilder(op->getLoc(), builder),
      role(op->getParentOfType<RoleOp>()) {}

Value Emit::i32(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI32Type(), value);
}

Value Emit::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value Emit::f32(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

template <typename Op> Value Emit::fold(Value a, Value b) {
  return createOrFold<Op>(a, b);
}

Value Emit::add(Value a, Value b) { return fold<arith::AddIOp>(a, b); }
Value Emit::add(Value a, int64_t b) { return b == 0 ? a : add(a, i32(b)); }
Value Emit::mul(Value a, int64_t b) {
  return b == 1 ? a : fold<arith::MulIOp>(a, i32(b));
}
Value Emit::div(Value a, int64_t b) {
  return b == 1 ? a : fold<arith::DivUIOp>(a, i32(b));
}
Value Emit::rem(Value a, int64_t b) { return fold<arith::RemUIOp>(a, i32(b)); }
Value Emit::bitXor(Value a, Value b) { return fold<arith::XOrIOp>(a, b); }
Value Emit::bitXor(Value a, int64_t b) {
  return b == 0 ? a : bitXor(a, i32(b));
}
Value Emit::less(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b);
}
Value Emit::less(Value a, int64_t b) { return less(a, i32(b)); }

Value Emit::equal(Value a, int64_t b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a, i32(b));
}

Value Emit::toIndex(Value a) {
  return createOrFold<arith::IndexCastUIOp>(getIndexType(), a);
}

Value Emit::toI32(Value index) {
  return createOrFold<arith::IndexCastOp>(getI32Type(), index);
}

Value Emit::thread() {
  auto inBlock = NVVM::ThreadIdXOp::create(*this, getI32Type());
  // No chip has larger blocks.
  constexpr int64_t kMostThreads = 1024;
  inBlock.setRangeAttr(LLVM::ConstantRangeAttr::get(getContext(), APInt(32, 0),
                                                    APInt(32, kMostThreads)));
  return role ? rem(inBlock, kWarpgroupThreads) : Value(inBlock);
}

Value Emit::threadHere() {
  Value inBlock = mlir::fa::ptx::buildInlinePtx(
      *this, getLoc(), mlir::fa::ptx::kThreadHere, getI32Type(), {})[0];
  return role ? rem(inBlock, kWarpgroupThreads) : inBlock;
}
Value Emit::lane() { return rem(thread(), kWarpLanes); }
Value Emit::warp() { return div(thread(), kWarpLanes); }
Value Emit::quad() { return div(lane(), kQuadLanes); }
Value Emit::inQuad() { return rem(thread(), kQuadLanes); }

Value Emit::elected() {
  if (actsAlone())
    return arith::ConstantOp::create(*this, getBoolAttr(true));
  return equal(thread(), 0);
}

Value Emit::firstLane() { return equal(lane(), 0); }

Value Emit::warpgroup() { return toI32(role.getBody().getArgument(0)); }

void Emit::newBlock() {
  mlir::fa::ptx::buildInlinePtx(*this, getLoc(), mlir::fa::ptx::kNewBlock, {},
                                {});
}

Value Emit::pointer(Value address, int64_t offset, unsigned space) {
  auto type = LLVM::LLVMPointerType::get(getContext(), space);
  Value base = LLVM::IntToPtrOp::create(*this, type, address);
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(*this, type, getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>(int32_t(offset)));
}

Value Emit::sharedPtr(Value address, int64_t offset) {
  return pointer(address, offset, unsigned(NVVM::NVVMMemorySpace::Shared));
}

Value Emit::globalPtr(Value address, int64_t offset) {
  return pointer(address, offset, unsigned(NVVM::NVVMMemorySpace::Global));
}

Value Emit::shuffle(Value value, int64_t lane, bool exclusiveOr) {
  constexpr int64_t kAllLanes = -1, kWholeWarp = kWarpLanes - 1;
  return NVVM::ShflOp::create(
      *this, value.getType(), i32(kAllLanes), value, i32(lane), i32(kWholeWarp),
      exclusiveOr ? NVVM::ShflKind::bfly : NVVM::ShflKind::idx, UnitAttr());
}

Value Emit::shuffleXor(Value value, int64_t mask) {
  return shuffle(value, mask, /*exclusiveOr=*/true);
}

Value Emit::uniform(Value value) {
  return shuffle(value, 0, /*exclusiveOr=*/false);
}

void Emit::barrierSync(Value id, int64_t threads) {
  NVVM::BarrierOp::create(*this, TypeRange(), id, i32(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void Emit::barrierArrive(Value id, int64_t threads) {
  LLVM::CallIntrinsicOp::create(
      *this, getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
      ValueRange{id, i32(threads)});
}

static bool isPacked(Type elementType) {
  return elementType.getIntOrFloatBitWidth() == 16;
}

SmallVector<Type> mlir::wg::registerTypes(FragType type) {
  Type element = type.getElementType();
  if (!isPacked(element))
    return SmallVector<Type>(type.getRegs(), element);
  return SmallVector<Type>(type.getRegs() / 2,
                           IntegerType::get(type.getContext(), 32));
}

SmallVector<Type> mlir::wg::registerTypes(RowsType type) {
  return SmallVector<Type>(type.getRegs(), type.getElementType());
}

int64_t mlir::wg::registersOf(Type elementType, int64_t elements) {
  return isPacked(elementType) ? elements / 2 : elements;
}

SmallVector<Value> mlir::wg::unpackElements(Emit &emit, Type elementType,
                                            ValueRange registers) {
  if (!isPacked(elementType))
    return SmallVector<Value>(registers);
  SmallVector<Value> elements;
  auto pairType = VectorType::get(2, elementType);
  for (Value reg : registers) {
    Value pair = LLVM::BitcastOp::create(emit, pairType, reg);
    for (int64_t half : {0, 1})
      elements.push_back(vector::ExtractOp::create(emit, pair, half));
  }
  return elements;
}

/// Two 16-bit values as a vector. Where both are f32 values cut short, one
/// instruction cuts both.
static Value makePair(Emit &emit, VectorType type, Value low, Value high) {
  auto narrowLow = low.getDefiningOp<arith::TruncFOp>();
  auto narrowHigh = high.getDefiningOp<arith::TruncFOp>();
  bool both = narrowLow && narrowHigh && narrowLow.getIn().getType().isF32() &&
              narrowHigh.getIn().getType().isF32();
  if (!both)
    return vector::FromElementsOp::create(emit, type, ValueRange{low, high});
  Value wide = vector::FromElementsOp::create(
      emit, type.clone(emit.getF32Type()),
      ValueRange{narrowLow.getIn(), narrowHigh.getIn()});
  return arith::TruncFOp::create(emit, type, wide);
}

SmallVector<Value> mlir::wg::packElements(Emit &emit, Type elementType,
                                          ValueRange elements) {
  if (!isPacked(elementType))
    return SmallVector<Value>(elements);
  SmallVector<Value> registers;
  auto pairType = VectorType::get(2, elementType);
  for (size_t i = 0; i < elements.size(); i += 2)
    registers.push_back(LLVM::BitcastOp::create(
        emit, emit.getI32Type(),
        makePair(emit, pairType, elements[i], elements[i + 1])));
  return registers;
}
