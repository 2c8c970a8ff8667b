// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: what follows from a row's reference is computed where the reference
// moves, in the branch of wg-threshold that few tiles take. Where it stays, a
// function of the reference alone is what it was (the loop carries it), the
// factor exp2((old - new) * c) is 1, and what is multiplied by it stays too.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGRAREROWS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A loop over key tiles and the branch in it that moves references.
struct Step {
  scf::ForOp loop;
  scf::IfOp branch;
  /// Which of the values that the loop carries is the reference.
  unsigned position;

  BlockArgument oldReference() { return loop.getRegionIterArg(position); }
  Value newReference() { return branch.getResult(0); }
};

/// What an op's result is where references stay.
struct Stay {
  enum Kind { WhatItWas, One, Operand } kind;
  /// Which operand, of kind Operand.
  Value operand = {};
};
/// The ops that go into the branch, in program order.
using RowWork = llvm::MapVector<Operation *, Stay>;

/// A vote on factors of the tile before, whether one is not 1.
struct LateVote {
  wg::AnyOp vote;
  /// The factors in this tile.
  Value factors;
  /// Which of the values that the loop carries they are.
  unsigned position;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

static std::optional<Step> matchStep(scf::ForOp loop) {
  for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
    if (branch.getNumResults() != 1 || branch.elseBlock() == nullptr ||
        !isa<wg::RowsType>(branch.getResult(0).getType()) ||
        !branch.getCondition().getDefiningOp<wg::AnyOp>())
      continue;
    auto stays = dyn_cast<BlockArgument>(branch.elseYield().getOperand(0));
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (argument == stays &&
          loop.getYieldedValues()[i] == branch.getResult(0))
        return Step{loop, branch, static_cast<unsigned>(i)};
  }
  return std::nullopt;
}

/// Whether the op computes on rows by values from outside of the loop, but for
/// its operands.
static bool isRowWork(Operation *op, scf::ForOp loop) {
  auto map = dyn_cast<wg::MapOp>(op);
  if (!isa<wg::AnyOp>(op) && !(map && isa<wg::RowsType>(map.getType())))
    return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(captured, [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  });
}

/// Whether `rows` is the reference, or it with 0 in place of -inf.
static bool isFinite(Value rows, Value reference) {
  if (rows == reference)
    return true;
  auto map = rows.getDefiningOp<wg::MapOp>();
  if (!map || map.getOperands() != ValueRange(reference))
    return false;
  auto select = map.getYielded().getDefiningOp<arith::SelectOp>();
  return select && select.getFalseValue() == map.getBody().getArgument(0) &&
         matchPattern(select.getTrueValue(), m_AnyZeroFloat());
}

/// Whether `map` is exp2((old - new) * c). Where there was no key yet, old is
/// -inf and so is new, or old is replaced: sum and accumulator are 0 then, and
/// any factor is right.
static bool isFactor(wg::MapOp map, Step step) {
  std::optional<ScaledPower> power = matchScaledPower(map);
  return power && power->x == step.oldReference() &&
         isFinite(power->y, step.newReference());
}

/// Whether `map` is the product of its two operands, one of them 1.
static std::optional<Stay> matchScaled(wg::MapOp map, RowWork &work) {
  if (map.getNumOperands() != 2 || !llvm::hasNItems(map.getBody().front(), 2) ||
      !map.getYielded().getDefiningOp<arith::MulFOp>())
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    Operation *factor = map.getOperand(i).getDefiningOp();
    Value other = map.getOperand(1 - i);
    if (work.contains(factor) && work[factor].kind == Stay::One &&
        isa<BlockArgument>(other))
      return Stay{Stay::Operand, other};
  }
  return std::nullopt;
}

