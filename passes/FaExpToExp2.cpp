// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

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
    if (!op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Value factor = arith::ConstantOp::create(
        rewriter, loc, rewriter.getF32FloatAttr(static_cast<float>(M_LOG2E)));
    auto tile = op->getParentOfType<linalg::GenericOp>();
    auto product = x.getDefiningOp<arith::MulFOp>();
    if (tile && product && isUniform(product.getRhs(), tile)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(tile);
      Value log2e = arith::ConstantOp::create(
          rewriter, loc, rewriter.getF32FloatAttr(static_cast<float>(M_LOG2E)));
      factor = arith::MulFOp::create(rewriter, loc, product.getRhs(), log2e);
      x = product.getLhs();
    }
    Value exponent = arith::MulFOp::create(rewriter, loc, x, factor);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
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
