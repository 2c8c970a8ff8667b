// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: scores a * x + c * column + rows, of products x with a > 0, need no
// instruction of their own (ALiBi): the exponent of a product is a * f * x and
// a number that its row and column give, two multiply-adds.
//
// A row's maximum is at most a * (largest product) + the slant's largest value
// in the tile. Where that does not pass what the reference allows, the maximum
// does not either; where it does, the branch that moves references computes the
// scores. A row's reference is taken from the tile's slant first, so that only
// rows with products that are large by themselves need exponents that are
// computed from the scores; a warp with such a row takes the branch too. The
// bits of a row do not depend on the rows beside it.
#include "passes/LinearForm.h"
#include "passes/Passes.h"
#include "passes/Slant.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGSLANTEDSCORES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Scores that are linear in the column.
struct Step : ScoreStep {
  wg::MapOp map;
  LinearForm form;
  /// The references: which result of `moves` they are, and how far scores may
  /// pass them.
  unsigned referencePlace = 0;
  Value slack;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// Matches what the vote's bound follows from.
static bool matchReference(Step &step) {
  std::optional<unsigned> place =
      carriedPlace(step.loop, step.vote.getOperand(1));
  std::optional<unsigned> bound =
      place ? carriedResult(step.loop, step.moves, *place) : std::nullopt;
  if (!bound)
    return false;
  auto moved = step.moves.thenYield().getOperands();
  std::optional<RaisedRows> raised = matchRaised(moved[*bound]);
  if (!raised || !step.loop.isDefinedOutsideOfLoop(raised->by))
    return false;
  auto reference = llvm::find(moved, raised->rows);
  step.referencePlace = std::distance(moved.begin(), reference);
  step.slack = raised->by;
  return reference != moved.end();
}

static std::optional<Step> matchStep(scf::IfOp moves) {
  std::optional<ScoreStep> found = matchScoreStep(moves);
  auto map = found ? found->scores.getDefiningOp<wg::MapOp>() : wg::MapOp();
  if (!map || map.getNumOperands() != 1 || !isMemoryEffectFree(map) ||
      !map.getOperand(0).getDefiningOp<wg::WaitMmaOp>() ||
      map->getBlock() != found->loop.getBody())
    return std::nullopt;
  std::optional<LinearForm> linear = matchLinear(map, found->loop);
  if (!linear || !linear->element || !linear->column ||
      !isPositive(*linear->element))
    return std::nullopt;
  Step step{*found, map, *linear, 0, {}};
  return matchReference(step) ? std::optional(step) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// Clones an op of a linear form's region; what a product of 0 makes of it is
/// left out, which LLVM may not do.
static void cloneAtZero(OpBuilder &b, Operation &op, IRMapping &mapping) {
  auto isZero = [&](unsigned operand) {
    return matchPattern(mapping.lookupOrDefault(op.getOperand(operand)),
                        m_AnyZeroFloat());
  };
  bool isProduct = isa<arith::MulFOp>(op), isSum = isa<arith::AddFOp>(op);
  for (unsigned i : {0, 1})
    if ((isProduct || isSum) && isZero(i)) {
      Value left = op.getOperand(isProduct ? i : 1 - i);
      mapping.map(op.getResult(0), mapping.lookupOrDefault(left));
      return;
    }
  b.clone(op, mapping);
}

/// The score of a product of 0 in each row's first column.
static Value buildRows(OpBuilder &b, Step &step, Type type) {
  Location loc = step.map.getLoc();
  auto rows = wg::MapOp::create(b, loc, type, ValueRange());
  Block &block = rows.getBody().emplaceBlock();
  Value row = block.addArgument(b.getIndexType(), loc);
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Block &body = step.map.getBody().front();
  Value arguments[] = {buildNumber(inner, loc, 0), row,
                       arith::ConstantIndexOp::create(inner, loc, 0)};
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange(arguments));
  for (Operation &op : body)
    cloneAtZero(inner, op, mapping);
  return rows.getResult();
}

/// What rows add to exponents: the slant in the first column, less the
/// reference.
static Value buildRest(OpBuilder &b, Step &step, Value rows, Value reference) {
  Location loc = step.map.getLoc();
  return buildMap(b, loc, reference.getType(), {rows, reference},
                  [&](OpBuilder &at, ValueRange args) -> Value {
                    Value less =
                        arith::SubFOp::create(at, loc, args[0], args[1]);
                    return arith::MulFOp::create(at, loc, less, step.factor);
                  });
}

/// The vote asks for what the largest exponents may be, and for rows with large
/// numbers; what rows add to exponents where references stay.
static Value askForMost(Step &step, const Slant &slant, Value rows) {
  OpBuilder b(step.max);
  Location loc = step.max.getLoc();
  Type type = step.max.getType();
  Value reference = step.moves.elseYield().getOperand(step.referencePlace);
  Value rest = buildRest(b, step, rows, reference);
  // Both sides of the comparison in the branch are rounded: a row that passes
  // there has to ask here.
  Value limit = buildMap(b, loc, reference.getType(), reference,
                         [&](OpBuilder &at, ValueRange args) -> Value {
                           Value size = math::AbsFOp::create(at, loc, args[0]);
                           return math::FmaOp::create(at, loc, size,
                                                      slant.margin, slant.most);
                         });
  Value largest =
      wg::ReduceRowsOp::create(b, loc, type, wg::Combine::MaximumF,
                               step.map.getOperand(0), step.max.getInit());
  Value most = buildMap(
      b, loc, type, {largest, rest, reference},
      [&](OpBuilder &at, ValueRange args) -> Value {
        Value sum =
            math::FmaOp::create(at, loc, args[0], slant.ofExponents.a, args[1]);
        Value large = hasLarge(at, slant, {args[0], args[1], args[2]});
        return chooseNumber(at, loc, large,
                            std::numeric_limits<double>::infinity(), sum);
      });
  most.getDefiningOp<wg::MapOp>().setIncreasing(true);
  step.vote->setOperands({most, limit});
  return rest;
}

/// The branch computes the scores, for their maxima.
static void computeMaxima(Step &step, const Slant &slant, Value rows) {
  OpBuilder b = OpBuilder::atBlockBegin(step.moves.thenBlock());
  Location loc = step.map.getLoc();
  Value scores = buildTileMap(
      b, loc, step.scores.getType(), {step.map.getOperand(0), rows},
      [&](OpBuilder &at, ValueRange args) {
        return buildScore(at, loc, args[0], slant.ofScores, args[3], args[1]);
      });
  Value max = wg::ReduceRowsOp::create(b, loc, step.max.getType(),
                                       wg::Combine::MaximumF, scores,
                                       step.max.getInit());
  step.max.getResult().replaceAllUsesWith(max);
}

/// `reference`, 0 in rows without one.
static Value buildFinite(OpBuilder &b, Location loc, Value reference) {
  return buildMap(
      b, loc, reference.getType(), reference,
      [&](OpBuilder &at, ValueRange args) -> Value {
        Value none = arith::CmpFOp::create(
            at, loc, arith::CmpFPredicate::OEQ, args[0],
            buildNumber(at, loc, -std::numeric_limits<double>::infinity()));
        return chooseNumber(at, loc, none, 0, args[0]);
      });
}

/// What exponentials read where references may move.
static ExponentTerms buildMoved(Step &step, const Slant &slant, Value rows,
                                const ExponentTerms &stayed) {
  OpBuilder b(step.moves.thenYield());
  Location loc = step.map.getLoc();
  Value reference = buildFinite(
      b, loc, step.moves.thenYield().getOperand(step.referencePlace));
  ExponentTerms early = stayed;
  early.rows.back() = buildRest(b, step, rows, reference);
  Value parts = wg::ReduceRowsOp::create(b, loc, step.max.getType(),
                                         wg::Combine::MaximumF, early.tile,
                                         step.max.getInit());
  SlantedRow row{wg::JoinRowsOp::create(b, loc, parts), early.rows.back(),
                 reference};
  auto values = [](const ExponentTerms &terms) {
    SmallVector<Value> all{terms.tile};
    llvm::append_range(all, terms.rows);
    return all;
  };
  auto branch =
      scf::IfOp::create(b, loc, ValueRange(values(early)).getTypes(),
                        voteOnLate(b, loc, slant, row), /*addThenBlock=*/true,
                        /*addElseBlock=*/true);
  OpBuilder inner = branch.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc,
                       values(buildLate(inner, loc, slant, rows, row, early)));
  inner = branch.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, values(early));
  return {branch.getResult(0),
          SmallVector<Value>(branch.getResults().drop_front()),
          {}};
}