static RowWork findWork(Step step) {
  RowWork work;
  for (Operation *op = step.branch->getNextNode(); op; op = op->getNextNode()) {
    if (!isRowWork(op, step.loop))
      continue;
    bool follows = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *made = operand.getDefiningOp();
      return step.loop.isDefinedOutsideOfLoop(operand) ||
             operand == step.newReference() ||
             (work.contains(made) && work[made].kind == Stay::WhatItWas);
    });
    auto map = dyn_cast<wg::MapOp>(op);
    if (follows)
      work[op] = {Stay::WhatItWas};
    else if (map && isFactor(map, step))
      work[op] = {Stay::One};
    else if (std::optional<Stay> stay =
                 map ? matchScaled(map, work) : std::nullopt)
      work[op] = *stay;
  }
  return work;
}

/// Whether the region asks if its one argument is not 1.
static bool asksForOne(wg::AnyOp vote) {
  auto compare = vote.getBody()
                     .front()
                     .getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::CmpFOp>();
  return vote.getNumOperands() == 1 && compare &&
         compare.getPredicate() == arith::CmpFPredicate::UNE &&
         compare.getLhs() == vote.getBody().getArgument(0) &&
         matchPattern(compare.getRhs(), m_OneFloat());
}

static SmallVector<LateVote> findLateVotes(Step step, RowWork &work) {
  SmallVector<LateVote> found;
  step.loop.walk([&](wg::AnyOp vote) {
    auto carried = dyn_cast<BlockArgument>(vote->getOperand(0));
    if (!asksForOne(vote) || !carried ||
        carried.getOwner() != step.loop.getBody() ||
        carried == step.loop.getInductionVar())
      return;
    unsigned position = carried.getArgNumber() - 1;
    Value next = step.loop.getYieldedValues()[position];
    Operation *made = next.getDefiningOp();
    if (made && work.contains(made) && work[made].kind == Stay::One)
      found.push_back({vote, next, position});
  });
  return found;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// Whether `op` stands in a branch that a vote makes rare: of the exponentials
/// that need care, of rescales.
static bool isRare(Operation *op, Block *loopBody) {
  auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
  return branch && branch->getBlock() == loopBody &&
         op->getBlock() == branch.thenBlock();
}

/// Gives rare branches that read the result of `op` an op of their own.
static void copyIntoBranches(Operation *op, RowWork &work) {
  DenseMap<Block *, Operation *> copies;
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    if (work.contains(use.getOwner()))
      continue;
    Block *block = use.getOwner()->getBlock();
    Operation *&copy = copies[block];
    if (!copy)
      copy = OpBuilder::atBlockBegin(block).clone(*op);
    use.set(copy->getResult(0));
  }
}

namespace {
/// Moves row work into a step's branch.
class Mover {
public:
  Mover(Step step, RowWork work)
      : step(step), work(std::move(work)), b(step.loop.getContext()) {}

  void run() {
    SmallVector<LateVote> votes = findLateVotes(step, work);
    for (auto &[op, stay] : llvm::reverse(work))
      if (stay.kind == Stay::WhatItWas && isReadInBranchesOnly(op))
        copyIntoBranches(op, work);
    for (auto &[op, stay] : work)
      move(op, stay);
    for (LateVote &vote : votes)
      move(vote);
    rebuild();
  }

private:
  Step step;
  RowWork work;
  IRRewriter b;
  /// Ops on the reference in front of the loop, by those in it.
  IRMapping before;
  /// New results of the branch, the value in each arm.
  SmallVector<Value> thenValues, elseValues;
  /// What each of them replaces: an op's result.
  SmallVector<Value> replaced;
  /// Those of them that the loop carries: which result, and the first value.
  SmallVector<std::pair<unsigned, Value>> carried;
  /// Late votes by their place in `carried`.
  SmallVector<std::pair<wg::AnyOp, unsigned>> lateVotes;

  bool isRead(Operation *op) {
    return llvm::any_of(op->getUsers(),
                        [&](Operation *user) { return !work.contains(user); });
  }

