// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Masks.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <vector>

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::fa::raising;

MaskReader::MaskReader(Graph &graph, const Plan &plan)
    : graph(graph), plan(plan), rows(extentOf(plan.row)),
      keys(extentOf(plan.key)) {}

static bool isTruth(Graph &graph, Expr *expr, bool value) {
  auto number = graph.constantOf(expr);
  return number && (*number != 0) == value;
}

/// Comparisons of 0/1 numbers, or of a choice between constants, are conditions
/// themselves.
bool MaskReader::splitComparison(Expr *expr, bool negated, Expr *original,
                                 SmallVectorImpl<Condition> &all) {
  if (expr->kind != Kind::Fn || expr->op < Fn::Eq || expr->op > Fn::Ge)
    return false;
  auto right = graph.constantOf(expr->args[1]);
  if (!right)
    return false;
  Expr *left = stripCasts(expr->args[0]);
  while (Expr *inner = graph.expand(left))
    left = stripCasts(inner);
  Type i1 = expr->type;
  auto outcome = [&](double value) {
    return evaluate(expr->op, {value, *right}, i1).value_or(0) != 0;
  };
  bool whenTrue, whenFalse;
  Expr *condition;
  if (left->is(Fn::Cast) && left->args[0]->type.isInteger(1)) {
    condition = left->args[0];
    whenTrue = outcome(1), whenFalse = outcome(0);
  } else if (left->type.isInteger(1)) {
    condition = left;
    whenTrue = outcome(1), whenFalse = outcome(0);
  } else if (left->is(Fn::Select) && graph.constantOf(left->args[1]) &&
             graph.constantOf(left->args[2])) {
    condition = left->args[0];
    whenTrue = outcome(*graph.constantOf(left->args[1]));
    whenFalse = outcome(*graph.constantOf(left->args[2]));
  } else {
    return false;
  }
  if (whenTrue == whenFalse)
    return false;
  split(condition, negated != whenFalse, original, all);
  return true;
}

/// Takes a condition apart into ones that must all hold.
void MaskReader::split(Expr *expr, bool negated, Expr *original,
                       SmallVectorImpl<Condition> &all) {
  expr = stripCasts(expr);
  if (expr->kind == Kind::Load) {
    Expr *next = graph.expand(expr);
    if (!next) {
      all.push_back({expr, original, negated});
      return;
    }
    return split(next, negated, original ? original : expr, all);
  }
  if (isTruth(graph, expr, !negated))
    return;
  if (expr->is(Fn::Xor) && isTruth(graph, expr->args[1], true))
    return split(expr->args[0], !negated, nullptr, all);
  if (expr->is(Fn::Xor) && isTruth(graph, expr->args[0], true))
    return split(expr->args[1], !negated, nullptr, all);
  bool both = (expr->is(Fn::And) && !negated) || (expr->is(Fn::Or) && negated);
  if (both && expr->type.isInteger(1)) {
    split(expr->args[0], negated, nullptr, all);
    split(expr->args[1], negated, nullptr, all);
    return;
  }
  if (expr->is(Fn::Select) && expr->type.isInteger(1)) {
    // A branch that decides against, so that the condition and the other
    // branch must hold.
    for (unsigned branch : {1, 2})
      if (isTruth(graph, expr->args[branch], negated)) {
        split(expr->args[0], branch == 1, nullptr, all);
        split(expr->args[3 - branch], negated, nullptr, all);
        return;
      }
  }
  if (!splitComparison(expr, negated, original, all))
    all.push_back({expr, original, negated});
}

/// `number` where it is a whole one that a double holds exactly.
static std::optional<int64_t> wholeOf(double number) {
  if (number != std::floor(number) || std::fabs(number) >= 1e15)
    return std::nullopt;
  return static_cast<int64_t>(number);
}

/// sum += factor * x; false where that overflows.
static bool addScaled(int64_t &sum, int64_t factor, int64_t x) {
  int64_t product;
  return !llvm::MulOverflow(factor, x, product) &&
         !llvm::AddOverflow(sum, product, sum);
}

