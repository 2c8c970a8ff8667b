// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPTOEXP2
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {
struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    bool mayBeApproximate =
        arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (!op.getType().isF32() || !mayBeApproximate)
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Value factor = constant(rewriter, loc, llvm::numbers::log2ef);
    auto tile = op->getParentOfType<linalg::GenericOp>();
    auto product = x.getDefiningOp<arith::MulFOp>();
    if (tile && product && isUniform(product.getRhs(), tile)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(tile);
      Value log2e = constant(rewriter, loc, llvm::numbers::log2ef);
      factor = arith::MulFOp::create(rewriter, loc, product.getRhs(), log2e);
      factor = clampToFinite(rewriter, loc, factor);
      x = product.getLhs();
    }
    Value exponent = arith::MulFOp::create(rewriter, loc, x, factor);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
  }

  static Value constant(OpBuilder &b, Location loc, float value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }

  /// A finite factor times log2(e) may be infinite, and times 0, which is what
  /// the largest score of a row has, that would be NaN. Differences that are
  /// not 0 are far from where it matters: their exponentials are 0 or infinite.
  static Value clampToFinite(OpBuilder &b, Location loc, Value factor) {
    constexpr float most = std::numeric_limits<float>::max();
    factor = arith::MinimumFOp::create(b, loc, factor, constant(b, loc, most));
    return arith::MaximumFOp::create(b, loc, factor, constant(b, loc, -most));
  }

  /// Whether `value` is the same for all elements of `tile`.
  static bool isUniform(Value value, linalg::GenericOp tile) {
    return !tile.getRegion().isAncestor(value.getParentRegion());
  }
};

struct ExpToExp2Pass : mlir::fa::impl::FaExpToExp2Base<ExpToExp2Pass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpToExp2>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