  /// What only rare branches read is cheap to have again there.
  bool isReadInBranchesOnly(Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return work.contains(user) || isRare(user, step.loop.getBody());
    });
  }

  Value initial(Operation *op) {
    before.map(step.newReference(), step.loop.getInitArgs()[step.position]);
    b.setInsertionPoint(step.loop);
    return b.clone(*op, before)->getResult(0);
  }

  void move(Operation *op, Stay stay) {
    Value first = stay.kind == Stay::WhatItWas ? initial(op) : Value();
    Value result = op->getResult(0);
    bool read = isRead(op);
    op->moveBefore(step.branch.thenYield());
    op->replaceUsesOfWith(step.newReference(),
                          step.branch.thenYield().getOperand(0));
    if (!read)
      return;
    if (stay.kind == Stay::WhatItWas)
      carried.push_back({thenValues.size(), first});
    b.setInsertionPoint(step.branch.elseYield());
    thenValues.push_back(result);
    replaced.push_back(result);
    elseValues.push_back(stay.operand);
    if (stay.kind == Stay::One) {
      Value one =
          arith::ConstantOp::create(b, op->getLoc(), b.getF32FloatAttr(1.0f));
      elseValues.back() =
          wg::SplatOp::create(b, op->getLoc(), result.getType(), one);
    }
  }

  Value buildFalse(wg::AnyOp vote) {
    return arith::ConstantOp::create(b, vote.getLoc(), b.getBoolAttr(false));
  }

  void move(LateVote late) {
    IRMapping now, first;
    now.map(late.vote->getOperand(0), late.factors);
    first.map(late.vote->getOperand(0), step.loop.getInitArgs()[late.position]);
    b.setInsertionPoint(step.branch.thenYield());
    thenValues.push_back(b.clone(*late.vote, now)->getResult(0));
    b.setInsertionPoint(step.branch.elseYield());
    elseValues.push_back(buildFalse(late.vote));
    replaced.push_back({});
    b.setInsertionPoint(step.loop);
    Value start =
        isSplatOf(step.loop.getInitArgs()[late.position], m_OneFloat())
            ? buildFalse(late.vote)
            : Value(b.clone(*late.vote, first)->getResult(0));
    lateVotes.push_back({late.vote, carried.size()});
    carried.push_back({thenValues.size() - 1, start});
  }

  /// The loop with what it carries more, and the branch with its new results.
  void rebuild() {
    SmallVector<Value> firsts =
        llvm::to_vector(llvm::make_second_range(carried));
    size_t had = step.loop.getInitArgs().size();
    scf::IfOp branch;
    auto yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
      for (auto [i, entry] : llvm::enumerate(carried))
        if (!elseValues[entry.first]) // what it was
          elseValues[entry.first] = args[i];
      branch = widen();
      return llvm::map_to_vector(carried, [&](auto entry) -> Value {
        return branch.getResult(1 + entry.first);
      });
    };
    b.setInsertionPoint(step.loop);
    auto loop = cast<scf::ForOp>(
        step.loop
            .replaceWithAdditionalYields(
                b, firsts, /*replaceInitOperandUsesInLoop=*/false, yields)
            ->getOperation());
    for (auto [vote, index] : lateVotes)
      b.replaceOp(vote, loop.getRegionIterArg(had + index));
  }

  scf::IfOp widen() {
    scf::IfOp made = widenBranch(step.branch, thenValues, elseValues);
    for (auto [value, result] :
         llvm::zip_equal(replaced, made.getResults().drop_front()))
      if (value)
        value.replaceUsesWithIf(result, [&](OpOperand &use) {
          return !made->isAncestor(use.getOwner());
        });
    return made;
  }
};

struct RareRowsPass : mlir::fa::impl::WgRareRowsBase<RareRowsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "pipelined", "async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      for (scf::ForOp loop : findOps<scf::ForOp>(kernel))
        if (std::optional<Step> step = matchStep(loop))
          Mover(*step, findWork(*step)).run();
    }
  }
};
} // namespace
