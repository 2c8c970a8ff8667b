// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites of fa.attention into an equal op that says less.
#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// A constant scale operand is the attribute's. A tile keeps its operand, which
/// is its kernel's argument.
struct FoldConstantScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    FloatAttr constant;
    if (!op.getScaleValue() || op.isTile() ||
        !matchPattern(op.getScaleValue(), m_Constant(&constant)) ||
        !constant.getValue().isFinite())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setScaleAttr(constant);
      op.getScaleValueMutable().clear();
    });
    return success();
  }
};

/// A scale that equals the default need not be written.
struct DropDefaultScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getScale() ||
        op.getScale()->convertToFloat() != op.getDefaultScale())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
    return success();
  }
};

/// Sides of the window that no pair of positions can cross are dropped, and so
/// is a mask that keeps everything. Extents bound the lengths, so this holds
/// with lengths as well; a tile knows only its own rows, so it is left alone.
struct SimplifyMask : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || op.isTile())
      return failure();
    MaskAttr mask = *op.getMask();
    std::optional<int64_t> left = mask.getLeft(), right = mask.getRight();
    bool causal = mask.getCausal();
    // i + off + right >= i + off: causal is the tighter bound.
    if (causal)
      right.reset();
    int64_t sq = op.getQType().getDimSize(op.getSeqDim());
    int64_t sk = op.getKType().getDimSize(op.getSeqDim());
    bool topLeft = mask.getAlignment() == Alignment::TopLeft;
    // The furthest a key lies left of the diagonal is i + off at the last
    // query; right of it Sk - 1 - off at the first.
    int64_t furthestLeft = topLeft ? sq : sk;
    int64_t furthestRight = topLeft ? sk : sq;
    auto covers = [](std::optional<int64_t> bound, int64_t extent) {
      return bound && !ShapedType::isDynamic(extent) && *bound >= extent - 1;
    };
    if (covers(left, furthestLeft))
      left.reset();
    if (covers(right, furthestRight))
      right.reset();
    if (causal && covers(0, furthestRight))
      causal = false;
    auto simpler = MaskAttr::get(op.getContext(), mask.getAlignment(), causal,
                                 left, right);
    if (simpler == mask && !simpler.keepsAll())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (simpler.keepsAll())
        op.removeMaskAttr();
      else
        op.setMaskAttr(simpler);
    });
    return success();
  }
};

/// A score region that yields its score is none.
struct DropIdentityScore : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasScoreRegion())
      return failure();
    Block &body = op.getScore().front();
    if (cast<YieldOp>(body.getTerminator()).getValue() != body.getArgument(0))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&body); });
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Mask regions
//===----------------------------------------------------------------------===//

namespace {
/// queries * i + keys * j + constant, with i and j the region's coordinates.
struct Linear {
  int64_t queries = 0, keys = 0, constant = 0;
};

/// Whether key j stands at most `right` right, or at most `left` left of i.
struct Band {
  std::optional<int64_t> left, right;
};
} // namespace

/// `value` as a linear form of the coordinates, where it is one that takes at
/// most `depth` ops. An index is 64 bits wide, so index casts between 64-bit
/// types change no coordinate; constants are kept small enough that no sum can
/// wrap.
static std::optional<Linear> matchLinear(Value value, Block &body,
                                         int depth = 6) {
  constexpr int64_t kLargest = int64_t(1) << 40;
  if (!value.getType().isIndex() && !value.getType().isInteger(64))
    return std::nullopt;
  if (value == body.getArgument(2))
    return Linear{1, 0, 0};
  if (value == body.getArgument(3))
    return Linear{0, 1, 0};
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (constant.getInt() > kLargest || constant.getInt() < -kLargest)
      return std::nullopt;
    return Linear{0, 0, constant.getInt()};
  }
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return std::nullopt;
  if (isa<arith::IndexCastOp>(op))
    return matchLinear(op->getOperand(0), body, depth - 1);
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  std::optional<Linear> a = matchLinear(op->getOperand(0), body, depth - 1);
  std::optional<Linear> b = matchLinear(op->getOperand(1), body, depth - 1);
  if (!a || !b)
    return std::nullopt;
  return Linear{a->queries + sign * b->queries, a->keys + sign * b->keys,
                a->constant + sign * b->constant};
}

