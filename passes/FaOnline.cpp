// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tiled -> online: the FlashAttention algorithm on tiles of static size.
//
// The order of the steps within the key loop is the one that lets each of them
// bufferise in place: a row vector is overwritten only after its last reader.
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/TileBuilder.h"

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
      : op(op), b(op), t(b, op.getLoc()), loc(op.getLoc()),
        queryTile(op.getSchedule()->getQueryTile()),
        keyTile(op.getSchedule()->getKeyTile()), batch(op.getAt()[0]),
        head(op.getAt()[1]), firstQuery(op.getAt()[2]) {}

  void run() {
    findExtents();
    Value q = loadTile(op.getQ(), t.index(0), queryRows, queryTile);
    State state = keyLoop(q);
    if (scalesExponent())
      state = scaleMax(state);
    if (op.getSink())
      state = joinSink(state);
    store(state);
    op.erase();
  }

private:
  /// What the key loop carries: row max and row sum [queries], and the
  /// accumulator [queries, Dv].
  struct State {
    Value max, sum, acc;
  };

  void findExtents();
  Value clampedLength(Value lengths, Value extent);
  Value rowsOf(Value tensor);
  Value loadTile(Value source, Value first, Value rows, int64_t tile);
  State keyLoop(Value q);
  State step(Value q, Value firstKey, State state);
  bool scalesExponent() const;
  Value exp(OpBuilder &b, Value x);
  Value expOfDifference(OpBuilder &b, Value x, Value y);
  State scaleMax(State state);
  Value scores(Value q, Value firstKey);
  Value mask(Value scores, Value firstKey);
  Value inlineRegion(OpBuilder &b, Region &region, ArrayRef<Value> leading,
                     Value i, Value j);
  Value reference(Value max, Value tileMax);
  State joinSink(State state);
  void store(State state);
  void storeTile(Value tile, Value destination);
  Value query(OpBuilder &b) {
    return t.add(firstQuery, linalg::IndexOp::create(b, loc, 0));
  }

  AttentionOp op;
  OpBuilder b;
  TileBuilder t;
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
// Tiles
//===----------------------------------------------------------------------===//

/// `rows` rows of a [1, 1, n, D] (or [1, n, 1, D]) memref from `first` on as a
/// tile [tile, D]; rows that do not exist are zero.
Value OnlineRewriter::loadTile(Value source, Value first, Value rows,
                               int64_t tile) {
  auto type = cast<MemRefType>(source.getType());
  unsigned seq = op.getSeqDim();
  int64_t dim = type.getShape().back();
  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
      sizes(4, b.getIndexAttr(1)), strides(4, b.getIndexAttr(1));
  offsets[seq] = getAsOpFoldResult(first);
  sizes[seq] = getAsOpFoldResult(rows);
  sizes[3] = b.getIndexAttr(dim);
  SmallVector<int64_t> shape{
      getConstantIntValue(rows).value_or(ShapedType::kDynamic), dim};
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  Value view = memref::SubViewOp::create(b, loc, reduced, source, offsets,
                                         sizes, strides);
  Value tensor = bufferization::ToTensorOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), view,
      /*restrict=*/true);
  return t.padRows(tensor, t.sub(t.index(tile), rows), tile);
}

/// Writes the first rows of a tile to O or LSE.
void OnlineRewriter::storeTile(Value tile, Value destination) {
  auto type = cast<MemRefType>(destination.getType());
  auto tileType = cast<RankedTensorType>(tile.getType());
  bool isRows = tileType.getRank() == 1;
  unsigned seq = isRows ? 2 : op.getSeqDim();
  OpFoldResult rows = getAsOpFoldResult(outRows);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      sizes(type.getRank(), b.getIndexAttr(1)),
      strides(type.getRank(), b.getIndexAttr(1));
  sizes[seq] = rows;
  SmallVector<int64_t> shape{
      getConstantIntValue(rows).value_or(ShapedType::kDynamic)};
  SmallVector<OpFoldResult> tileOffsets{b.getIndexAttr(0)}, tileSizes{rows},
      tileStrides{b.getIndexAttr(1)};
  if (!isRows) {
    int64_t dim = tileType.getDimSize(1);
    sizes.back() = b.getIndexAttr(dim);
    shape.push_back(dim);
    tileOffsets.push_back(b.getIndexAttr(0));
    tileSizes.push_back(b.getIndexAttr(dim));
    tileStrides.push_back(b.getIndexAttr(1));
  }
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  Value view = memref::SubViewOp::create(b, loc, reduced, destination, offsets,
                                         sizes, strides);
  Value exists = tensor::ExtractSliceOp::create(b, loc, tile, tileOffsets,
                                                tileSizes, tileStrides);
  bufferization::MaterializeInDestinationOp::create(
      b, loc, /*result=*/Type(), exists, view, /*restrict=*/true,
      /*writable=*/true);
}

