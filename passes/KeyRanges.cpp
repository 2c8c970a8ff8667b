// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/KeyRanges.h"

#include "passes/TileBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fa;

/// `value` rounded to a multiple of the key tile counted from `origin`: down,
/// and for a value before the origin up to it at most, which the callers'
/// bounds treat alike.
static Value roundDown(OpBuilder &b, Location loc, Value value, Value origin,
                       int64_t tile) {
  TileBuilder t(b, loc);
  Value relative = t.sub(value, origin);
  Value tiles = b.createOrFold<arith::DivSIOp>(loc, relative, t.index(tile));
  Value whole = b.createOrFold<arith::MulIOp>(loc, tiles, t.index(tile));
  return b.createOrFold<arith::AddIOp>(loc, origin, whole);
}

Value mlir::fa::lastTile(OpBuilder &b, Location loc, Value begin, Value end,
                         int64_t tile) {
  TileBuilder t(b, loc);
  return roundDown(b, loc, t.sub(end, t.index(1)), begin, tile);
}

Value mlir::fa::reachesPast(OpBuilder &b, Location loc, MaskStep step,
                            Value key, Value end) {
  TileBuilder t(b, loc);
  return t.cmp(arith::CmpIPredicate::sgt, t.add(key, t.index(step.keys)), end);
}

KeyRanges mlir::fa::findRanges(OpBuilder &b, MaskStep step) {
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
    ranges.begin = roundDown(b, loc, from, lower, step.keys);
    ranges.fullBegin = t.max(t.sub(last, reach), lower);
  }
  if (std::optional<int64_t> right = mask.getRightBound()) {
    Value reach = t.index(*right + 1);
    ranges.end = t.min(add(last, reach), upper);
    ranges.fullEnd = t.min(add(first, reach), sk);
  }
  return ranges;
}

bool mlir::fa::neverMasks(MaskStep step, KeyRanges ranges) {
  std::optional<int64_t> begin = getConstantIntValue(ranges.begin);
  std::optional<int64_t> end = getConstantIntValue(ranges.end);
  std::optional<int64_t> fullBegin = getConstantIntValue(ranges.fullBegin);
  std::optional<int64_t> fullEnd = getConstantIntValue(ranges.fullEnd);
  return begin && end && fullBegin && fullEnd && *fullBegin <= *begin &&
         *end <= *fullEnd && (*end - *begin) % step.keys == 0;
}

bool mlir::fa::onlyLastMasks(MaskStep step) {
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

SmallVector<KeyPart> mlir::fa::splitRange(OpBuilder &b, MaskStep step,
                                          KeyRanges ranges, bool backward) {
  Location loc = step.loop.getLoc();
  TileBuilder t(b, loc);
  Value roundedUp = t.add(ranges.fullBegin, t.index(step.keys - 1));
  Value fullBegin =
      t.min(roundDown(b, loc, roundedUp, ranges.begin, step.keys), ranges.end);
  fullBegin = t.max(fullBegin, ranges.begin);
  Value fullEnd = t.max(roundDown(b, loc, t.min(ranges.fullEnd, ranges.end),
                                  ranges.begin, step.keys),
                        fullBegin);
  SmallVector<KeyPart> parts;
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