static void rewrite(Step &step) {
  OpBuilder b(step.loop);
  Location loc = step.map.getLoc();
  SlantFactors by{buildCoefficient(b, loc, *step.form.element),
                  buildCoefficient(b, loc, *step.form.column)};
  int64_t columns = cast<wg::FragType>(step.scores.getType()).getCols();
  Slant slant = buildSlant(b, loc, by, step.factor, step.slack, columns);
  Type type = step.moves.getResult(step.referencePlace).getType();
  Value a = wg::SplatOp::create(b, loc, type, slant.ofExponents.a);
  Value c = wg::SplatOp::create(b, loc, type, slant.ofExponents.c);
  b.setInsertionPoint(step.max);
  Value rows = buildRows(b, step, type);
  Value rest = askForMost(step, slant, rows);
  computeMaxima(step, slant, rows);
  ExponentTerms stayed{step.map.getOperand(0), {a, c, rest}, {}};
  replaceScores(step, buildMoved(step, slant, rows, stayed), stayed,
                [&](OpBuilder &at, ValueRange args, Value column) {
                  return buildExponent(at, loc, args[0], {args[1], args[2]},
                                       column, args[3]);
                });
}

namespace {
struct SlantedScoresPass
    : mlir::fa::impl::WgSlantedScoresBase<SlantedScoresPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    rewriteSteps(module, matchStep, rewrite);
  }
};
} // namespace
