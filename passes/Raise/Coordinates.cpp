// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates under reshapes, and equality of expressions up to axis names.
#include "passes/Raise/Graph.h"

using namespace mlir;
using namespace mlir::fa::raising;

Axis *Graph::axis(int64_t extent) {
  Axis &axis = axisStore.emplace_back();
  axis.extent = extent;
  return &axis;
}

Coord Graph::dimension(int64_t extent) {
  Coord at;
  if (extent != 1)
    at.digits.push_back(axis(extent));
  return at;
}

Coords Graph::dimensions(ShapedType type) {
  Coords at;
  for (int64_t extent : type.getShape())
    at.push_back(dimension(extent));
  return at;
}

bool Graph::splitAxis(Axis *axis, int64_t inner) {
  bool dynamic = ShapedType::isDynamic(axis->extent);
  if (!dynamic && axis->extent % inner)
    return false;
  axis->parts = {
      this->axis(dynamic ? ShapedType::kDynamic : axis->extent / inner),
      this->axis(inner)};
  return true;
}

/// Moves digits that make up `extent` from one end of `atoms` to `taken`.
bool Graph::take(Axes &atoms, int64_t extent, bool fromRight, Axes &taken) {
  while (extent != 1) {
    if (atoms.empty() || extent == 0)
      return false;
    Axis *atom = fromRight ? atoms.back() : atoms.front();
    bool dynamic = ShapedType::isDynamic(atom->extent);
    if (dynamic && !fromRight)
      return false;
    if (dynamic || atom->extent > extent) {
      // Only a part of this one; the rest stays.
      if (!dynamic && atom->extent % extent)
        return false;
      splitAxis(atom, fromRight ? extent : atom->extent / extent);
      Axis **place = fromRight ? &atoms.back() : &atoms.front();
      *place = atom->parts[fromRight ? 0 : 1];
      taken.insert(fromRight ? taken.begin() : taken.end(),
                   atom->parts[fromRight ? 1 : 0]);
      return true;
    }
    if (atom->extent == 0 || extent % atom->extent)
      return false;
    extent /= atom->extent;
    taken.insert(fromRight ? taken.begin() : taken.end(), atom);
    atoms.erase(fromRight ? atoms.end() - 1 : atoms.begin());
  }
  return true;
}

std::optional<Coords> Graph::split(const Coord &at, ArrayRef<int64_t> extents) {
  if (extents.size() == 1)
    return Coords{at};
  if (at.offset != 0)
    return std::nullopt;
  Axes atoms = atomsOf(at.digits);
  Coords result(extents.size());
  size_t last = extents.size();
  for (; last > 0 && !ShapedType::isDynamic(extents[last - 1]); --last)
    if (!take(atoms, extents[last - 1], true, result[last - 1].digits))
      return std::nullopt;
  if (last == 0)
    return atoms.empty() ? std::optional<Coords>(result) : std::nullopt;
  for (size_t dim = 0; dim + 1 < last; ++dim)
    if (ShapedType::isDynamic(extents[dim]) ||
        !take(atoms, extents[dim], false, result[dim].digits))
      return std::nullopt;
  result[last - 1].digits = atoms;
  return result;
}

std::optional<Coord> Graph::merge(ArrayRef<Coord> at) {
  if (at.size() == 1)
    return at[0];
  Coord result;
  for (const Coord &part : at) {
    if (part.offset != 0)
      return std::nullopt;
    result.digits.append(part.digits.begin(), part.digits.end());
  }
  return result;
}

static bool hasDynamic(const Coord &at) {
  return llvm::any_of(atomsOf(at.digits), [](Axis *axis) {
    return ShapedType::isDynamic(axis->extent);
  });
}

std::optional<Coords>
Graph::reshape(ArrayRef<Coord> at, ShapedType to, ShapedType from,
               llvm::function_ref<bool(size_t, size_t)> isSame) {
  // Equal dimensions on both sides need no arithmetic; that also keeps apart
  // dynamic ones, of which a product could not be taken apart again.
  ArrayRef<int64_t> outer = to.getShape(), inner = from.getShape();
  auto equal = [&](size_t dim, size_t other) {
    int64_t extent = to.getDimSize(dim);
    return extent == from.getDimSize(other) &&
           (!ShapedType::isDynamic(extent) || (isSame && isSame(dim, other)));
  };
  Coords head, tail;
  while (!outer.empty() && !inner.empty() && equal(head.size(), head.size())) {
    head.push_back(at.front());
    at = at.drop_front();
    outer = outer.drop_front();
    inner = inner.drop_front();
  }
  while (
      !outer.empty() && !inner.empty() &&
      equal(head.size() + outer.size() - 1, head.size() + inner.size() - 1)) {
    tail.insert(tail.begin(), at.back());
    at = at.drop_back();
    outer = outer.drop_back();
    inner = inner.drop_back();
  }
  if (!outer.empty() || !inner.empty()) {
    if (llvm::count_if(outer, ShapedType::isDynamic) > 1)
      return std::nullopt;
    auto merged = merge(at);
    auto parts = merged ? split(*merged, inner) : std::nullopt;
    if (!parts || (inner.empty() && !merged->digits.empty()))
      return std::nullopt;
    // A dynamic dimension that must be 1, or another number: types cannot say
    // so, and the ops to come need it.
    for (auto [part, extent] : llvm::zip(*parts, inner))
      if (ShapedType::isDynamic(extent) && !hasDynamic(part))
        return std::nullopt;
    head.append(parts->begin(), parts->end());
  }
  head.append(tail.begin(), tail.end());
  return head;
}

bool Graph::equalCoord(const Coord &a, const Coord &b, Binding &binding) {
  if (a.offset != b.offset)
    return false;
  Axes left = atomsOf(a.digits), right = atomsOf(b.digits);
  while (!left.empty() && !right.empty()) {
    Axis *x = left.back(), *y = right.back();
    if (Axis *image = binding.image.lookup(y)) {
      if (image != x)
        return false;
    } else if (llvm::is_contained(atomsOf(binding.open), y)) {
      bool fixed = ShapedType::isDynamic(x->extent) ||
                   ShapedType::isDynamic(y->extent) || x->extent == y->extent;
      if (!fixed) {
        // One of the two is the product of several: split it and look again.
        bool longer = x->extent > y->extent;
        if (!splitAxis(longer ? x : y, longer ? y->extent : x->extent))
          return false;
        left = atomsOf(left);
        right = atomsOf(right);
        continue;
      }
      if (x->extent != y->extent)
        return false;
      binding.image[y] = x;
    } else if (x != y) {
      return false;
    }
    left.pop_back();
    right.pop_back();
  }
  return left.empty() && right.empty();
}

bool Graph::equalCoords(const Coords &a, const Coords &b, Binding &binding) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip(a, b))
    if (!equalCoord(x, y, binding))
      return false;
  return true;
}

bool Graph::equalArgs(Expr *a, Expr *b, Binding &binding) {
  auto inOrder = [&](bool swapped, Binding &trial) {
    for (auto [i, arg] : llvm::enumerate(a->args))
      if (!equal(arg, b->args[swapped ? 1 - i : i], trial))
        return false;
    return true;
  };
  bool commutes = llvm::is_contained({Fn::Add, Fn::Mul, Fn::Max, Fn::Min,
                                      Fn::And, Fn::Or, Fn::Xor, Fn::Eq, Fn::Ne},
                                     a->op);
  Binding trial = binding;
  bool same = inOrder(false, trial);
  if (!same && commutes && a->args.size() == 2) {
    trial = binding;
    same = inOrder(true, trial);
  }
  if (same)
    binding = trial;
  return same;
}

bool Graph::equalReduce(Expr *a, Expr *b, Binding &binding) {
  Binding inner = binding;
  inner.open.append(b->axes.begin(), b->axes.end());
  if (!equal(a->args[0], b->args[0], inner))
    return false;
  Axes bound = atomsOf(a->axes), own = atomsOf(b->axes);
  for (Axis *axis : own)
    if (!llvm::is_contained(bound, inner.image.lookup(axis)))
      return false;
  if (bound.size() != own.size())
    return false;
  for (Axis *axis : own)
    inner.image.erase(axis);
  binding.image = inner.image;
  return true;
}

bool Graph::equal(Expr *a, Expr *b, Binding &binding) {
  a = stripCasts(a);
  b = stripCasts(b);
  if (a->kind == Kind::Load && b->kind == Kind::Load &&
      a->source == b->source) {
    Binding trial = binding;
    if (equalCoords(a->at, b->at, trial)) {
      binding = trial;
      return true;
    }
  }
  if (Expr *next = expand(a))
    return equal(next, b, binding);
  if (Expr *next = expand(b))
    return equal(a, next, binding);
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case Kind::Constant:
    return a->number == b->number ||
           (a->number != a->number && b->number != b->number);
  case Kind::Literal:
    return a->literal == b->literal && equalCoords(a->at, b->at, binding);
  case Kind::Index:
    return equalCoords(a->at, b->at, binding);
  case Kind::Load:
    return false;
  case Kind::Scalar:
    return a->source == b->source;
  case Kind::Reduce:
    return a->op == b->op && equalReduce(a, b, binding);
  case Kind::Fn:
    return a->op == b->op && a->args.size() == b->args.size() &&
           equalArgs(a, b, binding);
  }
  return false;
}