//===----------------------------------------------------------------------===//
// The key loop
//===----------------------------------------------------------------------===//

OnlineRewriter::State OnlineRewriter::keyLoop(Value q) {
  Type f32 = b.getF32Type();
  Value max = t.fill({queryTile}, f32, -INFINITY);
  Value sum = t.fill({queryTile}, f32, 0.0);
  Value acc = t.fill({queryTile, op.getVDim()}, f32, 0.0);
  auto loop = scf::ForOp::create(b, loc, t.index(0), keyLength,
                                 t.index(keyTile), ValueRange{max, sum, acc});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  State next =
      step(q, loop.getInductionVar(), {carried[0], carried[1], carried[2]});
  scf::YieldOp::create(b, loc, ValueRange{next.max, next.sum, next.acc});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// The ops of a region that may only see positions which exist: those that read
/// memory or could trap, and what they compute their operands with.
static DenseSet<Operation *> findBound(Block &body) {
  DenseSet<Operation *> bound;
  for (Operation &inner : llvm::reverse(body.without_terminator())) {
    if (isa<tensor::ExtractOp>(inner) || !isPure(&inner))
      bound.insert(&inner);
    if (bound.contains(&inner))
      for (Value operand : inner.getOperands())
        if (Operation *from = operand.getDefiningOp())
          bound.insert(from);
  }
  return bound;
}

/// `region` with `leading` arguments, this tile's batch and head, and (i, j).
/// For what reads memory the coordinates of padding are moved to the last
/// position that exists.
Value OnlineRewriter::inlineRegion(OpBuilder &nested, Region &region,
                                   ArrayRef<Value> leading, Value i, Value j) {
  Block &body = region.front();
  DenseSet<Operation *> bound = findBound(body);
  auto usesInBound = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUsers(),
                        [&](Operation *user) { return bound.contains(user); });
  };
  SmallVector<Value> arguments(leading);
  llvm::append_range(arguments, ArrayRef<Value>{batch, head, i, j});
  SmallVector<Value> moved = arguments;
  unsigned key = body.getNumArguments() - 1, query = key - 1;
  if (usesInBound(body.getArgument(query)))
    moved[query] = t.min(i, t.sub(queryLength, t.index(1)));
  if (usesInBound(body.getArgument(key)))
    moved[key] = t.min(j, t.sub(keyLength, t.index(1)));
  IRMapping mapping;
  for (Operation &inner : body.without_terminator()) {
    mapping.map(body.getArguments(),
                bound.contains(&inner) ? moved : arguments);
    nested.clone(inner, mapping);
  }
  mapping.map(body.getArguments(), arguments);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}

/// Where the scale is positive and nothing but the mask stands between the
/// scores and the softmax, row max and row sum may be taken of Q K^T itself,
/// and the scale multiplies the exponents only.
bool OnlineRewriter::scalesExponent() const {
  AttentionOp attention = op;
  return !attention.hasScoreRegion() && attention.getScaleOrDefault() > 0;
}

/// The softmax's exponentials may be approximate, those of regions may not.
Value OnlineRewriter::exp(OpBuilder &nested, Value x) {
  return math::ExpOp::create(nested, loc, x, arith::FastMathFlags::afn);
}

/// exp(x - y) for scores x and y, scaled where they are not yet.
Value OnlineRewriter::expOfDifference(OpBuilder &nested, Value x, Value y) {
  Value d = arith::SubFOp::create(nested, loc, x, y);
  if (scalesExponent())
    d = arith::MulFOp::create(nested, loc, d, op.getScaleValue());
  return exp(nested, d);
}

/// The row max in the domain of the scores.
OnlineRewriter::State OnlineRewriter::scaleMax(State state) {
  state.max = t.mapInPlace(
      "scale_max", state.max, {}, [&](OpBuilder &nested, ValueRange args) {
        return arith::MulFOp::create(nested, loc, args[0], op.getScaleValue());
      });
  return state;
}

