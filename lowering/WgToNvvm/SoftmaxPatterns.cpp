// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise maths and row reductions on registers.
#include "lowering/WgToNvvm/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::GroupLayout;
using ::fa::target::RowLayout;

namespace {

/// Lanes whose values make up a row's: a quad, joined in two exchanges.
constexpr int64_t kQuadMasks[] = {1, 2};

/// Parts of both kinds of maxima join by maximumf.
Value combine(Emit &emit, Combine kind, Value a, Value b) {
  if (kind == Combine::AddF)
    return arith::AddFOp::create(emit, a, b);
  return arith::MaximumFOp::create(emit, a, b);
}

Value joinQuad(Emit &emit, Combine kind, Value value) {
  for (int64_t mask : kQuadMasks)
    value = combine(emit, kind, value, emit.shuffleXor(value, mask));
  return value;
}

class SplatLowering : public OpConversionPattern<SplatOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Value value = adaptor.getValue().front();
    SmallVector<Value> registers;
    if (auto frag = dyn_cast<FragType>(op.getResult().getType())) {
      SmallVector<Value> elements(frag.getRegs(), value);
      registers = packElements(emit, frag.getElementType(), elements);
    } else {
      auto rows = cast<RowsType>(op.getResult().getType());
      if (rows.getPartial() == Combine::AddF)
        value = inOneLane(emit, value);
      registers.assign(rows.getRegs(), value);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  /// A part of a sum whose whole is `value`.
  static Value inOneLane(Emit &emit, Value value) {
    Value isFirst = arith::CmpIOp::create(emit, arith::CmpIPredicate::eq,
                                          emit.inQuad(), emit.i32(0));
    Value zero = arith::ConstantOp::create(
        emit, emit.getFloatAttr(value.getType(), 0.0));
    return arith::SelectOp::create(emit, isFirst, value, zero);
  }
};

/// The coordinates of a lane's registers: what depends on the lane, computed
/// once, plus a constant.
class Coordinates {
public:
  Coordinates(Emit &emit, int64_t rowsPerWarp)
      : emit(emit), rowsPerWarp(rowsPerWarp) {}

  Value row(int64_t constant) {
    return at(rows, constant, [&] {
      return emit.add(emit.mul(emit.warp(), rowsPerWarp), emit.quad());
    });
  }
  Value col(int64_t constant) {
    return at(cols, constant, [&] { return emit.mul(emit.inQuad(), 2); });
  }

private:
  using Known = DenseMap<int64_t, Value>;
  Value at(Known &known, int64_t constant, function_ref<Value()> lanePart) {
    Value &value = known[constant];
    if (!value)
      value = emit.createOrFold<arith::AddIOp>(emit.toIndex(lanePart()),
                                               emit.index(constant));
    return value;
  }

  Emit &emit;
  int64_t rowsPerWarp;
  Known rows;
  Known cols;
};

/// A copy of the region of a wg.map or wg.any for one element, with the values
/// that it captures taken as the conversion knows them by now.
Value inlineBody(Block &body, ArrayRef<Value> arguments,
                 ConversionPatternRewriter &rewriter) {
  auto isCaptured = [&](Value value) {
    // An argument of a loop that is being converted has lost its region.
    Region *region = value.getParentRegion();
    return !region || !body.getParent()->isAncestor(region);
  };
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  body.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isCaptured(operand))
        mapping.map(operand, rewriter.getRemappedValue(operand));
  });
  for (Operation &inner : body.without_terminator())
    rewriter.clone(inner, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValues().front());
}

class MapLowering : public OpConversionPattern<MapOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    SmallVector<SmallVector<Value>> operands;
    for (auto [operand, registers] :
         llvm::zip_equal(op.getOperands(), adaptor.getOperands()))
      operands.push_back(
          unpackElements(emit, elementTypeOf(operand.getType()), registers));

    SmallVector<Value> elements;
    if (auto frag = dyn_cast<FragType>(op.getResult().getType()))
      elements =
          mapFragment(emit, op, frag.getGroupLayout(), operands, rewriter);
    else
      elements = mapRows(emit, op, cast<RowsType>(op.getResult().getType()),
                         operands, rewriter);
    SmallVector<Value> registers =
        packElements(emit, elementTypeOf(op.getResult().getType()), elements);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  using Elements = ArrayRef<SmallVector<Value>>;

  static SmallVector<Value> mapFragment(Emit &emit, MapOp op,
                                        const GroupLayout &group,
                                        Elements operands,
                                        ConversionPatternRewriter &rewriter) {
    Coordinates at(emit, group.rowsPerWarp());
    SmallVector<Value> results;
    for (int64_t reg = 0; reg < group.regs(); ++reg) {
      SmallVector<Value> arguments;
      for (auto [operand, elements] :
           llvm::zip_equal(op.getOperands(), operands))
        arguments.push_back(
            isa<FragType>(operand.getType())
                ? elements[reg]
                : elements[RowLayout::regOfElement(group, reg)]);
      ::fa::target::Coord first = group.coordOf(/*warp=*/0, /*lane=*/0, reg);
      arguments.push_back(at.row(first.row));
      arguments.push_back(at.col(first.col));
      results.push_back(inlineBody(op.getBody().front(), arguments, rewriter));
    }
    return results;
  }

  static SmallVector<Value> mapRows(Emit &emit, MapOp op, RowsType type,
                                    Elements operands,
                                    ConversionPatternRewriter &rewriter) {
    RowLayout layout = type.getRowLayout();
    Coordinates at(emit, layout.rows / layout.warps);
    SmallVector<Value> results;
    for (int64_t reg = 0; reg < layout.regs(); ++reg) {
      SmallVector<Value> arguments;
      for (ArrayRef<Value> elements : operands)
        arguments.push_back(elements[reg]);
      arguments.push_back(at.row(layout.rowOf(/*warp=*/0, /*lane=*/0, reg)));
      results.push_back(inlineBody(op.getBody().front(), arguments, rewriter));
    }
    return results;
  }
};

