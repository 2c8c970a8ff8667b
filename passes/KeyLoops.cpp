// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/KeyLoops.h"

#include "passes/TileBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// The mask of a tile
//===----------------------------------------------------------------------===//

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

/// No tile of `loop`, the step's or a copy of it, needs its `mask`.
static void drop(MaskStep step, scf::ForOp loop, linalg::GenericOp mask) {
  mask.getResult(0).replaceAllUsesWith(mask.getOutputs()[0]);
  mask.erase();
  dropKeyClamps(loop, step, loop.getInductionVar());
}

void mlir::fa::dropMask(MaskStep step) { drop(step, step.loop, step.generic); }

/// Puts `mask` under the test `edge`.
static void guard(linalg::GenericOp mask, Value edge) {
  OpBuilder b(mask);
  Location loc = mask.getLoc();
  auto guard = scf::IfOp::create(b, loc, mask.getResult(0).getType(), edge,
                                 /*withElseRegion=*/true);
  Value scores = mask.getOutputs()[0];
  mask.getResult(0).replaceAllUsesWith(guard.getResult(0));
  mask->moveBefore(guard.thenBlock(), guard.thenBlock()->begin());
  b.setInsertionPointToEnd(guard.thenBlock());
  scf::YieldOp::create(b, loc, mask.getResult(0));
  b.setInsertionPointToStart(guard.elseBlock());
  scf::YieldOp::create(b, loc, scores);
}

void mlir::fa::guardMask(MaskStep step, KeyRanges ranges) {
  OpBuilder b(step.generic);
  Location loc = step.generic.getLoc();
  Value key = step.loop.getInductionVar();
  Value before =
      TileBuilder(b, loc).cmp(arith::CmpIPredicate::slt, key, ranges.fullBegin);
  Value after = reachesPast(b, loc, step, key, ranges.fullEnd);
  guard(step.generic, arith::OrIOp::create(b, loc, before, after));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void mlir::fa::reverseLoop(scf::ForOp loop, int64_t tile) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value from = loop.getLowerBound();
  Value last = lastTile(b, loc, from, loop.getUpperBound(), tile);
  Value both = TileBuilder(b, loc).add(last, from);
  b.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  auto key = arith::SubIOp::create(b, loc, both, counter);
  counter.replaceAllUsesExcept(key, key);
}

/// The loop over one part of its tiles as a copy.
static scf::ForOp cloneLoop(OpBuilder &b, MaskStep step, const KeyPart &part,
                            ValueRange inits) {
  IRMapping mapping;
  auto copy = cast<scf::ForOp>(b.clone(*step.loop, mapping));
  copy.getLowerBoundMutable().assign(part.from);
  copy.getUpperBoundMutable().assign(part.to);
  copy.getInitArgsMutable().assign(inits);
  if (!part.masked)
    drop(step, copy,
         cast<linalg::GenericOp>(mapping.lookup(step.generic.getOperation())));
  return copy;
}

/// The parts in the place of the loop; what they carry comes from `state`.
static SmallVector<Value> makeLoops(OpBuilder &b, MaskStep step,
                                    ArrayRef<KeyPart> parts, ValueRange state,
                                    bool backward) {
  for (const KeyPart &part : parts) {
    scf::ForOp copy = cloneLoop(b, step, part, state);
    if (backward)
      reverseLoop(copy, step.keys);
    state = copy.getResults();
  }
  return llvm::to_vector(state);
}

void mlir::fa::splitLoop(MaskStep step, KeyRanges ranges, bool backward) {
  OpBuilder b(step.loop);
  SmallVector<KeyPart> parts = splitRange(b, step, ranges, backward);
  step.loop.replaceAllUsesWith(
      makeLoops(b, step, parts, step.loop.getInitArgs(), backward));
  step.loop.erase();
}

//===----------------------------------------------------------------------===//
// The last tile by itself
//===----------------------------------------------------------------------===//

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
  guard(cast<linalg::GenericOp>(mask),
        reachesPast(atMask, mask->getLoc(), step, key, step.keep.getSk()));
}

void mlir::fa::peelLast(MaskStep step, KeyRanges ranges, bool drops) {
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
  Value last = lastTile(inner, loc, ranges.begin, ranges.end, step.keys);
  SmallVector<Value> next(state);
  cloneTile(inner, step, last, next, !drops);
  ranges.end = last;
  ranges.fullEnd = TileBuilder(inner, loc).min(ranges.fullEnd, last);
  SmallVector<KeyPart> parts{{ranges.begin, last, false}};
  if (!drops && !onlyLastMasks(step))
    parts = splitRange(inner, step, ranges, /*backward=*/true);
  next = makeLoops(inner, step, parts, next, /*backward=*/true);
  scf::YieldOp::create(inner, loc, next);
  step.loop.replaceAllUsesWith(branch.getResults());
  step.loop.erase();
}