/// S = scale * Q K^T, then the score region; the scale may come later.
Value OnlineRewriter::scores(Value q, Value firstKey) {
  Value rows = t.min(t.sub(keyLength, firstKey), t.index(keyTile));
  Value k = loadTile(op.getK(), firstKey, rows, keyTile);
  Value zero = t.fill({queryTile, keyTile}, b.getF32Type(), 0.0);
  Value s = t.matmul(q, k, zero, /*transposeB=*/true);
  if (scalesExponent())
    return s;
  return t.mapInPlace("scores", s, {}, [&](OpBuilder &nested, ValueRange args) {
    Value scaled =
        arith::MulFOp::create(nested, loc, args.back(), op.getScaleValue());
    if (!op.hasScoreRegion())
      return scaled;
    Value i = query(nested);
    Value j = t.add(firstKey, linalg::IndexOp::create(nested, loc, 1));
    return inlineRegion(nested, op.getScore(), {scaled}, i, j);
  });
}

/// Positions that are masked or do not exist get -inf.
Value OnlineRewriter::mask(Value s, Value firstKey) {
  auto drop = [&](OpBuilder &nested, Value kept, Value score) -> Value {
    Value lowest = t.constant(-INFINITY);
    return arith::SelectOp::create(nested, loc, kept, score, lowest);
  };
  if (op.hasKeepRegion())
    s = t.mapInPlace(
        "mask_region", s, {}, [&](OpBuilder &nested, ValueRange args) {
          Value i = query(nested);
          Value j = t.add(firstKey, linalg::IndexOp::create(nested, loc, 1));
          return drop(nested, inlineRegion(nested, op.getKeep(), {}, i, j),
                      args.back());
        });
  return t.mapInPlace("mask", s, {}, [&](OpBuilder &nested, ValueRange args) {
    Value i = query(nested);
    Value j = t.add(firstKey, linalg::IndexOp::create(nested, loc, 1));
    Value kept = KeepOp::create(nested, loc, op.getMaskOrDefault(), i, j,
                                queryLength, keyLength);
    return drop(nested, kept, args.back());
  });
}

/// What the exponents are taken against: the new row max, with 0 in the place
/// of -inf. A row without a kept key so far then has exp(-inf - 0) = 0
/// everywhere, and no inf - inf.
Value OnlineRewriter::reference(Value max, Value tileMax) {
  return t.map("reference", {queryTile}, b.getF32Type(), {max, tileMax},
               [&](OpBuilder &nested, ValueRange args) -> Value {
                 Value both =
                     arith::MaximumFOp::create(nested, loc, args[0], args[1]);
                 Value empty = arith::CmpFOp::create(
                     nested, loc, arith::CmpFPredicate::OEQ, both,
                     t.constant(-INFINITY));
                 return arith::SelectOp::create(nested, loc, empty,
                                                t.constant(0.0), both);
               });
}

OnlineRewriter::State OnlineRewriter::step(Value q, Value firstKey,
                                           State state) {
  Value s = mask(scores(q, firstKey), firstKey);
  Value lowest = t.fill({queryTile}, b.getF32Type(), -INFINITY);
  Value tileMax = t.reduceRows<arith::MaximumFOp>("row_max", s, lowest);
  Value against = reference(state.max, tileMax);
  Value p = t.mapInPlace("exp", s, {against},
                         [&](OpBuilder &nested, ValueRange args) -> Value {
                           return expOfDifference(nested, args[1], args[0]);
                         });
  Value alpha =
      t.map("alpha", {queryTile}, b.getF32Type(), {state.max, against},
            [&](OpBuilder &nested, ValueRange args) -> Value {
              return expOfDifference(nested, args[0], args[1]);
            });
  // The old max is overwritten only here, after alpha has read it.
  Value newMax = t.mapInPlace(
      "new_max", state.max, {tileMax}, [&](OpBuilder &nested, ValueRange args) {
        return arith::MaximumFOp::create(nested, loc, args[0], args[1]);
      });
  auto rescale = [&](OpBuilder &nested, ValueRange args) -> Value {
    return arith::MulFOp::create(nested, loc, args[0], args[1]);
  };
  Value scaledSum = t.mapInPlace("rescale_sum", state.sum, {alpha}, rescale);
  Value sum = t.reduceRows<arith::AddFOp>("row_sum", p, scaledSum);
  Value rounded = t.truncate("round", p, op.getVType().getElementType());
  Value rows = t.min(t.sub(keyLength, firstKey), t.index(keyTile));
  Value v = loadTile(op.getV(), firstKey, rows, keyTile);
  Value scaledAcc = t.mapInPlace("rescale_acc", state.acc, {alpha}, rescale);
  Value acc = t.matmul(rounded, v, scaledAcc, /*transposeB=*/false);
  return {newMax, sum, acc};
}

