// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise steps of online softmax on `wg` values: made, and told again.
#ifndef FA_PASSES_WGMAPS_H
#define FA_PASSES_WGMAPS_H

#include "dialect/Wg/WgOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
/// A constant of f32.
Value buildNumber(OpBuilder &b, Location loc, double value);

/// What a region computes from the f32 elements of the operands, in order; the
/// coordinates follow them.
using ElementBody = function_ref<Value(OpBuilder &, ValueRange)>;

/// A map of `operands`' f32 elements to `type`, rows or a fragment.
Value buildMap(OpBuilder &b, Location loc, Type type, ValueRange operands,
               ElementBody body);

/// The same, of a fragment, where `body` gets the coordinates too.
Value buildTileMap(OpBuilder &b, Location loc, Type type, ValueRange operands,
                   ElementBody body);

/// Whether `predicate` holds for some row of `operands` that the warp holds.
Value buildVote(OpBuilder &b, Location loc, ValueRange operands,
                ElementBody predicate);

/// Whether all elements of `value` are one constant that `pattern` matches.
template <typename Pattern>
bool isSplatOf(Value value, const Pattern &pattern) {
  auto splat = value.getDefiningOp<wg::SplatOp>();
  return splat && matchPattern(splat.getValue(), pattern);
}

/// Whether the first thing that `map` does is to take the maximum of its two
/// operands' elements, which it does not read otherwise.
bool joinsFirst(wg::MapOp map);

/// Makes such a map read `joined` in the place of that maximum; one that does
/// nothing else is replaced by it.
void replaceJoin(wg::MapOp map, Value joined);

/// Whether some row of `values` that the warp holds is above its `limit`.
Value buildVoteForMore(OpBuilder &b, Location loc, Value values, Value limit);

/// Whether the vote asks for that.
bool asksForMore(wg::AnyOp vote);

/// `rows` and a number.
Value buildRaised(OpBuilder &b, Location loc, Value rows, Value by);

/// What stands in a map that is rows + by, or -inf where a flag from outside of
/// it says so.
struct RaisedRows {
  Value rows, by;
  /// Whether it may be -inf.
  bool orLowest;
};

/// The parts of such a map; nothing where `value` is no result of one.
std::optional<RaisedRows> matchRaised(Value value);

/// References that move: `next` in rows where `above` passes `limit`, and what
/// they were, `rows`, in others.
struct MovedRows {
  Value rows, above, limit, next;
};
Value buildMoved(OpBuilder &b, Location loc, MovedRows moved);

/// The parts of what buildMoved made; nothing where `op` is something else.
std::optional<MovedRows> matchMoved(Operation *op);

/// What stands in exp2((x - y) * factor).
struct ScaledPower {
  /// Operands of the map.
  Value x, y;
  /// The same for all elements.
  Value factor;
};

/// The parts of a map that yields exp2((x - y) * factor).
std::optional<ScaledPower> matchScaledPower(wg::MapOp map);
} // namespace mlir::fa

#endif // FA_PASSES_WGMAPS_H
