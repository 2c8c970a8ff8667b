// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes expressions on demand: a tensor read at coordinates is a `Load`, and
// `expand` asks the front ends what such an element is made of.
#ifndef FA_PASSES_RAISE_GRAPH_H
#define FA_PASSES_RAISE_GRAPH_H

#include "passes/Raise/Expr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>
#include <map>

namespace mlir::fa::raising {

/// A renaming of axes under construction.
struct Binding {
  Axes open; // axes of the second expression that may be renamed
  llvm::DenseMap<Axis *, Axis *> image;
};

class Graph {
public:
  // Axes and coordinates.
  Axis *axis(int64_t extent);
  /// A new coordinate over one dimension; none of its own for extent 1.
  Coord dimension(int64_t extent);
  /// New coordinates for every dimension of a tensor.
  Coords dimensions(ShapedType type);
  /// Splits one coordinate into those of dimensions of these extents (a reshape
  /// that expands). Nothing where the digits cannot be told apart.
  std::optional<Coords> split(const Coord &at, ArrayRef<int64_t> extents);
  /// The converse: the coordinate of the merged dimension.
  std::optional<Coord> merge(ArrayRef<Coord> at);
  /// Coordinates of `from` for the element that `at` names in `to`, two shapes
  /// of one row-major order. `isSame` says of a dynamic dimension of `to`
  /// whether it is known to be one of `from`.
  std::optional<Coords>
  reshape(ArrayRef<Coord> at, ShapedType to, ShapedType from,
          llvm::function_ref<bool(size_t, size_t)> isSame = nullptr);

  // Expressions. Folds constants and neutral operands.
  Expr *constant(double number, Type type);
  Expr *index(const Coord &at, Type type);
  Expr *scalar(Value value);
  /// Null where `tensor` is none, or of another rank.
  Expr *load(Value tensor, const Coords &at);
  Expr *literal(ElementsAttr value, const Coords &at);
  Expr *op(Fn op, ArrayRef<Expr *> args, Type type);
  Expr *reduce(Fn op, const Axes &axes, Expr *body);
  Expr *isNot(Expr *condition);
  /// score(key) after a softmax over all keys, as softmax operators define it.
  Expr *softmax(llvm::function_ref<Expr *(const Coord &)> score,
                const Coord &key, int64_t keys);

  /// What a Load is made of; null where nobody knows.
  Expr *expand(Expr *load);
  /// The expression with Loads replaced by their definitions as far as these
  /// are views or casts of other Loads, or constants.
  Expr *seeThrough(Expr *expr);
  /// The expression with all definitions in place, down to an operator.
  Expr *operatorOf(Expr *expr);
  /// The number that `expr` is for every coordinate.
  std::optional<double> constantOf(Expr *expr);
  /// The axes that `expr` varies with (those bound inside not counted).
  AxisSet axesOf(Expr *expr);
  bool dependsOn(Expr *expr, const Axes &axes);
  /// Whether `a` is `b` when the open axes of `binding` are renamed; gives the
  /// renaming. Bound axes count as renamed too.
  bool equal(Expr *a, Expr *b, Binding &binding);

  /// A value that takes another result's place when the op is raised, such as a
  /// concatenation that a fused operator would have made.
  void replaceOnSuccess(Value result, Value by) { aliases[result] = by; }
  llvm::DenseMap<Value, Value> aliases;
  /// Ops made for such values; whoever owns the graph erases unused ones.
  llvm::SmallVector<Operation *> helpers;
  /// Why a fused operator has no definition, and gives null.
  std::nullptr_t refuse(const llvm::Twine &why) {
    refusal = why.str();
    return nullptr;
  }
  std::string refusal;
  /// Values whose definitions were asked for, in order.
  llvm::SetVector<Value> visited;

private:
  Expr *make(Kind kind, Type type);
  Expr *fold(Fn op, ArrayRef<Expr *> args, Type type);
  bool equalArgs(Expr *a, Expr *b, Binding &binding);
  bool equalReduce(Expr *a, Expr *b, Binding &binding);
  bool equalCoords(const Coords &a, const Coords &b, Binding &binding);
  bool equalCoord(const Coord &a, const Coord &b, Binding &binding);
  bool splitAxis(Axis *axis, int64_t inner);
  bool take(Axes &atoms, int64_t extent, bool fromRight, Axes &taken);

  std::deque<Axis> axisStore;
  std::deque<Expr> exprStore;
  using Key = std::pair<void *, std::vector<void *>>;
  std::map<Key, Expr *> definitions;
  llvm::DenseSet<Value> notConstant;
};

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_GRAPH_H
