// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FATILE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

using affine::makeComposedFoldedAffineApply;
using affine::makeComposedFoldedAffineMin;

/// Says that each iteration is a block of its own. It also keeps the loop, the
/// kernel's boundary to come, where it has one iteration or none.
static ArrayAttr blocks(OpBuilder &b, ArrayRef<gpu::MappingId> ids) {
  SmallVector<Attribute> mapping;
  for (gpu::MappingId id : ids)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(b.getContext(), id));
  return b.getArrayAttr(mapping);
}

//===----------------------------------------------------------------------===//
// The form with a batch dimension
//===----------------------------------------------------------------------===//

/// Extent of query tile at `first`: the tile size, less at the ragged end.
static OpFoldResult tileExtent(OpBuilder &b, Location loc, OpFoldResult queries,
                               OpFoldResult first, int64_t tile) {
  AffineExpr n, i;
  bindSymbols(b.getContext(), n, i);
  auto map =
      AffineMap::get(0, 2, {n - i, getAffineConstantExpr(tile, b.getContext())},
                     b.getContext());
  return makeComposedFoldedAffineMin(b, loc, map, {queries, first});
}

/// Replaces `op` by its tile of one head and `tile` queries from `first`.
static LogicalResult tileAt(RewriterBase &b, AttentionOp op, OpFoldResult batch,
                            OpFoldResult head, OpFoldResult first,
                            OpFoldResult queries, int64_t tile) {
  OpFoldResult one = b.getIndexAttr(1);
  OpFoldResult extent = tileExtent(b, op.getLoc(), queries, first, tile);
  return success(succeeded(
      op.getTiledImplementation(b, {batch, head, first}, {one, one, extent})));
}

/// First query of the tile that is number `t` in the order of the schedule.
static OpFoldResult firstQuery(OpBuilder &b, Location loc,
                               ScheduleAttr schedule, OpFoldResult t,
                               OpFoldResult tiles) {
  AffineExpr x, n;
  bindSymbols(b.getContext(), x, n);
  int64_t tile = schedule.getQueryTile();
  AffineExpr number =
      schedule.getOrder() == TileOrder::HeaviestFirst ? n - 1 - x : x;
  return makeComposedFoldedAffineApply(b, loc, number * tile, {t, tiles});
}

static LogicalResult tileBatched(RewriterBase &b, AttentionOp op) {
  Location loc = op.getLoc();
  ScheduleAttr schedule = *op.getSchedule();
  SmallVector<Range> domain = op.getIterationDomain(b);
  AffineExpr n;
  bindSymbols(b.getContext(), n);
  OpFoldResult tiles = makeComposedFoldedAffineApply(
      b, loc, n.ceilDiv(schedule.getQueryTile()), {domain[2].size});
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{domain[0].size, domain[1].size, tiles},
      ValueRange(),
      blocks(b, {gpu::MappingId::DimZ, gpu::MappingId::DimY,
                 gpu::MappingId::DimX}));
  loop->setAttr(kScheduleAttr, schedule);
  b.setInsertionPointToStart(loop.getBody());
  Value batch = loop.getInductionVar(0), head = loop.getInductionVar(1);
  OpFoldResult first =
      firstQuery(b, loc, schedule, loop.getInductionVar(2), tiles);
  return tileAt(b, op, batch, head, first, domain[2].size,
                schedule.getQueryTile());
}

//===----------------------------------------------------------------------===//
// The packed form
//===----------------------------------------------------------------------===//

namespace {
/// Where one sequence stands in a packed tensor.
struct Sequence {
  Value start, length;
};
} // namespace

/// Sequence number `index` by its offsets, which are clamped into the tensor:
/// they are data, and no address may come from a wrong one.
static Sequence loadSequence(OpBuilder &b, Location loc, Value offsets,
                             Value index, Value tokens) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto load = [&](Value at, Value low) -> Value {
    Value raw = memref::LoadOp::create(b, loc, offsets, at);
    Value wide = arith::IndexCastOp::create(b, loc, b.getIndexType(), raw);
    Value least = arith::MaxSIOp::create(b, loc, wide, low);
    return arith::MinSIOp::create(b, loc, least, tokens);
  };
  Value next = arith::AddIOp::create(b, loc, index, one);
  Value start = load(index, zero);
  Value end = load(next, start);
  return {start, arith::SubIOp::create(b, loc, end, start)};
}

