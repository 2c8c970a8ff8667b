// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: where a score region is increasing and, for the scores of a warp, an
// odd polynomial (wg-small-tanh), a row's maximum is the region's value for the
// largest product, and the other products wait for their exponents: their
// polynomial's last product and the exponent's multiply-add are one
// instruction, and the products' maxima may be taken as integers.
//
// A warp with scores that need the full form, or with references far from 0,
// takes the branch that moves references, and computes exponents by themselves
// there. The polynomial's coefficients are 1, 0, ... behind it, so that both go
// through the same exponentials, which ptxas mixes with what reads them. A
// product's exponent has the same bits on either way.
#include "passes/Passes.h"
#include "passes/ScoreStep.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGLATESCORES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Exponents below it give 0 as this one does, and its square is finite.
static constexpr double kLeastExponent = -0x1p62;

namespace {
/// Scores that are a polynomial of products but for some warps.
struct Step : ScoreStep {
  /// Gives the scores: in full for some warps, else as the polynomial.
  scf::IfOp bends;
  wg::MapOp full, polynomial;
  /// x * (b[0] + x^2 * (b[1] + ...)).
  SmallVector<Value> b;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// The coefficients of `value` = x * (b0 + x^2 * (b1 + ...)) in a region, all
/// of them from outside of `loop`; none where it is something else.
static SmallVector<Value> matchPolynomial(Value value, Value x,
                                          scf::ForOp loop) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || product.getLhs() != x)
    return {};
  SmallVector<Value> b;
  Value rest = product.getRhs();
  while (auto fma = rest.getDefiningOp<math::FmaOp>()) {
    auto square = fma.getA().getDefiningOp<arith::MulFOp>();
    if (!square || square.getLhs() != x || square.getRhs() != x)
      return {};
    b.push_back(fma.getC());
    rest = fma.getB();
  }
  b.push_back(rest);
  bool isUniform = llvm::all_of(
      b, [&](Value value) { return loop.isDefinedOutsideOfLoop(value); });
  return isUniform ? b : SmallVector<Value>();
}

/// The one map that a region of `bends` yields of x, increasing and the same
/// for all rows and columns.
static wg::MapOp yieldedMap(scf::YieldOp yield) {
  auto map = yield.getOperand(0).getDefiningOp<wg::MapOp>();
  if (!map || map->getBlock() != yield->getBlock() || !map.getIncreasing() ||
      map.getNumOperands() != 1)
    return {};
  bool isUniform =
      llvm::all_of(map.getBody().getArguments().drop_front(),
                   [](BlockArgument each) { return each.use_empty(); });
  return isUniform ? map : wg::MapOp();
}

/// Whether `map` is the polynomial with these coefficients for some elements,
/// which it reads as they are there (wg-small-tanh).
static bool choosesPolynomial(wg::MapOp map, ArrayRef<Value> b,
                              scf::ForOp loop) {
  auto select = map.getYielded().getDefiningOp<arith::SelectOp>();
  auto product = select ? select.getTrueValue().getDefiningOp<arith::MulFOp>()
                        : arith::MulFOp();
  auto small = product ? product.getLhs().getDefiningOp<arith::SelectOp>()
                       : arith::SelectOp();
  return small && small.getCondition() == select.getCondition() &&
         small.getTrueValue() == map.getBody().getArgument(0) &&
         ArrayRef(matchPolynomial(product, small, loop)) == b;
}

static std::optional<Step> matchStep(scf::IfOp moves) {
  std::optional<ScoreStep> found = matchScoreStep(moves);
  if (!found)
    return std::nullopt;
  Step step{*found, found->scores.getDefiningOp<scf::IfOp>(), {}, {}, {}};
  if (!step.bends || step.bends.getNumResults() != 1 ||
      step.bends->getBlock() != step.loop.getBody())
    return std::nullopt;
  step.full = yieldedMap(step.bends.thenYield());
  step.polynomial = yieldedMap(step.bends.elseYield());
  if (!step.full || !step.polynomial ||
      step.full.getOperands() != step.polynomial.getOperands())
    return std::nullopt;
  step.b = matchPolynomial(step.polynomial.getYielded(),
                           step.polynomial.getBody().getArgument(0), step.loop);
  bool fits =
      !step.b.empty() && choosesPolynomial(step.full, step.b, step.loop);
  return fits ? std::optional(step) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// `map` of other operands than its own.
static wg::MapOp cloneOf(OpBuilder &b, wg::MapOp map, Value operand) {
  auto made = wg::MapOp::create(b, map.getLoc(), operand.getType(), operand,
                                /*increasing=*/true);
  IRMapping mapping;
  map.getBody().cloneInto(&made.getBody(), mapping);
  // Rows have no column; the region does not read it.
  if (isa<wg::RowsType>(operand.getType()))
    made.getBody().front().eraseArgument(2);
  return made;
}

/// The vote is on the polynomial of the largest products. Where some warp's
/// scores need the full form, so do the maxima, in the branch.
static void voteOnProducts(Step &step) {
  OpBuilder b(step.max);
  Location loc = step.max.getLoc();
  Type type = step.max.getType();
  Value far = step.bends.getCondition();
  Value largest = wg::ReduceRowsOp::create(b, loc, type, wg::Combine::MaximumF,
                                           step.polynomial.getOperand(0),
                                           step.max.getInit());
  Value most = cloneOf(b, step.polynomial, largest).getResult();
  step.vote->setOperand(0, most);
  b.setInsertionPoint(step.moves);
  Value takes = arith::OrIOp::create(b, loc, step.vote.getResult(), far);
  step.moves.getConditionMutable().assign(takes);

  b.setInsertionPointToStart(step.moves.thenBlock());
  auto choice = scf::IfOp::create(b, loc, type, far, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder inner = choice.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc,
                       cloneOf(inner, step.full, largest).getResult());
  inner = choice.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, most);
  step.max.getResult().replaceAllUsesWith(choice.getResult(0));
}

