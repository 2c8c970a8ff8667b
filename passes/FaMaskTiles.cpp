// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// online -> masked. For a tile of queries [i0, i0 + M) and a mask with bounds
// L (left) and R (right), with d = i + off the diagonal of row i:
//
//   a key j can be kept by some row only if  d(first) - L <= j <= d(last) + R,
//   and is kept by every row        if       d(last) - L <= j <= d(first) + R,
//
// and always j < Sk. The first line bounds the loop, the second tells the tiles
// that need no mask.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/TileBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAMASKTILES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A mask step in a key loop: `generic` applies `keep` to a tile of scores.
struct MaskStep {
  scf::ForOp loop;
  linalg::GenericOp generic;
  KeepOp keep;
  /// The query that row 0 of the tile stands for; null for query 0.
  Value firstQuery;
  int64_t rows, keys;
};

/// The key tiles of a loop told apart, in keys: visited are [begin, end), and
/// a tile that lies within [fullBegin, fullEnd) needs no mask.
struct KeyRanges {
  Value begin, end, fullBegin, fullEnd;
};
} // namespace

static bool isCoordinate(Value value, uint64_t dim) {
  auto op = value.getDefiningOp<linalg::IndexOp>();
  return op && op.getDim() == dim;
}

/// The base of `base + linalg.index dim`; null for 0 + linalg.index dim, which
/// folds to the index alone.
static FailureOr<Value> matchCoordinate(Value value, uint64_t dim) {
  if (isCoordinate(value, dim))
    return Value();
  auto add = value.getDefiningOp<arith::AddIOp>();
  if (add && isCoordinate(add.getRhs(), dim))
    return add.getLhs();
  if (add && isCoordinate(add.getLhs(), dim))
    return add.getRhs();
  return failure();
}

/// Whether `generic` does nothing but put -inf where `keep` is false: only then
/// may it be left out for a tile that is kept, and a tile without a kept
/// position be skipped.
static bool onlyMasks(linalg::GenericOp generic, KeepOp keep) {
  if (generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() != 0 ||
      !generic.getIndexingMapsArray().back().isIdentity())
    return false;
  Block &body = generic.getRegion().front();
  auto choice =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  return choice && choice.getCondition() == keep.getKept() &&
         choice.getTrueValue() == body.getArguments().back() &&
         matchPattern(choice.getFalseValue(), m_NegInfFloat());
}

/// The step that `keep` belongs to, nothing where it is not of the form that
/// this pass can reason about (then the loop keeps its bounds and its mask).
static std::optional<MaskStep> matchMaskStep(KeepOp keep) {
  auto generic = dyn_cast<linalg::GenericOp>(keep->getParentOp());
  if (!generic || !onlyMasks(generic, keep))
    return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(generic->getParentOp());
  auto type = dyn_cast<RankedTensorType>(generic.getResult(0).getType());
  if (!loop || !type || type.getRank() != 2 || !type.hasStaticShape())
    return std::nullopt;
  FailureOr<Value> firstQuery = matchCoordinate(keep.getI(), 0);
  FailureOr<Value> firstKey = matchCoordinate(keep.getJ(), 1);
  if (failed(firstQuery) || failed(firstKey) ||
      *firstKey != loop.getInductionVar() ||
      (*firstQuery && !loop.isDefinedOutsideOfLoop(*firstQuery)) ||
      !loop.isDefinedOutsideOfLoop(keep.getSq()) ||
      !loop.isDefinedOutsideOfLoop(keep.getSk()) ||
      getConstantIntValue(loop.getStep()) != type.getDimSize(1))
    return std::nullopt;
  return MaskStep{
      loop, generic, keep, *firstQuery, type.getDimSize(0), type.getDimSize(1)};
}