/// The sequence that tile number `t` of a head belongs to and its number
/// within, walking over the sequences; -1 where `t` is past the last.
static std::pair<Value, Value> findSequence(OpBuilder &b, Location loc,
                                            AttentionOp op, Value t,
                                            Value sequences, Value tokens,
                                            int64_t tile) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value none = arith::ConstantIndexOp::create(b, loc, -1);
  auto loop = scf::ForOp::create(
      b, loc, zero, sequences, one, ValueRange{none, t},
      [&](OpBuilder &b, Location loc, Value s, ValueRange carried) {
        Value found = carried[0], left = carried[1];
        Sequence seq = loadSequence(b, loc, op.getQOffsets(), s, tokens);
        AffineExpr n;
        bindSymbols(b.getContext(), n);
        Value tiles = getValueOrCreateConstantIndexOp(
            b, loc,
            makeComposedFoldedAffineApply(b, loc, n.ceilDiv(tile),
                                          {seq.length}));
        Value searching = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::eq, found, none);
        Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             left, tiles);
        Value here = arith::AndIOp::create(b, loc, searching, within);
        Value nextFound = arith::SelectOp::create(b, loc, here, s, found);
        Value passed = arith::SubIOp::create(b, loc, left, tiles);
        Value stays = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                            nextFound, none);
        Value nextLeft = arith::SelectOp::create(b, loc, stays, left, passed);
        scf::YieldOp::create(b, loc, ValueRange{nextFound, nextLeft});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// Rows [start, start + length) of a packed [tokens, heads, dim] as
/// [1, length, heads, dim].
static Value sequenceOf(OpBuilder &b, Location loc, Value packed,
                        Sequence seq) {
  auto type = cast<MemRefType>(packed.getType());
  OpFoldResult heads = memref::getMixedSize(b, loc, packed, 1);
  OpFoldResult dim = b.getIndexAttr(type.getDimSize(2));
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  Value rows = memref::SubViewOp::create(
      b, loc, packed, ArrayRef<OpFoldResult>{seq.start, zero, zero},
      ArrayRef<OpFoldResult>{seq.length, heads, dim},
      ArrayRef<OpFoldResult>{one, one, one});
  SmallVector<int64_t> shape{1, ShapedType::kDynamic, type.getDimSize(1),
                             type.getDimSize(2)};
  SmallVector<OpFoldResult> sizes{one, seq.length, heads, dim};
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}, {3}};
  return memref::ExpandShapeOp::create(b, loc, shape, rows, groups, sizes);
}

/// Columns [start, start + length) of a packed [heads, tokens] LSE as
/// [1, heads, length].
static Value sequenceOfLse(OpBuilder &b, Location loc, Value packed,
                           Sequence seq) {
  auto type = cast<MemRefType>(packed.getType());
  OpFoldResult heads = memref::getMixedSize(b, loc, packed, 0);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  Value columns = memref::SubViewOp::create(
      b, loc, packed, ArrayRef<OpFoldResult>{zero, seq.start},
      ArrayRef<OpFoldResult>{heads, seq.length},
      ArrayRef<OpFoldResult>{one, one});
  SmallVector<int64_t> shape{1, type.getDimSize(0), ShapedType::kDynamic};
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
  return memref::ExpandShapeOp::create(
      b, loc, shape, columns, groups,
      SmallVector<OpFoldResult>{one, heads, seq.length});
}

