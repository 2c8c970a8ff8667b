// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ScoreStep.h"

#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fa;

/// Matches what takes far references from the scores, and where it goes.
static bool matchSubtracts(ScoreStep &step) {
  auto stays = step.moves.elseYield().getOperands();
  auto moved = step.moves.thenYield().getOperands();
  auto scores = llvm::find(stays, step.scores);
  if (scores == stays.end())
    return false;
  step.scoresPlace = std::distance(stays.begin(), scores);
  step.subtracts = moved[step.scoresPlace].getDefiningOp<scf::IfOp>();
  if (!step.subtracts || step.subtracts.getNumResults() != 1 ||
      !step.subtracts->hasOneUse() ||
      step.subtracts.elseYield().getOperand(0) != step.scores)
    return false;
  Value taken = step.subtracts.thenYield().getOperand(0);
  step.difference = taken.getDefiningOp<wg::MapOp>();
  auto far = llvm::find(moved, step.subtracts.getCondition());
  step.farPlace = std::distance(moved.begin(), far);
  if (!step.difference || step.difference.getNumOperands() != 2 ||
      step.difference.getOperand(0) != step.scores)
    return false;
  Block &body = step.difference.getBody().front();
  auto less = step.difference.getYielded().getDefiningOp<arith::SubFOp>();
  return less && less.getLhs() == body.getArgument(0) &&
         less.getRhs() == body.getArgument(1) && far != moved.end();
}

/// The factor of a map that is exp2(fma(score, factor, rest)), null for others.
static Value matchPower(wg::MapOp map) {
  Block &body = map.getBody().front();
  auto power = map.getYielded().getDefiningOp<math::Exp2Op>();
  auto fma =
      power ? power.getOperand().getDefiningOp<math::FmaOp>() : math::FmaOp();
  bool fits = fma && map.getNumOperands() == 2 && llvm::hasNItems(body, 3) &&
              fma.getA() == body.getArgument(0) &&
              fma.getC() == body.getArgument(1) &&
              fma.getB().getParentBlock() != &body;
  return fits ? fma.getB() : Value();
}

/// Matches the exponentials of `scores`, columns of the step's from `first` on.
static bool matchExponentials(ScoreStep &step, Value scores, int64_t first) {
  return llvm::all_of(scores.getUsers(), [&](Operation *user) {
    if (auto slice = dyn_cast<wg::SliceOp>(user))
      return matchExponentials(step, slice, first + slice.getFirst());
    auto map = dyn_cast<wg::MapOp>(user);
    Value factor = map ? matchPower(map) : Value();
    auto rest = factor ? dyn_cast<OpResult>(map.getOperand(1)) : OpResult();
    if (!rest || rest.getOwner() != step.moves)
      return false;
    unsigned place = rest.getResultNumber();
    if (!step.exponentials.empty() &&
        (place != step.restPlace || factor != step.factor))
      return false;
    step.restPlace = place;
    step.factor = factor;
    step.exponentials.push_back({map, first});
    return true;
  });
}

/// Whether the maxima are read by the vote, and where references may move.
static bool isReadInBranch(ScoreStep &step) {
  return llvm::all_of(step.max->getUsers(), [&](Operation *user) {
    return user == step.vote ||
           step.moves.getThenRegion().isAncestor(user->getParentRegion());
  });
}

std::optional<ScoreStep> mlir::fa::matchScoreStep(scf::IfOp moves) {
  ScoreStep step;
  step.moves = moves;
  step.loop = dyn_cast<scf::ForOp>(moves->getParentOp());
  step.vote = moves.getCondition().getDefiningOp<wg::AnyOp>();
  if (!step.loop || !step.vote || !asksForMore(step.vote) || !moves.elseBlock())
    return std::nullopt;
  step.max = step.vote.getOperand(0).getDefiningOp<wg::ReduceRowsOp>();
  if (!step.max || step.max.getKind() != wg::Combine::MaximumF ||
      !step.max.getInit().getType().getPartial() ||
      step.max->getBlock() != step.loop.getBody())
    return std::nullopt;
  step.scores = step.max.getFrag();
  bool fits = isReadInBranch(step) && matchSubtracts(step) &&
              matchExponentials(step, moves.getResult(step.scoresPlace), 0) &&
              !step.exponentials.empty() &&
              step.loop.isDefinedOutsideOfLoop(step.factor) &&
              // The maximum, both branches, and the difference.
              llvm::hasNItems(step.scores.getUses(), 4);
  return fits ? std::optional(step) : std::nullopt;
}

static SmallVector<Value> valuesOf(const ExponentTerms &terms) {
  SmallVector<Value> values(terms.rows);
  llvm::append_range(values, terms.numbers);
  return values;
}

/// Makes `each` an exponential of `tile`, or of its part of it, and of `terms`.
static void replaceExponential(Exponential each, const ExponentTerms &terms,
                               ExponentBody exponent) {
  wg::MapOp map = each.map;
  Location loc = map.getLoc();
  SmallVector<Value> operands{map.getOperand(0)};
  llvm::append_range(operands, terms.rows);
  OpBuilder b(map);
  Value made = buildTileMap(
      b, loc, map.getType(), operands,
      [&](OpBuilder &at, ValueRange args) -> Value {
        SmallVector<Value> elements(args.take_front(operands.size()));
        llvm::append_range(elements, terms.numbers);
        Value column = args.back();
        if (each.first != 0)
          column = arith::AddIOp::create(
              at, loc, column,
              arith::ConstantIndexOp::create(at, loc, each.first));
        return math::Exp2Op::create(at, loc, exponent(at, elements, column));
      });
  map.getResult().replaceAllUsesWith(made);
  map.erase();
}

void mlir::fa::replaceScores(ScoreStep &step, const ExponentTerms &moved,
                             const ExponentTerms &stayed,
                             ExponentBody exponent) {
  step.moves.thenYield()->setOperand(step.scoresPlace, moved.tile);
  step.moves.elseYield()->setOperand(step.scoresPlace, stayed.tile);
  unsigned had = step.moves.getNumResults();
  step.moves = widenBranch(step.moves, valuesOf(moved), valuesOf(stayed));
  ValueRange values = step.moves.getResults().drop_front(had);
  ExponentTerms terms{
      step.moves.getResult(step.scoresPlace),
      SmallVector<Value>(values.take_front(stayed.rows.size())),
      SmallVector<Value>(values.drop_front(stayed.rows.size()))};
  for (Exponential each : step.exponentials)
    replaceExponential(each, terms, exponent);
  step.subtracts.erase();
  step.max.erase();
  step.scores.getDefiningOp()->erase();
}

Value mlir::fa::chooseNumber(OpBuilder &b, Location loc, Value condition,
                             double number, Value otherwise) {
  return arith::SelectOp::create(b, loc, condition, buildNumber(b, loc, number),
                                 otherwise);
}