bool MaskReader::addLinear(Expr *expr, int64_t factor, Linear &sum) {
  while (expr->is(Fn::Cast) || expr->kind == Kind::Load) {
    Expr *next = expr->is(Fn::Cast) ? expr->args[0] : graph.expand(expr);
    if (!next)
      break;
    expr = next;
  }
  if (auto number = graph.constantOf(expr)) {
    std::optional<int64_t> whole = wholeOf(*number);
    return whole && addScaled(sum.constant, factor, *whole);
  }
  if (expr->kind == Kind::Index) {
    if (!addScaled(sum.constant, factor, expr->at[0].offset))
      return false;
    int64_t stride = 1;
    Axes atoms = atomsOf(expr->at[0].digits);
    for (Axis *axis : llvm::reverse(atoms)) {
      if (ShapedType::isDynamic(stride))
        return false;
      if (!addScaled(sum.factors[axis], factor, stride))
        return false;
      stride = ShapedType::isDynamic(axis->extent) ? axis->extent
                                                   : stride * axis->extent;
    }
    return true;
  }
  if (expr->is(Fn::Add) || expr->is(Fn::Sub))
    return addLinear(expr->args[0], factor, sum) &&
           addLinear(expr->args[1], expr->is(Fn::Sub) ? -factor : factor, sum);
  if (expr->is(Fn::Mul))
    for (unsigned side : {0, 1})
      if (auto number = graph.constantOf(expr->args[side])) {
        std::optional<int64_t> whole = wholeOf(*number);
        int64_t product = 0;
        return whole && addScaled(product, factor, *whole) &&
               addLinear(expr->args[1 - side], product, sum);
      }
  if (sum.data || !expr->type.isIntOrIndex())
    return false;
  sum.data = expr;
  sum.dataFactor = factor;
  return true;
}

/// The condition as `sum >= 0` of integers.
std::optional<MaskReader::Linear>
MaskReader::atLeastZero(const Condition &condition) {
  Expr *expr = condition.expr;
  if (expr->kind != Kind::Fn)
    return std::nullopt;
  // a > b is a - b - 1 >= 0; the negation of a >= b is b > a.
  bool greater = expr->op == Fn::Gt || expr->op == Fn::Ge;
  bool strict = expr->op == Fn::Gt || expr->op == Fn::Lt;
  if (!greater && expr->op != Fn::Lt && expr->op != Fn::Le)
    return std::nullopt;
  if (condition.negated) {
    greater = !greater;
    strict = !strict;
  }
  Linear sum;
  if (!addLinear(expr->args[greater ? 0 : 1], 1, sum) ||
      !addLinear(expr->args[greater ? 1 : 0], -1, sum))
    return std::nullopt;
  if (strict)
    sum.constant -= 1;
  return sum;
}

/// What the number that `axes` make up is multiplied by; `whole` turns false
/// where its digits are not multiplied alike.
int64_t MaskReader::factorIn(const Linear &sum, const Axes &axes, bool &whole) {
  int64_t stride = 1, factor = 0;
  for (Axis *axis : llvm::reverse(axes)) {
    int64_t own = sum.factors.lookup(axis);
    if (axis == axes.back())
      factor = own;
    else if (ShapedType::isDynamic(stride) || own != factor * stride)
      whole = whole && own == 0 && factor == 0;
    stride =
        ShapedType::isDynamic(axis->extent) || ShapedType::isDynamic(stride)
            ? ShapedType::kDynamic
            : stride * axis->extent;
  }
  return factor;
}