/// The op on one sequence of a packed op: the same problem with a batch
/// dimension of 1, which stands at batch entry `sequence`.
static AttentionOp onSequence(OpBuilder &b, AttentionOp op, Value sequence,
                              Value qTokens, Value kTokens) {
  Location loc = op.getLoc();
  Sequence qs = loadSequence(b, loc, op.getQOffsets(), sequence, qTokens);
  Sequence ks = loadSequence(b, loc, op.getKvOffsets(), sequence, kTokens);
  SmallVector<Value> outs{sequenceOf(b, loc, op.getOutput(), qs)};
  if (Value lse = op.getLse())
    outs.push_back(sequenceOfLse(b, loc, lse, qs));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto made = AttentionOp::create(
      b, loc, TypeRange(), sequenceOf(b, loc, op.getQ(), qs),
      sequenceOf(b, loc, op.getK(), ks), sequenceOf(b, loc, op.getV(), ks),
      outs, Value(), Value(), Value(), Value(), op.getSink(),
      op.getScaleValue(), ValueRange{sequence, zero, zero, qs.length},
      op.getScaleAttr(), op.getMaskAttr(),
      LayoutAttr::get(b.getContext(), Layout::BSHD), op.getScheduleAttr());
  IRMapping mapping;
  op.getScore().cloneInto(&made.getScore(), mapping);
  op.getKeep().cloneInto(&made.getKeep(), mapping);
  return made;
}

/// A head has as many tiles as its sequences need; the lengths are data, so the
/// loop runs to a bound on it, Tq / tile + B, and what is past the end is idle.
static LogicalResult tilePacked(RewriterBase &b, AttentionOp op) {
  Location loc = op.getLoc();
  ScheduleAttr schedule = *op.getSchedule();
  int64_t tile = schedule.getQueryTile();
  AffineExpr tokens, entries;
  bindSymbols(b.getContext(), tokens, entries);
  OpFoldResult tq = memref::getMixedSize(b, loc, op.getQ(), 0);
  OpFoldResult heads = memref::getMixedSize(b, loc, op.getQ(), 1);
  OpFoldResult offsets = memref::getMixedSize(b, loc, op.getQOffsets(), 0);
  OpFoldResult tiles = makeComposedFoldedAffineApply(
      b, loc, tokens.floorDiv(tile) + entries - 1, {tq, offsets});
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{heads, tiles}, ValueRange(),
      blocks(b, {gpu::MappingId::DimY, gpu::MappingId::DimX}));
  loop->setAttr(kScheduleAttr, schedule);
  b.setInsertionPointToStart(loop.getBody());
  AffineExpr e;
  bindSymbols(b.getContext(), e);
  Value sequences = getValueOrCreateConstantIndexOp(
      b, loc, makeComposedFoldedAffineApply(b, loc, e - 1, {offsets}));
  Value qTokens = getValueOrCreateConstantIndexOp(b, loc, tq);
  Value kTokens = getValueOrCreateConstantIndexOp(
      b, loc, memref::getMixedSize(b, loc, op.getK(), 0));
  auto [sequence, number] = findSequence(b, loc, op, loop.getInductionVar(1),
                                         sequences, qTokens, tile);
  Value none = arith::ConstantIndexOp::create(b, loc, -1);
  Value exists =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, sequence, none);
  auto guard = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
  b.setInsertionPointToStart(guard.thenBlock());
  AttentionOp whole = onSequence(b, op, sequence, qTokens, kTokens);
  Value queries = whole.getAt()[3];
  AffineExpr x;
  bindSymbols(b.getContext(), x);
  OpFoldResult first =
      makeComposedFoldedAffineApply(b, loc, x * tile, {number});
  LogicalResult result = tileAt(b, whole, b.getIndexAttr(0),
                                loop.getInductionVar(0), first, queries, tile);
  b.eraseOp(whole);
  return result;
}

namespace {
struct TilePass : fa::impl::FaTileBase<TilePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"buffers"})))
      return signalPassFailure();
    SmallVector<AttentionOp> ops;
    module.walk([&](AttentionOp op) {
      if (!op.isTile())
        ops.push_back(op);
    });
    for (AttentionOp op : ops)
      if (failed(tile(op)))
        return signalPassFailure();
    setStage(module, "tiled");
  }

  LogicalResult tile(AttentionOp op) {
    if (!op.isBufferized())
      return op.emitOpError() << "expects memrefs here (stage buffers), got "
                              << op.getQ().getType();
    if (!op.getSchedule())
      return op.emitOpError()
             << "expects a schedule here; fa-choose-schedule sets one";
    IRRewriter rewriter(op);
    if (failed(op.isPacked() ? tilePacked(rewriter, op)
                             : tileBatched(rewriter, op)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace
