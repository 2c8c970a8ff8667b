// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tiled -> online: the FlashAttention algorithm on tiles of static size. Here
// the op on a query tile becomes a loop over key tiles; what a step of the loop
// does to the scores stands in OnlineSoftmax.
#include "dialect/Fa/FaDialect.h"
#include "passes/InlineRegion.h"
#include "passes/OnlineSoftmax.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/TileBuilder.h"
#include "passes/TileRows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAONLINE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Rewrites one attention op on a query tile.
class OnlineRewriter {
public:
  OnlineRewriter(AttentionOp op)
      : op(op), b(op), t(b, op.getLoc()), softmax(op, b), loc(op.getLoc()),
        queryTile(op.getSchedule()->getQueryTile()),
        keyTile(op.getSchedule()->getKeyTile()), batch(op.getAt()[0]),
        head(op.getAt()[1]), firstQuery(op.getAt()[2]) {}

  void run() {
    findExtents();
    Value q = loadRows(b, loc, op.getQ(), op.getSeqDim(), t.index(0), queryRows,
                       queryTile);
    SoftmaxState state = keyLoop(q);
    if (softmax.scalesExponent())
      state = softmax.scaleMax(state);
    if (op.getSink())
      state = softmax.joinSink(state);
    store(state);
    op.erase();
  }

private:
  void findExtents();
  Value clampedLength(Value lengths, Value extent);
  SoftmaxState keyLoop(Value q);
  Value loadKeys(Value source, Value firstKey);
  Value scores(Value q, Value firstKey);
  Value mask(Value scores, Value firstKey);
  ScorePosition position(OpBuilder &nested, Value firstKey);
  Value query(OpBuilder &nested);
  Value liveSum(Value sum);
  void store(SoftmaxState state);

  AttentionOp op;
  OpBuilder b;
  TileBuilder t;
  OnlineSoftmax softmax;
  Location loc;
  int64_t queryTile, keyTile;
  Value batch, head, firstQuery;
  /// Lengths of the two sequences; rows of Q and of O in this tile.
  Value queryLength, keyLength, queryRows, outRows;
};
} // namespace

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The tile's own entry of a vector of lengths, clamped to [0, extent].
Value OnlineRewriter::clampedLength(Value lengths, Value extent) {
  if (!lengths)
    return extent;
  Value raw = memref::LoadOp::create(b, loc, lengths, t.index(0));
  Value length = arith::IndexCastOp::create(b, loc, b.getIndexType(), raw);
  return t.min(t.max(length, t.index(0)), extent);
}

void OnlineRewriter::findExtents() {
  unsigned seq = op.getSeqDim();
  outRows = t.dim(op.getQ(), seq);
  queryLength = clampedLength(op.getQLengths(), op.getAt()[3]);
  keyLength = clampedLength(op.getKvLengths(), t.dim(op.getK(), seq));
  queryRows = outRows;
  if (!op.getQLengths())
    return;
  // Rows past the length are not read, and a tile of only such rows has no key
  // to visit.
  Value left = t.max(t.sub(queryLength, firstQuery), t.index(0));
  queryRows = t.min(left, outRows);
  Value dead = t.cmp(arith::CmpIPredicate::eq, queryRows, t.index(0));
  keyLength = t.select(dead, t.index(0), keyLength);
}

//===----------------------------------------------------------------------===//
// The key loop
//===----------------------------------------------------------------------===//

