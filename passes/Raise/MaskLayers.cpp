// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes masks off the scores, from the outside in.
#include "passes/Raise/Match.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

void Matcher::addends(Expr *expr, double sign, Terms &all) {
  expr = stripCasts(expr);
  while (expr->kind == Kind::Load && hasDot(expr))
    expr = stripCasts(graph.expand(expr));
  if ((expr->is(Fn::Add) || expr->is(Fn::Sub)) && hasDot(expr)) {
    addends(expr->args[0], sign, all);
    addends(expr->args[1], expr->is(Fn::Sub) ? -sign : sign, all);
    return;
  }
  all.push_back({sign, expr});
}

/// A number that is 0 or 1 as the condition that it is 1.
Expr *Matcher::asCondition(Expr *flag) {
  flag = stripCasts(flag);
  if (flag->type.isInteger(1))
    return flag;
  if (flag->kind == Kind::Load) {
    Expr *inner = graph.expand(flag);
    return inner ? asCondition(inner) : nullptr;
  }
  if (flag->is(Fn::Cast))
    return asCondition(flag->args[0]);
  if (flag->is(Fn::Sub) && graph.constantOf(flag->args[0]) == 1.0) {
    Expr *inner = asCondition(flag->args[1]);
    return inner ? graph.isNot(inner) : nullptr;
  }
  if (flag->is(Fn::Mul)) {
    Expr *a = asCondition(flag->args[0]), *b = asCondition(flag->args[1]);
    return a && b ? graph.op(Fn::And, {a, b}, a->type) : nullptr;
  }
  if (flag->is(Fn::Select)) {
    auto a = graph.constantOf(flag->args[1]),
         b = graph.constantOf(flag->args[2]);
    if (a == 1.0 && b == 0.0)
      return flag->args[0];
    if (a == 0.0 && b == 1.0)
      return graph.isNot(flag->args[0]);
  }
  return nullptr;
}

/// A dense constant that is 0 where kept, and the rest at most `kDropped`.
static std::optional<MaskLayer> literalLayer(Graph &graph, Expr *expr,
                                             double factor) {
  SmallVector<bool> kept;
  double fill = -INFINITY;
  for (const APFloat &value : expr->literal.getValues<APFloat>()) {
    APFloat wide = value;
    bool loses;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    double number = wide.convertToDouble();
    kept.push_back(number == 0);
    if (number == 0)
      continue;
    number *= factor;
    if (!(number <= kDropped))
      return std::nullopt;
    fill = std::max(fill, number);
  }
  Type i1 = IntegerType::get(expr->type.getContext(), 1);
  auto type = RankedTensorType::get(
      cast<ShapedType>(expr->literal.getType()).getShape(), i1);
  return MaskLayer{
      graph.literal(DenseElementsAttr::get(type, ArrayRef<bool>(kept)),
                    expr->at),
      fill};
}

/// An addend that is 0 or so low that nothing is left of the score.
std::optional<MaskLayer> Matcher::asLayer(Expr *expr, double factor) {
  expr = stripCasts(expr);
  if (expr->kind == Kind::Load) {
    Expr *inner = graph.expand(expr);
    return inner ? asLayer(inner, factor) : std::nullopt;
  }
  if (expr->kind == Kind::Literal && isa<FloatType>(expr->type))
    return literalLayer(graph, expr, factor);
  if (expr->is(Fn::Add)) {
    auto a = asLayer(expr->args[0], factor), b = asLayer(expr->args[1], factor);
    if (!a || !b)
      return std::nullopt;
    return MaskLayer{graph.op(Fn::And, {a->keep, b->keep}, a->keep->type),
                     std::max(a->fill, b->fill)};
  }
  if (expr->is(Fn::Select)) {
    auto a = graph.constantOf(expr->args[1]),
         b = graph.constantOf(expr->args[2]);
    if (a == 0.0 && b && *b * factor <= kDropped)
      return MaskLayer{expr->args[0], *b * factor};
    if (b == 0.0 && a && *a * factor <= kDropped)
      return MaskLayer{graph.isNot(expr->args[0]), *a * factor};
    return std::nullopt;
  }
  if (!expr->is(Fn::Mul))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    auto number = graph.constantOf(expr->args[side]);
    if (!number)
      continue;
    if (Expr *drop = asCondition(expr->args[1 - side]);
        drop && *number * factor <= kDropped)
      return MaskLayer{graph.isNot(drop), *number * factor};
    return asLayer(expr->args[1 - side], factor * *number);
  }
  return std::nullopt;
}

Expr *Matcher::peelSum(Expr *expr, bool finiteToo, double factor) {
  Terms all;
  addends(expr, 1, all);
  Expr *rest = nullptr;
  SmallVector<Expr *> others;
  for (const Term &term : all) {
    Expr *part =
        term.factor == 1
            ? term.expr
            : graph.op(Fn::Mul,
                       {term.expr, graph.constant(-1, term.expr->type)},
                       term.expr->type);
    if (hasDot(term.expr)) {
      rest = rest ? graph.op(Fn::Add, {rest, part}, expr->type) : part;
      continue;
    }
    auto layer = asLayer(term.expr, term.factor * factor);
    if (layer && (finiteToo || layer->isExact()))
      found->layers.push_back(*layer);
    else
      others.push_back(part);
  }
  if (!rest)
    return expr;
  rest = peel(rest, finiteToo, factor);
  for (Expr *other : others)
    rest = graph.op(Fn::Add, {rest, other}, expr->type);
  return rest;
}

/// Takes masks off from the outside and gives what they mask. Without
/// `finiteToo` a finite fill stays, and so does what is inside of it.
Expr *Matcher::peel(Expr *expr, bool finiteToo, double factor) {
  while (true) {
    expr = stripCasts(expr);
    if (isDot(expr) || !hasDot(expr))
      return expr;
    if (expr->kind == Kind::Load) {
      expr = graph.expand(expr);
      continue;
    }
    if (expr->is(Fn::Add) || expr->is(Fn::Sub))
      return peelSum(expr, finiteToo, factor);
    if (expr->is(Fn::Select)) {
      auto a = graph.constantOf(expr->args[1]),
           b = graph.constantOf(expr->args[2]);
      auto fill = a ? a : b;
      bool taken = fill && *fill * factor <= kDropped &&
                   (finiteToo || std::isinf(*fill)) && !hasDot(expr->args[0]);
      if (!taken)
        return expr;
      found->layers.push_back(
          {a ? graph.isNot(expr->args[0]) : expr->args[0], *fill * factor});
      expr = expr->args[a ? 2 : 1];
      continue;
    }
    if (!expr->is(Fn::Mul) && !expr->is(Fn::Div))
      return expr;
    auto left =
        expr->is(Fn::Mul) ? graph.constantOf(expr->args[0]) : std::nullopt;
    auto number = left ? left : graph.constantOf(expr->args[1]);
    if (!number || *number <= 0)
      return expr;
    double applied = expr->is(Fn::Div) ? 1 / *number : *number;
    Expr *inner = peel(expr->args[left ? 1 : 0], finiteToo, factor * applied);
    Expr *other = expr->args[left ? 0 : 1];
    return graph.op(expr->op, {inner, other}, expr->type);
  }
}