bool MaskReader::asBand(const Condition &condition, Masks &masks) {
  auto sum = atLeastZero(condition);
  if (!sum)
    return false;
  bool whole = true;
  int64_t row = factorIn(*sum, plan.row, whole);
  int64_t key = factorIn(*sum, plan.key, whole);
  for (auto [axis, factor] : sum->factors)
    whole &= factor == 0 || llvm::is_contained(plan.row, axis) ||
             llvm::is_contained(plan.key, axis);
  if (!whole)
    return false;
  int64_t c = sum->constant;
  if (sum->data) {
    bool isLength = row == 0 && key == -1 && sum->dataFactor == 1 &&
                    !masks.hasLengths &&
                    llvm::all_of(graph.axesOf(sum->data), [&](Axis *axis) {
                      return llvm::is_contained(plan.batch, axis);
                    });
    bool isValue =
        sum->data->kind == Kind::Load || sum->data->kind == Kind::Scalar;
    if (!isLength || !isValue)
      return false;
    masks.hasLengths = true;
    masks.lengths = sum->data;
    masks.extra = c + 1;
    return true;
  }
  if (row == 1 && key == -1)
    tighten(masks.right, c);
  else if (row == -1 && key == 1)
    tighten(masks.left, c);
  else if (row == 0 && key == -1 && !masks.lengths && c >= 0)
    masks.extra = masks.hasLengths ? std::min(masks.extra, c + 1) : c + 1,
    masks.hasLengths = true;
  else
    // Conditions that hold for every key.
    return key >= 0 && row >= 0 && c >= 0;
  return true;
}

/// The band as an attribute; what has none becomes a condition again.
void MaskReader::setAttribute(Masks &masks) {
  if (!masks.left && !masks.right)
    return;
  MLIRContext *context = plan.q->value.getContext();
  auto make = [&](int64_t offset, Alignment alignment) -> MaskAttr {
    std::optional<int64_t> left = masks.left, right = masks.right;
    if (left)
      *left += offset;
    if (right)
      *right -= offset;
    if ((left && *left < 0) || (right && *right < 0))
      return nullptr;
    bool causal = right && *right == 0;
    return MaskAttr::get(context, alignment, causal, left,
                         causal ? std::nullopt : right);
  };
  MaskAttr top = make(0, Alignment::TopLeft), bottom;
  bool fixed = !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(keys);
  // Lengths would move the lower right corner.
  if (fixed && !masks.hasLengths)
    bottom = make(keys - rows, Alignment::BottomRight);
  bool bottomCausal = bottom && bottom.getCausal();
  masks.attribute = top && (top.getCausal() || !bottomCausal) ? top : bottom;
}

Masks MaskReader::read(ArrayRef<MaskLayer> layers) {
  Masks masks;
  SmallVector<Condition> all, bands;
  for (const MaskLayer &layer : layers)
    split(layer.keep, false, nullptr, all);
  for (const Condition &condition : all) {
    Masks before = masks;
    if (!asBand(condition, masks) && !asTable(condition, masks)) {
      masks.conditions.push_back(condition);
      continue;
    }
    if (masks.left != before.left || masks.right != before.right)
      bands.push_back(condition);
  }
  setAttribute(masks);
  if ((masks.left || masks.right) && !masks.attribute)
    masks.conditions.append(bands);
  if (masks.hasLengths && !masks.lengths && !ShapedType::isDynamic(keys) &&
      masks.extra >= keys)
    masks.hasLengths = false;
  return masks;
}

bool MaskReader::keepsInEachRow(ArrayRef<MaskLayer> layers) {
  Masks masks = read(layers);
  if (masks.lengths || (masks.hasLengths && masks.extra < 1))
    return false;
  // Rows of a table that is no band.
  if (!masks.conditions.empty()) {
    SmallVector<Condition> all;
    for (const MaskLayer &layer : layers)
      split(layer.keep, false, nullptr, all);
    std::vector<char> kept;
    for (const Condition &condition : all) {
      auto own = table(condition);
      if (!own)
        return false;
      if (kept.empty())
        kept.assign(own->size(), 1);
      for (size_t i = 0; i < kept.size(); ++i)
        kept[i] &= (*own)[i];
    }
    for (int64_t i = 0; i < rows; ++i)
      if (std::find(kept.begin() + i * keys, kept.begin() + (i + 1) * keys,
                    1) == kept.begin() + (i + 1) * keys)
        return false;
    return true;
  }
  // Row 0 keeps key 0, and the last row one that exists.
  if (masks.right && *masks.right < 0)
    return false;
  if (!masks.left)
    return true;
  bool fixed = !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(keys);
  int64_t last = masks.hasLengths ? std::min(keys, masks.extra) : keys;
  return fixed && *masks.left + masks.right.value_or(keys) >= 0 &&
         rows - 1 - *masks.left <= last - 1;
}