/// `value` rounded to a multiple of the key tile counted from `origin`: down,
/// and for a value before the origin up to it at most, which the callers'
/// bounds treat alike.
static Value roundDown(TileBuilder &t, OpBuilder &b, Location loc, Value value,
                       Value origin, int64_t tile) {
  Value relative = t.sub(value, origin);
  Value tiles = b.createOrFold<arith::DivSIOp>(loc, relative, t.index(tile));
  Value whole = b.createOrFold<arith::MulIOp>(loc, tiles, t.index(tile));
  return b.createOrFold<arith::AddIOp>(loc, origin, whole);
}

static KeyRanges findRanges(OpBuilder &b, MaskStep step) {
  Location loc = step.keep.getLoc();
  TileBuilder t(b, loc);
  MaskAttr mask = step.keep.getMask();
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  };
  Value lower = step.loop.getLowerBound(), upper = step.loop.getUpperBound();
  Value sk = step.keep.getSk();
  KeyRanges ranges{lower, upper, lower, sk};
  if (mask.keepsAll())
    return ranges;
  // Rows past the last query do not count: nobody reads them.
  Value first = step.firstQuery ? step.firstQuery : t.index(0);
  Value last = t.sub(t.min(add(first, t.index(step.rows)), step.keep.getSq()),
                     t.index(1));
  if (mask.getAlignment() == Alignment::BottomRight) {
    Value off = t.sub(sk, step.keep.getSq());
    first = add(first, off);
    last = add(last, off);
  }
  if (std::optional<int64_t> left = mask.getLeftBound()) {
    Value reach = t.index(*left);
    Value from = t.max(t.sub(first, reach), lower);
    ranges.begin = roundDown(t, b, loc, from, lower, step.keys);
    ranges.fullBegin = t.max(t.sub(last, reach), lower);
  }
  if (std::optional<int64_t> right = mask.getRightBound()) {
    Value reach = t.index(*right + 1);
    ranges.end = t.min(add(last, reach), upper);
    ranges.fullEnd = t.min(add(first, reach), sk);
  }
  return ranges;
}

/// Whether the ranges say statically that no tile needs the mask.
static bool neverMasks(MaskStep step, KeyRanges ranges) {
  std::optional<int64_t> begin = getConstantIntValue(ranges.begin);
  std::optional<int64_t> end = getConstantIntValue(ranges.end);
  std::optional<int64_t> fullBegin = getConstantIntValue(ranges.fullBegin);
  std::optional<int64_t> fullEnd = getConstantIntValue(ranges.fullEnd);
  return begin && end && fullBegin && fullEnd && *fullBegin <= *begin &&
         *end <= *fullEnd && (*end - *begin) % step.keys == 0;
}

/// Puts the mask under a test for tiles that are not wholly kept.
static void guardMask(linalg::GenericOp generic, Value edge) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  auto guard = scf::IfOp::create(b, loc, generic.getResult(0).getType(), edge,
                                 /*withElseRegion=*/true);
  Value scores = generic.getOutputs()[0];
  generic.getResult(0).replaceAllUsesWith(guard.getResult(0));
  b.setInsertionPointToStart(guard.thenBlock());
  generic->moveBefore(guard.thenBlock(), guard.thenBlock()->begin());
  b.setInsertionPointToEnd(guard.thenBlock());
  scf::YieldOp::create(b, loc, generic.getResult(0));
  b.setInsertionPointToStart(guard.elseBlock());
  scf::YieldOp::create(b, loc, scores);
}

/// Whether the tile at `key` reaches past `end`.
static Value reachesPast(TileBuilder &t, MaskStep step, Value key, Value end) {
  return t.cmp(arith::CmpIPredicate::sgt, t.add(key, t.index(step.keys)), end);
}

static void guardMask(MaskStep step, KeyRanges ranges) {
  OpBuilder b(step.generic);
  TileBuilder t(b, step.generic.getLoc());
  Value key = step.loop.getInductionVar();
  Value before = t.cmp(arith::CmpIPredicate::slt, key, ranges.fullBegin);
  Value after = reachesPast(t, step, key, ranges.fullEnd);
  guardMask(step.generic,
            arith::OrIOp::create(b, step.generic.getLoc(), before, after));
}

