// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa.keep as comparisons. With i = i0 + row and j = j0 + column, each bound is
// a limit on column or on column - row that is the same for the whole tile:
//
//   j < Sk               <=>  column < Sk - j0
//   j <= i + off + R     <=>  column - row <= i0 - j0 + off + R
//   j >= i + off - L     <=>  column - row >= i0 - j0 + off - L
//
// The limits are computed in 64 bits and clamped to what a tile's coordinates
// can reach, so that the comparison of an element takes 32 bits.
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/TileBuilder.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDKEEP
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A coordinate as `base + offset`: the base is the same for the whole tile.
struct Coordinate {
  Value base, offset;
};

/// Expands one fa.keep; what is the same for a tile is computed outside of the
/// elementwise op around it, where its parts are known there.
class KeepExpander {
public:
  explicit KeepExpander(KeepOp keep)
      : keep(keep), outer(keep), inner(keep), loc(keep.getLoc()) {}

  Value run() {
    Coordinate i = split(keep.getI()), j = split(keep.getJ());
    auto generic = dyn_cast<linalg::GenericOp>(keep->getParentOp());
    auto isOutside = [&](Value value) {
      return !generic.getRegion().isAncestor(value.getParentRegion());
    };
    if (generic && llvm::all_of(ArrayRef<Value>{i.base, j.base, keep.getSq(),
                                                keep.getSk()},
                                isOutside))
      outer.setInsertionPoint(generic);
    TileBuilder t(outer, loc);
    Value exists = below(j.offset, t.sub(keep.getSk(), j.base));
    MaskAttr mask = keep.getMask();
    Value kept = exists;
    if (mask.keepsAll())
      return kept;
    Value diagonal = t.sub(i.base, j.base);
    if (mask.getAlignment() == Alignment::BottomRight)
      diagonal = t.add(diagonal, t.sub(keep.getSk(), keep.getSq()));
    Value distance = arith::SubIOp::create(inner, loc, narrow(inner, j.offset),
                                           narrow(inner, i.offset));
    if (std::optional<int64_t> right = mask.getRightBound()) {
      Value limit = narrow(outer, t.add(diagonal, t.index(*right)));
      kept = both(kept, arith::CmpIPredicate::sle, distance, limit);
    }
    if (std::optional<int64_t> left = mask.getLeftBound()) {
      Value limit = narrow(outer, t.sub(diagonal, t.index(*left)));
      kept = both(kept, arith::CmpIPredicate::sge, distance, limit);
    }
    return kept;
  }

private:
  /// Tile coordinates lie within +-2^20; a limit beyond that says the same as
  /// one at it.
  static constexpr int64_t kReach = int64_t(1) << 20;

  /// `value` as base and offset; constants 0 for what is missing stand at the
  /// top of the function, so that they can be used everywhere.
  Coordinate split(Value value) {
    auto function = keep->getParentOfType<FunctionOpInterface>();
    OpBuilder top(keep);
    if (function)
      top.setInsertionPointToStart(&function.getFunctionBody().front());
    TileBuilder t(top, loc);
    auto add = value.getDefiningOp<arith::AddIOp>();
    if (add && add.getRhs().getDefiningOp<linalg::IndexOp>())
      return {add.getLhs(), add.getRhs()};
    if (add && add.getLhs().getDefiningOp<linalg::IndexOp>())
      return {add.getRhs(), add.getLhs()};
    if (value.getDefiningOp<linalg::IndexOp>())
      return {t.index(0), value};
    return {value, t.index(0)};
  }

  Value narrow(OpBuilder &b, Value value) {
    if (!value.getDefiningOp<linalg::IndexOp>()) {
      TileBuilder t(b, loc);
      value = t.max(t.min(value, t.index(kReach)), t.index(-kReach));
    }
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  }

  Value below(Value offset, Value limit) {
    return arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt,
                                 narrow(inner, offset), narrow(outer, limit));
  }

  Value both(Value kept, arith::CmpIPredicate predicate, Value x, Value y) {
    Value bound = arith::CmpIOp::create(inner, loc, predicate, x, y);
    return arith::AndIOp::create(inner, loc, kept, bound);
  }

  KeepOp keep;
  OpBuilder outer, inner;
  Location loc;
};

struct ExpandKeepPass : fa::impl::FaExpandKeepBase<ExpandKeepPass> {
  void runOnOperation() override {
    SmallVector<KeepOp> ops;
    getOperation().walk([&](KeepOp op) { ops.push_back(op); });
    for (KeepOp op : ops) {
      op.replaceAllUsesWith(KeepExpander(op).run());
      op.erase();
    }
  }
};
} // namespace
