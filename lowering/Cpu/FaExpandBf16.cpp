// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of bf16 without calls.
#include "lowering/Cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDBF16
#include "lowering/Cpu/Passes.h.inc"

namespace {

/// Rounds f32 to the nearest bf16, ties to even: the upper half of the bits,
/// after one half of what it counts has been added to the lower half. That
/// could make an infinity of a NaN, so of a NaN the upper half is taken as it
/// is, with the bit of a quiet one set.
///
/// Upstream has a pattern for this, in which every NaN becomes one constant.
/// LLVM moves such a select behind the cast, to vectors of bf16, and takes it
/// apart there element by element where the chip does not know the type.
struct RoundToBf16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isF32() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    auto shape = dyn_cast<ShapedType>(x.getType());
    if (shape && !shape.hasStaticShape())
      return failure(); // upstream's
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto like = [&](Type element) -> Type {
      return shape ? shape.clone(element) : element;
    };
    Type i32 = like(b.getI32Type());
    auto constant = [&](uint32_t bits) -> Value {
      TypedAttr value = b.getI32IntegerAttr(bits);
      if (auto shaped = dyn_cast<ShapedType>(i32))
        value = DenseElementsAttr::get(shaped, Attribute(value));
      return arith::ConstantOp::create(b, value);
    };
    Value half = constant(16);
    Value bits = arith::BitcastOp::create(b, i32, x);
    Value upper = arith::ShRUIOp::create(b, bits, half);
    Value odd = arith::AndIOp::create(b, upper, constant(1));
    Value rounded = arith::AddIOp::create(b, bits, constant(0x7fff));
    rounded = arith::AddIOp::create(b, rounded, odd);
    Value quiet = arith::OrIOp::create(b, bits, constant(0x400000));
    Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    Value chosen = arith::SelectOp::create(b, isNan, quiet, rounded);
    Value shifted = arith::ShRUIOp::create(b, chosen, half);
    Value i16 = arith::TruncIOp::create(b, like(b.getI16Type()), shifted);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), i16);
    return success();
  }
};

struct FaExpandBf16 : impl::FaExpandBf16Base<FaExpandBf16> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<RoundToBf16>(&getContext(), /*benefit=*/2);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::fa