/// Whether `value` is `sk` - 1.
static bool isLastKey(Value value, Value sk) {
  if (std::optional<int64_t> keys = getConstantIntValue(sk))
    return getConstantIntValue(value) == *keys - 1;
  auto difference = value.getDefiningOp<arith::SubIOp>();
  return difference && difference.getLhs() == sk &&
         getConstantIntValue(difference.getRhs()) == 1;
}

/// Regions that read memory see no key behind the last one: `op` is of a tile
/// that begins at `key` and has none.
static void dropKeyClamps(Operation *op, MaskStep step, Value key) {
  op->walk([&](arith::MinSIOp least) {
    auto generic = dyn_cast<linalg::GenericOp>(least->getParentOp());
    if (!generic || generic.getNumLoops() != 2 ||
        generic.getStaticLoopRanges()[1] != step.keys ||
        !isLastKey(least.getRhs(), step.keep.getSk()))
      return;
    FailureOr<Value> first = matchCoordinate(least.getLhs(), 1);
    if (succeeded(first) && *first == key)
      least.replaceAllUsesWith(least.getLhs());
  });
}

/// The loop over [from, to) as a copy; `masked` says whether it keeps the mask.
static scf::ForOp cloneLoop(OpBuilder &b, MaskStep step, Value from, Value to,
                            ValueRange inits, bool masked) {
  IRMapping mapping;
  auto copy = cast<scf::ForOp>(b.clone(*step.loop, mapping));
  copy.getLowerBoundMutable().assign(from);
  copy.getUpperBoundMutable().assign(to);
  copy.getInitArgsMutable().assign(inits);
  if (!masked) {
    Operation *mask = mapping.lookup(step.generic.getOperation());
    mask->getResult(0).replaceAllUsesWith(
        cast<linalg::GenericOp>(mask).getOutputs()[0]);
    mask->erase();
    dropKeyClamps(copy, step, copy.getInductionVar());
  }
  return copy;
}

/// Makes `loop` visit its key tiles from the last to the first: its counter
/// stays as it is, the key that the body sees is the one from the other end.
static void reverseLoop(scf::ForOp loop, int64_t tile) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  TileBuilder t(b, loc);
  Value from = loop.getLowerBound();
  Value last = t.sub(loop.getUpperBound(), t.index(1));
  Value lastTile = roundDown(t, b, loc, last, from, tile);
  Value both = t.add(lastTile, from);
  b.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  auto key = arith::SubIOp::create(b, loc, both, counter);
  counter.replaceAllUsesExcept(key, key);
}

namespace {
/// Some of the loop's iterations, all masked or none.
struct Part {
  Value from, to;
  bool masked;
};
} // namespace

/// The parts in the place of the loop; what they carry comes from `state`.
static SmallVector<Value> makeLoops(OpBuilder &b, MaskStep step,
                                    ArrayRef<Part> parts, ValueRange state,
                                    bool backward) {
  for (const Part &part : parts) {
    scf::ForOp copy =
        cloneLoop(b, step, part.from, part.to, state, part.masked);
    if (backward)
      reverseLoop(copy, step.keys);
    state = copy.getResults();
  }
  return llvm::to_vector(state);
}

/// Three loops in the place of one: masked tiles, kept ones, masked ones. Where
/// the mask has no left bound the first of them is left out. Backward, their
/// order is the other one as well.
static SmallVector<Part> splitRange(OpBuilder &b, MaskStep step,
                                    KeyRanges ranges, bool backward) {
  Location loc = step.loop.getLoc();
  TileBuilder t(b, loc);
  Value roundedUp = t.add(ranges.fullBegin, t.index(step.keys - 1));
  Value fullBegin = t.min(
      roundDown(t, b, loc, roundedUp, ranges.begin, step.keys), ranges.end);
  fullBegin = t.max(fullBegin, ranges.begin);
  Value fullEnd = t.max(roundDown(t, b, loc, t.min(ranges.fullEnd, ranges.end),
                                  ranges.begin, step.keys),
                        fullBegin);
  SmallVector<Part> parts;
  if (step.keep.getMask().getLeftBound())
    parts.push_back({ranges.begin, fullBegin, true});
  else
    fullBegin = ranges.begin;
  parts.push_back({fullBegin, fullEnd, false});
  parts.push_back({fullEnd, ranges.end, true});
  if (backward)
    std::reverse(parts.begin(), parts.end());
  return parts;
}