SoftmaxState OnlineRewriter::keyLoop(Value q) {
  SoftmaxState first = softmax.start();
  auto loop =
      scf::ForOp::create(b, loc, t.index(0), keyLength, t.index(keyTile),
                         ValueRange{first.max, first.sum, first.acc});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value firstKey = loop.getInductionVar();
  ValueRange carried = loop.getRegionIterArgs();
  Value s = mask(scores(q, firstKey), firstKey);
  SoftmaxState next =
      softmax.step({carried[0], carried[1], carried[2]}, s,
                   [&] { return loadKeys(op.getV(), firstKey); });
  scf::YieldOp::create(b, loc, ValueRange{next.max, next.sum, next.acc});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// The tile of K or of V that begins at `firstKey`.
Value OnlineRewriter::loadKeys(Value source, Value firstKey) {
  Value rows = t.min(t.sub(keyLength, firstKey), t.index(keyTile));
  return loadRows(b, loc, source, op.getSeqDim(), firstKey, rows, keyTile);
}

Value OnlineRewriter::query(OpBuilder &nested) {
  return t.add(firstQuery, linalg::IndexOp::create(nested, loc, 0));
}

/// Where the element of a tile of scores stands.
ScorePosition OnlineRewriter::position(OpBuilder &nested, Value firstKey) {
  Value i = query(nested);
  Value j = t.add(firstKey, linalg::IndexOp::create(nested, loc, 1));
  return {batch, head, i, j, queryLength, keyLength};
}

/// S = scale * Q K^T, then the score region; the scale may come later.
Value OnlineRewriter::scores(Value q, Value firstKey) {
  Value k = loadKeys(op.getK(), firstKey);
  Value zero = t.fill({queryTile, keyTile}, b.getF32Type(), 0.0);
  Value s = t.matmul(q, k, zero, /*transposeB=*/true);
  if (softmax.scalesExponent())
    return s;
  return t.mapInPlace("scores", s, {}, [&](OpBuilder &nested, ValueRange args) {
    Value scaled =
        arith::MulFOp::create(nested, loc, args.back(), op.getScaleValue());
    if (!op.hasScoreRegion())
      return scaled;
    return inlineRegion(nested, loc, op.getScore(), {scaled},
                        position(nested, firstKey));
  });
}

/// Positions that are masked or do not exist get -inf.
Value OnlineRewriter::mask(Value s, Value firstKey) {
  auto drop = [&](OpBuilder &nested, Value kept, Value score) -> Value {
    Value lowest = t.constant(-INFINITY);
    return arith::SelectOp::create(nested, loc, kept, score, lowest);
  };
  if (op.hasKeepRegion())
    s = t.mapInPlace("mask_region", s, {},
                     [&](OpBuilder &nested, ValueRange args) {
                       Value kept = inlineRegion(nested, loc, op.getKeep(), {},
                                                 position(nested, firstKey));
                       return drop(nested, kept, args.back());
                     });
  return t.mapInPlace("mask", s, {}, [&](OpBuilder &nested, ValueRange args) {
    ScorePosition at = position(nested, firstKey);
    Value kept = KeepOp::create(nested, loc, op.getMaskOrDefault(), at.query,
                                at.key, queryLength, keyLength);
    return drop(nested, kept, args.back());
  });
}

//===----------------------------------------------------------------------===//
// After the loop
//===----------------------------------------------------------------------===//

/// The sum, 0 for rows at or past the query length.
Value OnlineRewriter::liveSum(Value sum) {
  return t.map("live_sum", {queryTile}, b.getF32Type(), {sum},
               [&](OpBuilder &nested, ValueRange args) -> Value {
                 if (!op.getQLengths())
                   return args[0];
                 Value exists = t.cmp(arith::CmpIPredicate::slt, query(nested),
                                      queryLength);
                 return arith::SelectOp::create(nested, loc, exists, args[0],
                                                t.constant(0.0));
               });
}

/// O = acc / sum and LSE = max + ln(sum); O = 0 and LSE = -inf for rows that
/// kept no key, and for rows at or past the query length.
void OnlineRewriter::store(SoftmaxState state) {
  Value sum = liveSum(state.sum);
  // Without keys the accumulator is 0. Queries past the length may be anything,
  // though, and so may their rows of it.
  bool mayBeAny = static_cast<bool>(op.getQLengths());
  Value o = softmax.normalize(state.acc, sum, mayBeAny);
  storeRows(b, loc, o, op.getOutput(), op.getSeqDim(), outRows);
  if (op.getLse())
    storeRows(b, loc, softmax.logSumExp(state.max, sum), op.getLse(),
              /*seq=*/2, outRows);
}

namespace {
struct OnlinePass : fa::impl::FaOnlineBase<OnlinePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"tiled"})))
      return signalPassFailure();
    SmallVector<AttentionOp> ops;
    module.walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops) {
      if (failed(check(op)))
        return signalPassFailure();
      OnlineRewriter(op).run();
    }
    setStage(module, "online");
  }

  LogicalResult check(AttentionOp op) {
    ShapedType q = op.getQType(), k = op.getKType();
    if (!op.isTile() || !op.isBufferized() || q.getDimSize(0) != 1 ||
        q.getDimSize(op.getHeadDim()) != 1 ||
        k.getDimSize(op.getHeadDim()) != 1)
      return op.emitOpError() << "expects a tile of one batch entry and one "
                                 "head on memrefs (stage tiled), got q of "
                              << q;
    if (!op.getSchedule() || !op.getScaleValue())
      return op.emitOpError() << "expects a schedule and a scale operand";
    int64_t rows = q.getDimSize(op.getSeqDim());
    int64_t tile = op.getSchedule()->getQueryTile();
    if (!ShapedType::isDynamic(rows) && rows > tile)
      return op.emitOpError()
             << "expects at most the " << tile
             << " queries of its schedule's query_tile, got " << rows;
    return success();
  }
};
} // namespace