//===----------------------------------------------------------------------===//
// After the loop
//===----------------------------------------------------------------------===//

/// The sink is a logit without a value row: it joins the max and the sum.
OnlineRewriter::State OnlineRewriter::joinSink(State state) {
  Value sink = memref::LoadOp::create(b, loc, op.getSink(), t.index(0));
  auto newMax = [&](OpBuilder &nested, Value max) -> Value {
    return arith::MaximumFOp::create(nested, loc, max, sink);
  };
  auto expOf = [&](OpBuilder &nested, Value x, Value max) -> Value {
    Value lowest = t.constant(-INFINITY);
    Value none = arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OEQ,
                                       x, lowest);
    Value d = arith::SubFOp::create(nested, loc, x, max);
    Value e = exp(nested, d);
    return arith::SelectOp::create(nested, loc, none, t.constant(0.0), e);
  };
  Value alpha = t.map("sink_alpha", {queryTile}, b.getF32Type(), {state.max},
                      [&](OpBuilder &nested, ValueRange args) {
                        return expOf(nested, args[0], newMax(nested, args[0]));
                      });
  Value sum =
      t.mapInPlace("sink_sum", state.sum, {alpha, state.max},
                   [&](OpBuilder &nested, ValueRange args) -> Value {
                     Value own =
                         arith::MulFOp::create(nested, loc, args[0], args[2]);
                     Value added = expOf(nested, sink, newMax(nested, args[1]));
                     return arith::AddFOp::create(nested, loc, own, added);
                   });
  Value acc = t.mapInPlace("sink_acc", state.acc, {alpha},
                           [&](OpBuilder &nested, ValueRange args) -> Value {
                             return arith::MulFOp::create(nested, loc, args[0],
                                                          args[1]);
                           });
  Value max = t.mapInPlace("sink_max", state.max, {},
                           [&](OpBuilder &nested, ValueRange args) {
                             return newMax(nested, args[0]);
                           });
  return {max, sum, acc};
}

/// O = acc / sum and LSE = max + ln(sum); O = 0 and LSE = -inf for rows that
/// kept no key, and for rows at or past the query length.
void OnlineRewriter::store(State state) {
  Type f32 = b.getF32Type();
  Value live = t.map("live_sum", {queryTile}, f32, {state.sum},
                     [&](OpBuilder &nested, ValueRange args) -> Value {
                       if (!op.getQLengths())
                         return args[0];
                       Value exists = t.cmp(arith::CmpIPredicate::slt,
                                            query(nested), queryLength);
                       return arith::SelectOp::create(nested, loc, exists,
                                                      args[0], t.constant(0.0));
                     });
  auto isDead = [&](OpBuilder &nested, Value sum) -> Value {
    return arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OEQ, sum,
                                 t.constant(0.0));
  };
  Value inverse = t.map(
      "inverse", {queryTile}, f32, {live},
      [&](OpBuilder &nested, ValueRange args) -> Value {
        Value one = t.constant(1.0);
        Value quotient = arith::DivFOp::create(nested, loc, one, args[0]);
        return arith::SelectOp::create(nested, loc, isDead(nested, args[0]),
                                       t.constant(0.0), quotient);
      });
  // Without keys the accumulator is 0. Queries past the length may be anything,
  // though, and so may their rows of it.
  SmallVector<Value> factors{inverse};
  if (op.getQLengths())
    factors.push_back(live);
  Value o = t.mapInPlace(
      "normalize", state.acc, factors,
      [&](OpBuilder &nested, ValueRange args) -> Value {
        Value scaled = arith::MulFOp::create(nested, loc, args.back(), args[0]);
        if (!op.getQLengths())
          return scaled;
        return arith::SelectOp::create(nested, loc, isDead(nested, args[1]),
                                       t.constant(0.0), scaled);
      });
  if (!op.getOutputType().getElementType().isF32())
    o = t.truncate("round", o, op.getOutputType().getElementType());
  storeTile(o, op.getOutput());
  if (!op.getLse())
    return;
  Value lse = t.map(
      "lse", {queryTile}, f32, {live, state.max},
      [&](OpBuilder &nested, ValueRange args) -> Value {
        Value log = math::LogOp::create(nested, loc, args[0]);
        Value sum = arith::AddFOp::create(nested, loc, args[1], log);
        return arith::SelectOp::create(nested, loc, isDead(nested, args[0]),
                                       t.constant(-INFINITY), sum);
      });
  storeTile(lse, op.getLse());
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