/// The tile at `key` by itself, from `state`, which it brings up to date. Where
/// only the end of the keys is masked, most often there is nothing to do: then
/// under a test.
static void cloneTile(OpBuilder &b, MaskStep step, Value key,
                      SmallVectorImpl<Value> &state, bool masked) {
  IRMapping mapping;
  mapping.map(step.loop.getInductionVar(), key);
  mapping.map(step.loop.getRegionIterArgs(), state);
  Block *body = step.loop.getBody();
  for (Operation &op : body->without_terminator()) {
    if (&op == step.generic && !masked)
      mapping.map(step.generic.getResult(0),
                  mapping.lookupOrDefault(step.generic.getOutputs()[0]));
    else if (Operation *copy = b.clone(op, mapping); !masked)
      dropKeyClamps(copy, step, key);
  }
  state.clear();
  for (Value value : body->getTerminator()->getOperands())
    state.push_back(mapping.lookupOrDefault(value));
  if (!masked || !step.keep.getMask().keepsAll())
    return;
  Operation *mask = mapping.lookup(step.generic.getOperation());
  OpBuilder atMask(mask);
  TileBuilder t(atMask, mask->getLoc());
  guardMask(cast<linalg::GenericOp>(mask),
            reachesPast(t, step, key, step.keep.getSk()));
}

/// Whether the last tile alone needs the mask: the others end in front of the
/// tile's first query, or of the last key.
static bool onlyLastMasks(MaskStep step) {
  MaskAttr mask = step.keep.getMask();
  if (mask.keepsAll())
    return true;
  std::optional<int64_t> right = mask.getRightBound();
  if (mask.getLeftBound() || !right ||
      mask.getAlignment() != Alignment::TopLeft || *right >= step.keys ||
      step.rows + *right > step.keys)
    return false;
  auto apply = step.firstQuery
                   ? step.firstQuery.getDefiningOp<affine::AffineApplyOp>()
                   : affine::AffineApplyOp();
  int64_t divisor =
      apply ? apply.getAffineMap().getResult(0).getLargestKnownDivisor()
      : step.firstQuery ? 1
                        : step.keys;
  return divisor % step.keys == 0;
}

/// The last tile in front of the loops over the others, all of it where there
/// is a tile at all.
static void peelLast(MaskStep step, KeyRanges ranges, bool drops) {
  OpBuilder b(step.loop);
  Location loc = step.loop.getLoc();
  ValueRange state = step.loop.getInitArgs();
  Value some = TileBuilder(b, loc).cmp(arith::CmpIPredicate::slt, ranges.begin,
                                       ranges.end);
  auto branch = scf::IfOp::create(b, loc, state.getTypes(), some,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder none = branch.getElseBodyBuilder();
  scf::YieldOp::create(none, loc, state);
  OpBuilder inner = branch.getThenBodyBuilder();
  TileBuilder t(inner, loc);
  Value last = roundDown(t, inner, loc, t.sub(ranges.end, t.index(1)),
                         ranges.begin, step.keys);
  SmallVector<Value> next(state);
  cloneTile(inner, step, last, next, !drops);
  ranges.end = last;
  ranges.fullEnd = t.min(ranges.fullEnd, last);
  SmallVector<Part> parts{{ranges.begin, last, false}};
  if (!drops && !onlyLastMasks(step))
    parts = splitRange(inner, step, ranges, /*backward=*/true);
  next = makeLoops(inner, step, parts, next, /*backward=*/true);
  scf::YieldOp::create(inner, loc, next);
  step.loop.replaceAllUsesWith(branch.getResults());
  step.loop.erase();
}

namespace {
struct MaskTilesPass : fa::impl::FaMaskTilesBase<MaskTilesPass> {
  using FaMaskTilesBase::FaMaskTilesBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!style.empty() && !symbolizeMaskStyle(style)) {
      module.emitError() << "expects style every, guard or split, got '"
                         << style << "'";
      return signalPassFailure();
    }
    if (failed(expectStage(module, {"online"})))
      return signalPassFailure();
    SmallVector<MaskStep> steps;
    module.walk([&](KeepOp keep) {
      if (std::optional<MaskStep> step = matchMaskStep(keep))
        steps.push_back(*step);
      else if (keep->getParentOfType<scf::ForOp>())
        keep.emitRemark() << "this mask is not of the form that lets key tiles "
                             "be told apart: all of them are visited and "
                             "masked";
    });
    llvm::MapVector<Operation *, unsigned> perLoop;
    SmallVector<MaskStyle> styles;
    for (MaskStep step : steps)
      ++perLoop[step.loop];
    for (MaskStep step : steps)
      styles.push_back(styleOf(step, perLoop[step.loop]));
    for (auto [step, chosen] : llvm::zip(steps, styles))
      apply(step, chosen, /*isLast=*/--perLoop[step.loop] == 0);
    setStage(module, "masked");
  }

  /// The schedule of the parallel loop around, nothing where it has none.
  static ScheduleAttr scheduleOf(MaskStep step) {
    auto parallel = step.loop->getParentOfType<scf::ForallOp>();
    return parallel ? parallel->getAttrOfType<ScheduleAttr>(kScheduleAttr)
                    : ScheduleAttr();
  }

  /// The option, else what the schedule says. A loop with several masks is not
  /// split.
  MaskStyle styleOf(MaskStep step, unsigned masksInLoop) {
    ScheduleAttr schedule = scheduleOf(step);
    MaskStyle chosen = schedule ? schedule.getMask() : MaskStyle::Guard;
    if (!style.empty())
      chosen = *symbolizeMaskStyle(style);
    if (chosen != MaskStyle::Split || masksInLoop == 1)
      return chosen;
    step.keep.emitRemark() << "guarded: a loop with " << masksInLoop
                           << " masks is not split";
    return MaskStyle::Guard;
  }

  /// The loop is turned around behind the last of its masks: the others still
  /// reason about its counter.
  void apply(MaskStep step, MaskStyle chosen, bool isLast) {
    OpBuilder b(step.loop);
    KeyRanges ranges = findRanges(b, step);
    ScheduleAttr schedule = scheduleOf(step);
    bool backward = schedule && schedule.getWalk() == KeyOrder::Backward;
    bool drops = neverMasks(step, ranges);
    bool splits = chosen == MaskStyle::Split;
    if (splits && backward && schedule.getRotate())
      return peelLast(step, ranges, drops);
    if (!drops && splits) {
      SmallVector<Part> parts = splitRange(b, step, ranges, backward);
      step.loop.replaceAllUsesWith(
          makeLoops(b, step, parts, step.loop.getInitArgs(), backward));
      return step.loop.erase();
    }
    step.loop.getLowerBoundMutable().assign(ranges.begin);
    step.loop.getUpperBoundMutable().assign(ranges.end);
    if (drops) {
      step.generic.getResult(0).replaceAllUsesWith(
          step.generic.getOutputs()[0]);
      step.generic.erase();
      dropKeyClamps(step.loop, step, step.loop.getInductionVar());
    } else if (chosen == MaskStyle::Guard) {
      guardMask(step, ranges);
    }
    if (backward && isLast)
      reverseLoop(step.loop, step.keys);
  }
};
} // namespace
