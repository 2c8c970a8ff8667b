// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the vote on whether references move needs a row's maximum only where
// that passes the row's bound. Where no bound of the warp is below 0 such a
// maximum is not either, and floats that are 0 or more are in the order of
// their bits as integers, of which sm_90 takes the maximum of three at a time.
//
// Where a bound is below 0 (all scores so far were), or -inf (references are
// far from 0, see wg-join-rare), the maximum stays one of floats.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
  /// The bound that the loop carries.
  Value bound;
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

static std::optional<Step> matchStep(scf::IfOp branch) {
  auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
  auto vote = branch.getCondition().getDefiningOp<wg::AnyOp>();
  if (!loop || !vote || !asksForMore(vote) || branch.elseBlock() == nullptr)
    return std::nullopt;
  auto max = vote.getOperand(0).getDefiningOp<wg::ReduceRowsOp>();
  std::optional<unsigned> place = carriedPlace(loop, vote.getOperand(1));
  if (!max || max.getKind() != wg::Combine::MaximumF ||
      !max.getInit().getType().getPartial() ||
      max->getBlock() != loop.getBody() || !place ||
      !comeFromProduct(max.getFrag()))
    return std::nullopt;
  std::optional<Limit> limit = limitOf(loop, branch, *place);
  bool fits = limit && llvm::all_of(max->getUsers(), [&](Operation *user) {
                auto whole = dyn_cast<wg::JoinRowsOp>(user);
                return user == vote || (whole && readAboveOnly(whole, *limit));
              });
  return fits ? std::optional(Step{loop, max, vote.getOperand(1)})
              : std::nullopt;
}

/// Whether some element of `rows` holds `predicate` against 0.
static Value voteOnZero(OpBuilder &b, Value rows,
                        arith::CmpFPredicate predicate) {
  Location loc = rows.getLoc();
  return buildVote(b, loc, rows, [&](OpBuilder &inner, ValueRange args) {
    Value zero =
        arith::ConstantOp::create(inner, loc, inner.getF32FloatAttr(0));
    return arith::CmpFOp::create(inner, loc, predicate, args[0], zero);
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
  OpBuilder b = OpBuilder::atBlockBegin(step.loop.getBody());
  Value below = voteOnZero(b, step.bound, arith::CmpFPredicate::OLT);
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