/// x * (b[0] + x^2 * (b[1] + ...)) + rest.
static Value buildSum(OpBuilder &at, Location loc, Value x, ArrayRef<Value> b,
                      Value rest) {
  Value square = arith::MulFOp::create(at, loc, x, x);
  Value sum = b.back();
  for (Value coefficient : llvm::reverse(b.drop_back()))
    sum = math::FmaOp::create(at, loc, square, sum, coefficient);
  return math::FmaOp::create(at, loc, x, sum, rest);
}

/// What far references take from the scores.
static Value buildBase(OpBuilder &b, Step &step) {
  IRMapping mapping;
  return cloneValue(
      b, step.difference.getOperand(1), mapping, [&](Operation *op) {
        return step.subtracts.getThenRegion().isAncestor(op->getParentRegion());
      });
}

/// The exponents of the products `x`, each by itself: by the polynomial where
/// the full form takes it and the reference is near 0.
static Value buildExponents(OpBuilder &b, Step &step, ArrayRef<Value> scaled) {
  Location loc = step.full.getLoc();
  Value x = step.full.getOperand(0), factor = step.factor;
  auto one = [&](OpBuilder &at, ValueRange args) -> Value {
    IRMapping mapping;
    mapping.map(step.full.getBody().getArgument(0), args[0]);
    for (Operation &op : step.full.getBody().front().without_terminator())
      at.clone(op, mapping);
    auto score =
        mapping.lookup(step.full.getYielded()).getDefiningOp<arith::SelectOp>();
    Value early = buildSum(at, loc, args[0], scaled, args[2]);
    Value less = arith::SubFOp::create(at, loc, score, args[1]);
    Value late = math::FmaOp::create(at, loc, less, factor, args[2]);
    Value isNear = arith::CmpFOp::create(at, loc, arith::CmpFPredicate::OEQ,
                                         args[1], buildNumber(at, loc, 0));
    isNear = arith::AndIOp::create(at, loc, isNear, score.getCondition());
    Value either = arith::SelectOp::create(at, loc, isNear, early, late);
    return arith::MaximumFOp::create(at, loc, either,
                                     buildNumber(at, loc, kLeastExponent));
  };
  Value operands[] = {x, buildBase(b, step),
                      step.moves.thenYield().getOperand(step.restPlace)};
  return buildMap(b, loc, x.getType(), operands, one);
}

/// What exponentials read where references may move: products, or exponents.
static ExponentTerms buildMoved(Step &step, ArrayRef<Value> scaled) {
  OpBuilder b(step.moves.thenYield());
  Location loc = step.moves.getLoc();
  ValueRange moved = step.moves.thenYield().getOperands();
  Value isLate = arith::OrIOp::create(b, loc, step.bends.getCondition(),
                                      moved[step.farPlace]);
  Value x = step.full.getOperand(0), rest = moved[step.restPlace];
  auto tile = scf::IfOp::create(b, loc, x.getType(), isLate,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder inner = tile.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc, buildExponents(inner, step, scaled));
  inner = tile.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, x);
  rest = buildMap(b, loc, rest.getType(), rest,
                  [&](OpBuilder &at, ValueRange args) {
                    return chooseNumber(at, loc, isLate, 0, args[0]);
                  });
  ExponentTerms terms{tile.getResult(0), {rest}, {}};
  for (auto [power, coefficient] : llvm::enumerate(scaled))
    terms.numbers.push_back(
        chooseNumber(b, loc, isLate, power == 0 ? 1 : 0, coefficient));
  return terms;
}

static void rewrite(Step &step) {
  OpBuilder b(step.loop);
  Location loc = step.moves.getLoc();
  SmallVector<Value> scaled;
  for (Value coefficient : step.b)
    scaled.push_back(arith::MulFOp::create(b, loc, step.factor, coefficient));
  voteOnProducts(step);
  ExponentTerms stayed{step.full.getOperand(0),
                       {step.moves.elseYield().getOperand(step.restPlace)},
                       scaled};
  replaceScores(step, buildMoved(step, scaled), stayed,
                [&](OpBuilder &at, ValueRange args, Value) {
                  SmallVector<Value> b(args.drop_front(2));
                  return buildSum(at, loc, args[0], b, args[1]);
                });
}

namespace {
struct LateScoresPass : mlir::fa::impl::WgLateScoresBase<LateScoresPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    rewriteSteps(module, matchStep, rewrite);
  }
};
} // namespace
