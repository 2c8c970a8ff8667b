// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: two branches of rare work become one. References that are far from 0
// need their scores subtracted in every tile, by a branch of their own behind
// the one that moves references. The bound that scores are held against in the
// vote for the first is carried; it is -inf where references are far, so that
// the vote lets all other tiles past both.
//
// A tile without a finite score passes them even so: its exponentials are 0
// whatever the reference.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGJOINRARE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A loop over key tiles, and both branches in it.
struct Step {
  scf::ForOp loop;
  wg::AnyOp vote;
  /// Computes what the vote holds scores against from the old reference.
  wg::MapOp bound;
  /// Moves references, and says whether they are far.
  scf::IfOp moves;
  /// Subtracts references that are far.
  scf::IfOp subtracts;
  /// Which results of `moves`, and which of the loop's values, they are.
  unsigned reference, far;
  unsigned referencePlace, farPlace;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// Whether all that the region of `map` reads exists in front of `loop`.
static bool readsFromOutside(wg::MapOp map, scf::ForOp loop) {
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(map.getBody(), read);
  return llvm::all_of(
      read, [&](Value value) { return loop.isDefinedOutsideOfLoop(value); });
}

static bool elseOnlyYields(scf::IfOp branch) {
  return branch.elseBlock() &&
         llvm::all_of(branch.elseBlock()->without_terminator(),
                      [](Operation &op) { return isMemoryEffectFree(&op); });
}

/// Whether what stands between the branches may as well stand in front of both.
static bool followEachOther(scf::IfOp first, scf::IfOp second) {
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) || llvm::is_contained(first->getUsers(), op))
      return false;
  return true;
}

static std::optional<Step> matchStep(scf::IfOp subtracts) {
  auto far = dyn_cast<OpResult>(subtracts.getCondition());
  auto moves = far ? dyn_cast<scf::IfOp>(far.getOwner()) : scf::IfOp();
  auto loop = dyn_cast<scf::ForOp>(subtracts->getParentOp());
  if (!moves || !loop || moves->getBlock() != loop.getBody() ||
      !elseOnlyYields(moves) || !elseOnlyYields(subtracts) ||
      !followEachOther(moves, subtracts))
    return std::nullopt;
  auto vote = moves.getCondition().getDefiningOp<wg::AnyOp>();
  auto bound = vote && asksForMore(vote)
                   ? vote.getOperand(1).getDefiningOp<wg::MapOp>()
                   : wg::MapOp();
  if (!bound || bound->getBlock() != loop.getBody() ||
      bound.getNumOperands() != 1 || !readsFromOutside(bound, loop))
    return std::nullopt;
  std::optional<unsigned> referencePlace =
      carriedPlace(loop, bound.getOperand(0));
  std::optional<unsigned> farPlace =
      carriedPlace(loop, moves.elseYield().getOperand(far.getResultNumber()));
  if (!referencePlace || !farPlace)
    return std::nullopt;
  std::optional<unsigned> reference =
      carriedResult(loop, moves, *referencePlace);
  std::optional<unsigned> farResult = carriedResult(loop, moves, *farPlace);
  if (!reference || farResult != far.getResultNumber())
    return std::nullopt;
  return Step{loop,       vote,       bound,           moves,    subtracts,
              *reference, *farResult, *referencePlace, *farPlace};
}

//===----------------------------------------------------------------------===//
// One branch
//===----------------------------------------------------------------------===//

/// The bound for `reference`: -inf, which any finite score passes, where
/// references are `far`.
static Value buildBound(OpBuilder &b, wg::MapOp bound, Value reference,
                        Value far) {
  Location loc = bound.getLoc();
  auto made = cast<wg::MapOp>(b.clone(*bound));
  made->setOperands(reference);
  auto yield = cast<wg::YieldOp>(made.getBody().front().getTerminator());
  OpBuilder inner(yield);
  Value lowest = arith::ConstantOp::create(
      inner, loc,
      inner.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  yield->setOperand(
      0, arith::SelectOp::create(inner, loc, far, lowest, made.getYielded()));
  return made.getResult();
}

/// What `branch` gives where it is not taken, computed here.
static void cloneElse(OpBuilder &b, scf::IfOp branch, IRMapping &mapping,
                      SmallVectorImpl<Value> &values) {
  for (Operation &op : branch.elseBlock()->without_terminator())
    b.clone(op, mapping);
  for (auto [value, result] :
       llvm::zip(branch.elseYield().getOperands(), branch.getResults())) {
    values.push_back(mapping.lookupOrDefault(value));
    mapping.map(result, values.back());
  }
}

/// Both branches, and the next bound, under the vote; `bound` is the old one.
static scf::IfOp join(RewriterBase &b, Step step, Value bound) {
  scf::IfOp moves = step.moves, subtracts = step.subtracts;
  Location loc = subtracts.getLoc();
  SmallVector<Type> types(moves.getResultTypes());
  llvm::append_range(types, subtracts.getResultTypes());
  types.push_back(bound.getType());
  b.setInsertionPoint(subtracts);
  auto joined = scf::IfOp::create(b, loc, types, step.vote.getResult(),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  ValueRange results = joined.getResults();
  unsigned count = moves.getNumResults();
  moves.getResults().replaceUsesWithIf(
      results.take_front(count),
      [&](OpOperand &use) { return !subtracts->isAncestor(use.getOwner()); });
  subtracts.replaceAllUsesWith(results.drop_front(count).drop_back());

  b.setInsertionPointToStart(joined.elseBlock());
  IRMapping mapping;
  SmallVector<Value> values;
  cloneElse(b, moves, mapping, values);
  cloneElse(b, subtracts, mapping, values);
  values.push_back(bound);
  scf::YieldOp::create(b, loc, values);

  b.setInsertionPointToStart(joined.thenBlock());
  values.assign(moves.result_begin(), moves.result_end());
  llvm::append_range(values, subtracts.getResults());
  values.push_back(buildBound(b, step.bound, moves.getResult(step.reference),
                              moves.getResult(step.far)));
  auto yield = scf::YieldOp::create(b, loc, values);
  step.bound->moveBefore(joined.thenBlock(), joined.thenBlock()->begin());
  moves->moveBefore(values.back().getDefiningOp());
  subtracts->moveBefore(yield);
  return joined;
}

static void join(Step step) {
  IRRewriter b(step.loop.getContext());
  b.setInsertionPoint(step.loop);
  Value first =
      buildBound(b, step.bound, step.loop.getInitArgs()[step.referencePlace],
                 step.loop.getInitArgs()[step.farPlace]);
  (void)step.loop.replaceWithAdditionalYields(
      b, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
        step.vote->setOperand(1, args.front());
        return SmallVector<Value>{
            join(b, step, args.front()).getResults().back()};
      });
}

namespace {
struct JoinRarePass : mlir::fa::impl::WgJoinRareBase<JoinRarePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async", "pipelined"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      for (scf::IfOp branch : findOps<scf::IfOp>(kernel))
        if (std::optional<Step> step = matchStep(branch))
          join(*step);
  }
};
} // namespace
