// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions on positions alone, tried out for every row and key.
#include "passes/Raise/Masks.h"

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::fa::raising;

bool MaskReader::isPositional(Expr *expr) {
  if (expr->kind == Kind::Load) {
    Expr *inner = graph.expand(expr);
    return inner && isPositional(inner);
  }
  if (expr->kind == Kind::Scalar || expr->kind == Kind::Reduce)
    return false;
  for (Axis *axis : graph.axesOf(expr))
    if (!llvm::is_contained(plan.row, axis) &&
        !llvm::is_contained(plan.key, axis))
      return false;
  return llvm::all_of(expr->args, [&](Expr *arg) { return isPositional(arg); });
}

std::optional<int64_t> MaskReader::positionOf(const Coord &at) {
  int64_t value = 0;
  for (Axis *axis : atomsOf(at.digits)) {
    auto found = position.find(axis);
    if (found == position.end())
      return std::nullopt;
    value = value * axis->extent + found->second;
  }
  return value + at.offset;
}

std::optional<double> MaskReader::literalAt(Expr *expr) {
  auto [entry, isNew] = literals.try_emplace(expr);
  std::vector<double> &values = entry->second;
  if (isNew) {
    if (auto integers = dyn_cast<DenseIntElementsAttr>(expr->literal))
      for (const APInt &value : integers.getValues<APInt>())
        values.push_back(expr->type.isInteger(1) ? value.getZExtValue()
                                                 : value.getSExtValue());
    else if (auto reals = dyn_cast<DenseFPElementsAttr>(expr->literal))
      for (APFloat value : reals.getValues<APFloat>()) {
        bool loses;
        value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                      &loses);
        values.push_back(value.convertToDouble());
      }
  }
  int64_t flat = 0;
  auto shape = cast<ShapedType>(expr->literal.getType()).getShape();
  for (auto [coord, extent] : llvm::zip(expr->at, shape)) {
    auto place = positionOf(coord);
    if (!place || *place < 0 || *place >= extent)
      return std::nullopt;
    flat = flat * extent + *place;
  }
  return flat < static_cast<int64_t>(values.size())
             ? std::optional<double>(values[flat])
             : std::nullopt;
}

/// The value of a positional expression at `position`.
std::optional<double> MaskReader::valueAt(Expr *expr) {
  switch (expr->kind) {
  case Kind::Constant:
    return expr->number;
  case Kind::Index:
    return positionOf(expr->at[0]);
  case Kind::Literal:
    return literalAt(expr);
  case Kind::Load: {
    Expr *inner = graph.expand(expr);
    return inner ? valueAt(inner) : std::nullopt;
  }
  case Kind::Fn: {
    SmallVector<double, 3> numbers;
    for (Expr *arg : expr->args) {
      auto number = valueAt(arg);
      if (!number)
        return std::nullopt;
      numbers.push_back(*number);
    }
    return evaluate(expr->op, numbers, expr->type);
  }
  default:
    return std::nullopt;
  }
}

/// Row by row, whether a positional condition holds.
std::optional<std::vector<char>> MaskReader::table(const Condition &condition) {
  constexpr int64_t kLargest = 1 << 20;
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys) ||
      rows * keys > kLargest || !isPositional(condition.expr))
    return std::nullopt;
  std::vector<char> kept;
  auto place = [&](const Axes &axes, int64_t value) {
    for (Axis *axis : llvm::reverse(axes)) {
      position[axis] = value % axis->extent;
      value /= axis->extent;
    }
  };
  for (int64_t i = 0; i < rows; ++i) {
    place(plan.row, i);
    for (int64_t j = 0; j < keys; ++j) {
      place(plan.key, j);
      auto value = valueAt(condition.expr);
      if (!value)
        return std::nullopt;
      kept.push_back((*value != 0) != condition.negated);
    }
  }
  return kept;
}

/// Bounds that say the same as the table, where there are such.
bool MaskReader::bandOf(const std::vector<char> &kept, Masks &masks) {
  int64_t right = -keys - rows, left = -keys - rows, last = -1;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < keys; ++j)
      if (kept[i * keys + j]) {
        right = std::max(right, j - i);
        left = std::max(left, i - j);
        last = std::max(last, j);
      }
  auto holds = [&](auto &&keeps) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < keys; ++j)
        if (keeps(i, j) != static_cast<bool>(kept[i * keys + j]))
          return false;
    return true;
  };
  if (last >= 0 && holds([&](int64_t, int64_t j) { return j <= last; })) {
    if (last + 1 == keys)
      return true;
    if (masks.lengths)
      return false;
    masks.extra = masks.hasLengths ? std::min(masks.extra, last + 1) : last + 1;
    masks.hasLengths = true;
    return true;
  }
  if (!holds([&](int64_t i, int64_t j) {
        return j - i <= right && i - j <= left;
      }))
    return false;
  if (right < keys - 1)
    tighten(masks.right, right);
  if (left < rows - 1)
    tighten(masks.left, left);
  return true;
}

bool MaskReader::asTable(const Condition &condition, Masks &masks) {
  auto kept = table(condition);
  return kept && bandOf(*kept, masks);
}
