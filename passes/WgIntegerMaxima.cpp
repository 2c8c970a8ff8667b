// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the vote on whether references move needs a row's maximum only where
// that passes the row's bound. Where no bound of the warp is below 0 such a
// maximum is not either, and floats that are 0 or more are in the order of
// their bits as integers, of which sm_90 takes the maximum of three at a time.
//
// Where a bound is below 0 (all scores so far were), or -inf (references are
// far from 0, see wg-join-rare), the maximum stays one of floats. Where an
// increasing function of the maximum is held against the bound, 0 is that
// function's value for it.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGINTEGERMAXIMA
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A loop over key tiles that holds maxima against a bound.
struct Step {
  scf::ForOp loop;
  wg::ReduceRowsOp max;
  /// What they are held against.
  Value bound;
  /// An increasing function of the maxima, and maybe of other rows, which is
  /// held against the bound in their place; null where they are by themselves.
  wg::MapOp bends;
};

/// What the loop's bound is, where it is not -inf.
struct Limit {
  /// The loop's reference, raised by what is the same in all tiles.
  Value reference, slack;
};
} // namespace

/// The limit that the bound at `place` is, or -inf: so in front of the loop,
/// and where `branch` moves it together with the reference.
static std::optional<Limit> limitOf(scf::ForOp loop, scf::IfOp branch,
                                    unsigned place) {
  std::optional<unsigned> result = carriedResult(loop, branch, place);
  std::optional<RaisedRows> first = matchRaised(loop.getInitArgs()[place]);
  if (!result || !first)
    return std::nullopt;
  ValueRange moved = branch.thenYield().getOperands();
  std::optional<RaisedRows> next = matchRaised(moved[*result]);
  if (!next || next->by != first->by)
    return std::nullopt;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    std::optional<unsigned> reference = carriedResult(loop, branch, i);
    if (reference && moved[*reference] == next->rows &&
        loop.getInitArgs()[i] == first->rows)
      return Limit{argument, first->by};
  }
  return std::nullopt;
}

/// Whether `op` moves the reference where `whole` passes the limit.
static bool movesBy(Operation *op, Value whole, Limit limit) {
  std::optional<MovedRows> moved = matchMoved(op);
  std::optional<RaisedRows> passed =
      moved ? matchRaised(moved->limit) : std::nullopt;
  return passed && !passed->orLowest && moved->above == whole &&
         passed->rows == limit.reference && passed->by == limit.slack &&
         moved->rows == limit.reference;
}

/// Whether `whole`, and what is raised from it, is read only where it passes
/// the limit.
static bool readAboveOnly(wg::JoinRowsOp whole, Limit limit) {
  return llvm::all_of(whole->getUsers(), [&](Operation *user) {
    if (movesBy(user, whole, limit))
      return true;
    return user->getNumResults() == 1 && matchRaised(user->getResult(0)) &&
           llvm::all_of(user->getUses(), [&](OpOperand &use) {
             return movesBy(use.getOwner(), whole, limit) &&
                    matchMoved(use.getOwner())->next == use.get() &&
                    matchMoved(use.getOwner())->limit != use.get();
           });
  });
}

/// Whether a map chooses among values and computes none: a mask.
static bool onlyChooses(wg::MapOp map) {
  return llvm::all_of(
      map.getBody().front().without_terminator(), [](Operation &op) {
        return isa<arith::SelectOp>(op) ||
               llvm::none_of(op.getResultTypes(), llvm::IsaPred<FloatType>);
      });
}

/// Whether `scores` are a product's, masked or not. What a region computes of
/// them is otherwise done together with their maxima, and a branch between the
/// two took an eighth of the kernel's rate.
static bool comeFromProduct(Value scores) {
  if (scores.getDefiningOp<wg::WaitMmaOp>())
    return true;
  if (auto map = scores.getDefiningOp<wg::MapOp>())
    return onlyChooses(map) && comeFromProduct(map.getOperands().front());
  auto branch = scores.getDefiningOp<scf::IfOp>();
  if (!branch)
    return false;
  unsigned place = cast<OpResult>(scores).getResultNumber();
  return comeFromProduct(branch.thenYield().getOperand(place)) &&
         comeFromProduct(branch.elseYield().getOperand(place));
}

/// Whether maxima, or an increasing function of them, are read only by `vote`
/// and where they pass the limit.
static bool isReadAboveOnly(Value maxima, wg::AnyOp vote,
                            std::optional<Limit> limit) {
  return llvm::all_of(maxima.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto whole = dyn_cast<wg::JoinRowsOp>(user))
      return limit && readAboveOnly(whole, *limit);
    if (auto map = dyn_cast<wg::MapOp>(user))
      return map.getIncreasing() && use.getOperandNumber() == 0 &&
             isReadAboveOnly(map.getResult(), vote, limit);
    if (auto choice = dyn_cast<scf::IfOp>(user->getParentOp()))
      return isa<scf::YieldOp>(user) &&
             isReadAboveOnly(choice.getResult(use.getOperandNumber()), vote,
                             limit);
    return user == vote;
  });
}

/// The vote on maxima in a branch's condition, which may ask for more.
static wg::AnyOp findVote(Value condition) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    wg::AnyOp vote = findVote(either.getLhs());
    return vote ? vote : findVote(either.getRhs());
  }
  auto vote = condition.getDefiningOp<wg::AnyOp>();
  return vote && asksForMore(vote) ? vote : wg::AnyOp();
}

