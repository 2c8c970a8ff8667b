// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in flight: wgmma.
#include "lowering/Ptx/InlinePtx.h"
#include "lowering/WgToNvvm/Patterns.h"

#include "dialect/Target/MatrixDescriptor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::kWgmmaK;
using ::fa::target::kWgmmaRows;
using ::fa::target::MatrixDescriptor;
using ::fa::target::TileRows;
namespace ptx = mlir::fa::ptx;

namespace {

/// An operand of a product in shared memory.
class SharedOperand {
public:
  SharedOperand(SmemType type, TileRows rows) : type(type), rows(rows) {}

  /// The descriptor (i64) of the tile at `address` (i32).
  Value descriptor(Emit &emit, Value address) const {
    uint64_t bits = matrixDescriptor(type.getLayout(), rows).bits();
    Value result = arith::ConstantIntOp::create(emit, int64_t(bits), 64);
    // What changes in a loop is added last.
    SmallVector<Value> products;
    addUnits(emit, address, result, products);
    for (Value product : products)
      result = arith::AddIOp::create(emit, result, product);
    return result;
  }

  /// What each k step adds to the descriptor.
  SmallVector<int64_t> steps() const {
    int64_t k = rows == TileRows::K ? type.getRows() : type.getCols();
    SmallVector<int64_t> result;
    for (int64_t step = 0; step < k / kWgmmaK; ++step)
      result.push_back(wgmmaStepBytes(type.getLayout(), rows, step) >>
                       MatrixDescriptor::kAddressShift);
    return result;
  }

private:
  static constexpr int64_t kUnit = 1 << MatrixDescriptor::kAddressShift;

  /// Adds the units of `address` to `sum`, those of a slot's or band's number
  /// to `products`. Every term of a tile's address is a multiple of the
  /// layout's alignment, so that each may be divided by itself: a
  /// multiplication and a sum in 64 bits then make a slot's descriptor from its
  /// number.
  static void addUnits(Emit &emit, Value address, Value &sum,
                       SmallVectorImpl<Value> &products) {
    IntegerAttr factor;
    if (auto add = address.getDefiningOp<arith::AddIOp>()) {
      addUnits(emit, add.getLhs(), sum, products);
      addUnits(emit, add.getRhs(), sum, products);
    } else if (auto mul = address.getDefiningOp<arith::MulIOp>();
               mul && matchPattern(mul.getRhs(), m_Constant(&factor)) &&
               factor.getInt() % kUnit == 0) {
      Value units =
          arith::ConstantIntOp::create(emit, factor.getInt() / kUnit, 64);
      products.push_back(
          arith::MulIOp::create(emit, widen(emit, mul.getLhs()), units));
    } else {
      Value units = emit.createOrFold<arith::ShRUIOp>(
          address, emit.i32(MatrixDescriptor::kAddressShift));
      sum = arith::AddIOp::create(emit, sum, widen(emit, units));
    }
  }

  static Value widen(Emit &emit, Value value) {
    return emit.createOrFold<arith::ExtUIOp>(emit.getI64Type(), value);
  }

  SmemType type;
  TileRows rows;
};

class MmaAsyncLowering : public OpConversionPattern<MmaAsyncOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragType acc = op.getResult().getType().getFrag();
    if (acc.getRows() != kWgmmaRows || threadsOf(op) != kWarpgroupThreads)
      return op.emitOpError() << "expects to be executed by one warpgroup, "
                                 "with "
                              << kWgmmaRows << " rows, got " << acc;
    Emit emit(op, rewriter);
    SmallVector<Value> operands;
    if (op.getC())
      llvm::append_range(operands, adaptor.getC());

    SmallVector<int64_t> aSteps;
    if (auto tile = dyn_cast<SmemType>(op.getA().getType())) {
      SharedOperand a(tile, TileRows::Outer);
      aSteps = a.steps();
      if (op.getFront()) {
        llvm::append_range(operands, adaptor.getFront());
        int64_t columns = op.getFront().getType().getCols();
        aSteps.erase(aSteps.begin(), aSteps.begin() + columns / kWgmmaK);
      }
      if (!aSteps.empty())
        operands.push_back(a.descriptor(emit, adaptor.getA().front()));
    } else {
      llvm::append_range(operands, adaptor.getA());
    }
    SharedOperand b(op.getB().getType(),
                    op.getTransposeB() ? TileRows::Outer : TileRows::K);
    operands.push_back(b.descriptor(emit, adaptor.getB().front()));
    SmallVector<int64_t> bSteps = b.steps();

    ptx::WgmmaProduct product;
    product.n = acc.getCols();
    product.type =
        op.getB().getType().getElementType().isF16() ? "f16" : "bf16";
    product.aSteps = aSteps;
    product.bSteps = bSteps;
    product.transposeB = !op.getTransposeB();
    product.accumulate = bool(op.getC());
    SmallVector<Value> registers =
        ptx::buildInlinePtx(emit, op.getLoc(), ptx::wgmmaProduct(product),
                            registerTypes(acc), operands);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class WaitMmaLowering : public OpConversionPattern<WaitMmaOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitMmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    SmallVector<Value> operands(adaptor.getPending());
    for (ValueRange kept : adaptor.getKept())
      llvm::append_range(operands, kept);
    SmallVector<Value> done = ptx::buildInlinePtx(
        emit, op.getLoc(), ptx::wgmmaWait(op.getKept().size(), operands.size()),
        TypeRange(ValueRange(operands)), operands);

    ArrayRef<Value> rest = done;
    SmallVector<SmallVector<Value>> results;
    auto take = [&](size_t count) {
      results.emplace_back(rest.take_front(count));
      rest = rest.drop_front(count);
    };
    take(adaptor.getPending().size());
    for (ValueRange kept : adaptor.getKept())
      take(kept.size());
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

} // namespace

void mlir::wg::populateAsyncMmaPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<MmaAsyncLowering, WaitMmaLowering>(converter,
                                                  patterns.getContext());
}