/// Whether any row of the warp has the predicate.
class AnyLowering : public OpConversionPattern<AnyOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AnyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Value any;
    for (size_t reg = 0, e = adaptor.getOperands()[0].size(); reg < e; ++reg) {
      SmallVector<Value> arguments;
      for (ValueRange registers : adaptor.getOperands())
        arguments.push_back(registers[reg]);
      Value holds = inlineBody(op.getBody().front(), arguments, rewriter);
      any = any ? arith::OrIOp::create(emit, any, holds) : holds;
    }
    constexpr int64_t kAllLanes = -1;
    rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(op, emit.getI1Type(),
                                                  emit.i32(kAllLanes), any,
                                                  NVVM::VoteSyncKind::any);
    return success();
  }
};

/// Several chains, so that an operation need not wait for the one before: one
/// takes four cycles.
Value reduce(ArrayRef<Value> elements, size_t count,
             function_ref<Value(Value, Value)> join) {
  SmallVector<Value> chains(elements.take_front(count));
  for (auto [i, element] : llvm::enumerate(elements.drop_front(chains.size())))
    chains[i % count] = join(chains[i % count], element);
  while (chains.size() > 1) {
    Value last = chains.pop_back_val();
    Value &other = chains[chains.size() % llvm::divideCeil(chains.size(), 2)];
    other = join(other, last);
  }
  return chains.front();
}

/// The maximum or minimum of bits as integers. Two steps of a chain are one
/// instruction; three chains leave fewer single steps than four.
Value reduceBits(Emit &emit, Combine kind, ArrayRef<Value> elements) {
  Type i32 = emit.getI32Type();
  SmallVector<Value> bits;
  for (Value element : elements)
    bits.push_back(arith::BitcastOp::create(emit, i32, element));
  Value most = reduce(bits, /*count=*/3, [&](Value a, Value b) -> Value {
    if (kind == Combine::MaximumBits)
      return arith::MaxSIOp::create(emit, a, b);
    if (kind == Combine::LargestBits)
      return arith::MaxUIOp::create(emit, a, b);
    return arith::MinUIOp::create(emit, a, b);
  });
  return arith::BitcastOp::create(emit, elements.front().getType(), most);
}

Value reduce(Emit &emit, Combine kind, ArrayRef<Value> elements) {
  if (isOfBits(kind))
    return reduceBits(emit, kind, elements);
  return reduce(elements, /*count=*/4,
                [&](Value a, Value b) { return combine(emit, kind, a, b); });
}

class ReduceRowsLowering : public OpConversionPattern<ReduceRowsOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    GroupLayout group = op.getFrag().getType().getGroupLayout();
    bool partial = op.getInit().getType().getPartial().has_value();
    SmallVector<SmallVector<Value>> elements(adaptor.getInit().size());
    for (auto [reg, element] : llvm::enumerate(adaptor.getFrag()))
      elements[RowLayout::regOfElement(group, reg)].push_back(element);

    SmallVector<Value> rows;
    for (auto [init, row] : llvm::zip_equal(adaptor.getInit(), elements)) {
      Value all = reduce(emit, op.getKind(), row);
      // The parts of a sum go on from the part that the lane has; the whole of
      // it must join the lanes' sums only once.
      if (!partial)
        all = joinQuad(emit, op.getKind(), all);
      rows.push_back(combine(emit, op.getKind(), all, init));
    }
    rewriter.replaceOpWithMultiple(op, {rows});
    return success();
  }
};

class JoinRowsLowering : public OpConversionPattern<JoinRowsOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(JoinRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    Combine kind = *op.getRows().getType().getPartial();
    SmallVector<Value> rows;
    for (Value part : adaptor.getRows())
      rows.push_back(joinQuad(emit, kind, part));
    rewriter.replaceOpWithMultiple(op, {rows});
    return success();
  }
};

/// Registers run from block to block of 16 rows, and in a block along columns.
class SliceLowering : public OpConversionPattern<SliceOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SliceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragType from = op.getFrag().getType(), to = op.getResult().getType();
    Type element = from.getElementType();
    size_t wide = registersOf(element, from.getGroupLayout().regsPerBlock());
    size_t narrow = registersOf(element, to.getGroupLayout().regsPerBlock());
    // A lane holds every fourth pair of columns of every eighth row.
    size_t first = registersOf(element, op.getFirst() / 2);
    SmallVector<Value> registers;
    for (int64_t block = 0; block < to.getGroupLayout().rowBlocks(); ++block)
      llvm::append_range(registers,
                         adaptor.getFrag().slice(block * wide + first, narrow));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class ConcatLowering : public OpConversionPattern<ConcatOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConcatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    size_t blocks = op.getResult().getType().getGroupLayout().rowBlocks();
    SmallVector<Value> registers;
    for (size_t block = 0; block < blocks; ++block)
      for (ValueRange part : adaptor.getParts()) {
        size_t count = part.size() / blocks;
        llvm::append_range(registers, part.slice(block * count, count));
      }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class RelayoutLowering : public OpConversionPattern<RelayoutOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RelayoutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getFrag()});
    return success();
  }
};

} // namespace

void mlir::wg::populateSoftmaxPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns
      .add<SplatLowering, MapLowering, AnyLowering, ReduceRowsLowering,
           JoinRowsLowering, SliceLowering, ConcatLowering, RelayoutLowering>(
          converter, patterns.getContext());
}