/// What the vote on the bound (voteOnBound) reads.
static llvm::SetVector<Value> readByVote(Step step) {
  llvm::SetVector<Value> read;
  read.insert(step.bound);
  if (step.bends) {
    read.insert_range(step.bends.getOperands().drop_front());
    getUsedValuesDefinedAbove(step.bends.getBody(), read);
  }
  return read;
}

/// Whether that vote can stand where the maxima are taken.
static bool canVote(Step step) {
  // Votes have no coordinates.
  bool isUniform =
      !step.bends || step.bends.getBody().getArguments().back().use_empty();
  return isUniform && llvm::all_of(readByVote(step), [&](Value value) {
           Operation *op = value.getDefiningOp();
           return !op || op->getBlock() != step.max->getBlock() ||
                  op->isBeforeInBlock(step.max);
         });
}

static std::optional<Step> matchStep(scf::IfOp branch) {
  auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
  wg::AnyOp vote = findVote(branch.getCondition());
  if (!loop || !vote || branch.elseBlock() == nullptr)
    return std::nullopt;
  Value held = vote.getOperand(0), bound = vote.getOperand(1);
  auto bends = held.getDefiningOp<wg::MapOp>();
  if (bends && !bends.getIncreasing())
    return std::nullopt;
  auto max =
      (bends ? bends.getOperand(0) : held).getDefiningOp<wg::ReduceRowsOp>();
  if (!max || max.getKind() != wg::Combine::MaximumF ||
      !max.getInit().getType().getPartial() ||
      max->getBlock() != loop.getBody() || !comeFromProduct(max.getFrag()))
    return std::nullopt;
  std::optional<unsigned> place = carriedPlace(loop, bound);
  std::optional<Limit> limit =
      place ? limitOf(loop, branch, *place) : std::nullopt;
  if (!isReadAboveOnly(max.getResult(), vote, limit))
    return std::nullopt;
  Step step{loop, max, bound, bends};
  return canVote(step) ? std::optional(step) : std::nullopt;
}

/// Whether some element of `rows` holds `predicate` against 0.
static Value voteOnZero(OpBuilder &b, Value rows,
                        arith::CmpFPredicate predicate) {
  Location loc = rows.getLoc();
  return buildVote(b, loc, rows, [&](OpBuilder &inner, ValueRange args) {
    Value zero = buildNumber(inner, loc, 0);
    return arith::CmpFOp::create(inner, loc, predicate, args[0], zero);
  });
}

/// Whether some bound is below what a product of 0 would be held against it as.
static Value voteOnBound(OpBuilder &b, Step step) {
  if (!step.bends)
    return voteOnZero(b, step.bound, arith::CmpFPredicate::OLT);
  Location loc = step.bound.getLoc();
  SmallVector<Value> operands(step.bends.getOperands());
  operands.front() = step.bound;
  return buildVote(
      b, loc, operands, [&](OpBuilder &inner, ValueRange args) -> Value {
        Block &body = step.bends.getBody().front();
        IRMapping mapping;
        mapping.map(body.getArguments().take_front(args.size()), args);
        mapping.map(body.getArgument(0), buildNumber(inner, loc, 0));
        for (Operation &op : body.without_terminator())
          inner.clone(op, mapping);
        Value least = mapping.lookupOrDefault(step.bends.getYielded());
        return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::ULT,
                                     args[0], least);
      });
}

/// The maxima of `max`, taken as `kind` has them.
static Value takeAs(OpBuilder &b, wg::ReduceRowsOp max, wg::Combine kind) {
  return wg::ReduceRowsOp::create(b, max.getLoc(), max.getType(), kind,
                                  max.getFrag(), max.getInit());
}

static scf::IfOp buildChoice(OpBuilder &b, Location loc, Type type,
                             Value condition) {
  return scf::IfOp::create(b, loc, type, condition, /*addThenBlock=*/true,
                           /*addElseBlock=*/true);
}

/// Where a bound is below 0: the bits, if all scores are below it too.
static Value buildBelow(OpBuilder &b, wg::ReduceRowsOp max) {
  Location loc = max.getLoc();
  Value least = takeAs(b, max, wg::Combine::MinimumBits);
  Value mixed = voteOnZero(b, least, arith::CmpFPredicate::UGE);
  scf::IfOp choice = buildChoice(b, loc, max.getType(), mixed);
  OpBuilder inner = choice.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc, takeAs(inner, max, wg::Combine::MaximumF));
  inner = choice.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, least);
  return choice.getResult(0);
}

/// Takes the maxima as integers where these are in the order of the floats.
static void rewrite(Step step) {
  wg::ReduceRowsOp max = step.max;
  Location loc = max.getLoc();
  OpBuilder b(max);
  // Early where it can be: the vote takes a while.
  if (llvm::all_of(readByVote(step), [&](Value value) {
        return isa<BlockArgument>(value) ||
               step.loop.isDefinedOutsideOfLoop(value);
      }))
    b.setInsertionPointToStart(step.loop.getBody());
  Value below = voteOnBound(b, step);
  b.setInsertionPoint(max);
  scf::IfOp choice = buildChoice(b, loc, max.getType(), below);
  OpBuilder inner = choice.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc, buildBelow(inner, max));
  inner = choice.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc,
                       takeAs(inner, max, wg::Combine::MaximumBits));
  max.replaceAllUsesWith(choice.getResult(0));
  max.erase();
}

namespace {
struct IntegerMaximaPass
    : mlir::fa::impl::WgIntegerMaximaBase<IntegerMaximaPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      for (scf::IfOp branch : findOps<scf::IfOp>(kernel))
        if (std::optional<Step> step = matchStep(branch))
          rewrite(*step);
  }
};
} // namespace