/// A comparison of the coordinates as one side of a band, where it is one that
/// the mask attribute can state.
static std::optional<Band> matchBand(arith::CmpIOp cmp, Block &body) {
  std::optional<Linear> a = matchLinear(cmp.getLhs(), body);
  std::optional<Linear> b = matchLinear(cmp.getRhs(), body);
  if (!a || !b)
    return std::nullopt;
  // Brought to the form d = a - b <= 0.
  Linear d{a->queries - b->queries, a->keys - b->keys,
           a->constant - b->constant};
  switch (cmp.getPredicate()) {
  case arith::CmpIPredicate::sle:
    break;
  case arith::CmpIPredicate::slt:
    d.constant += 1;
    break;
  case arith::CmpIPredicate::sge:
    d = {-d.queries, -d.keys, -d.constant};
    break;
  case arith::CmpIPredicate::sgt:
    d = {-d.queries, -d.keys, -d.constant + 1};
    break;
  default:
    return std::nullopt;
  }
  // d.constant <= bound on the distance; the attribute states counts only.
  if (d.constant > 0)
    return std::nullopt;
  if (d.queries == -1 && d.keys == 1)
    return Band{std::nullopt, -d.constant}; // j <= i + right
  if (d.queries == 1 && d.keys == -1)
    return Band{-d.constant, std::nullopt}; // j >= i - left
  return std::nullopt;
}

/// The factors of a conjunction, each once.
static void collectFactors(Value value, SetVector<Value> &factors) {
  SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (auto both = seen[i].getDefiningOp<arith::AndIOp>()) {
      seen.insert(both.getLhs());
      seen.insert(both.getRhs());
    } else {
      factors.insert(seen[i]);
    }
  }
}

namespace {
/// Comparisons of i and j in a mask region become the mask attribute, about
/// which the tiling can reason; what is left of the region stays.
struct RegionToMask : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasKeepRegion() || op.isTile())
      return failure();
    MaskAttr mask = op.getMaskOrDefault();
    Block &body = op.getKeep().front();
    auto yield = cast<YieldOp>(body.getTerminator());
    SetVector<Value> factors;
    SmallVector<Value> left;
    collectFactors(yield.getValue(), factors);
    Band band{mask.getLeft(), mask.getRightBound()};
    for (Value factor : factors) {
      if (matchPattern(factor, m_One()))
        continue;
      auto cmp = factor.getDefiningOp<arith::CmpIOp>();
      std::optional<Band> found;
      // The region's comparison is aligned to the top left.
      if (cmp && (mask.keepsAll() || mask.getAlignment() == Alignment::TopLeft))
        found = matchBand(cmp, body);
      if (!found) {
        left.push_back(factor);
        continue;
      }
      tighten(band.left, found->left);
      tighten(band.right, found->right);
    }
    if (left.size() == factors.size())
      return failure();
    update(op, mask, band, left, rewriter);
    return success();
  }

private:
  static void tighten(std::optional<int64_t> &bound,
                      std::optional<int64_t> other) {
    if (other)
      bound = bound ? std::min(*bound, *other) : *other;
  }

  static void update(AttentionOp op, MaskAttr mask, Band band,
                     ArrayRef<Value> left, PatternRewriter &rewriter) {
    bool causal = band.right && *band.right == 0;
    if (causal)
      band.right.reset();
    Alignment alignment =
        mask.keepsAll() ? Alignment::TopLeft : mask.getAlignment();
    auto next = MaskAttr::get(op.getContext(), alignment, causal, band.left,
                              band.right);
    auto yield = cast<YieldOp>(op.getKeep().front().getTerminator());
    if (!left.empty()) {
      rewriter.setInsertionPoint(yield);
      Value all = left.front();
      for (Value factor : left.drop_front())
        all = arith::AndIOp::create(rewriter, yield.getLoc(), all, factor);
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, all); });
    }
    rewriter.modifyOpInPlace(op, [&] {
      if (next.keepsAll())
        op.removeMaskAttr();
      else
        op.setMaskAttr(next);
      if (left.empty())
        rewriter.eraseBlock(&op.getKeep().front());
    });
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<FoldConstantScale, DropDefaultScale, SimplifyMask,
               DropIdentityScore, RegionToMask>(context);
}
