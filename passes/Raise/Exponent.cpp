// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in the exponent: scores, less something of the row that cancels;
// and what guards rows without a key.
#include "passes/Raise/Match.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

/// exp(s - (m + log(sum))): the denominator stands in the exponent.
bool Matcher::readLogSum(const Terms &all) {
  bool natural = exponential->is(Fn::Exp);
  const Term *logarithm = nullptr;
  for (const Term &term : all) {
    bool isLog = term.expr->is(natural ? Fn::Log : Fn::Log2);
    if (isLog && term.factor == -1 && !logarithm)
      logarithm = &term;
  }
  if (!logarithm)
    return decline("expects a denominator that is the sum of the exponentials, "
                   "got none");
  Expr *sum = logarithm->expr->args[0];
  Product parts;
  collect(sum, false, false, parts);
  if (parts.above.size() != 1 || !parts.below.empty() || parts.constant != 1 ||
      !parts.above[0]->isReduce(Fn::Add))
    return decline("expects a denominator that is the sum of the exponentials");
  sum = parts.above[0];
  Product inner;
  collect(sum->args[0], false, false, inner);
  Terms own;
  if (inner.above.size() != 1 || inner.above[0]->kind != Kind::Fn ||
      inner.above[0]->op != exponential->op)
    return decline("expects a denominator that is the sum of the exponentials");
  Axes outer = keys;
  keys = atomsOf(sum->axes);
  terms(inner.above[0]->args[0], 1, own);
  keys = outer;
  Binding binding;
  binding.open = sum->axes;
  SmallVector<bool> used(all.size());
  for (const Term &term : own) {
    auto same = [&](size_t i) {
      return &all[i] != logarithm && !used[i] && all[i].factor == term.factor &&
             graph.equal(all[i].expr, term.expr, binding);
    };
    size_t i = 0;
    while (i < all.size() && !same(i))
      ++i;
    if (i == all.size())
      return decline("expects the same exponentials above and in the sum");
    used[i] = true;
  }
  if (own.size() + 1 != all.size())
    return decline("expects the same exponentials above and in the sum");
  found->sum = sum;
  return true;
}

/// Something of the row that cancels: its maximum, clamped or guarded, or the
/// logarithm of the sum.
bool Matcher::isShift(Expr *expr) {
  expr = stripCasts(expr);
  if (graph.constantOf(expr))
    return true;
  if (expr->kind == Kind::Load) {
    Expr *inner = graph.expand(expr);
    return inner && isShift(inner);
  }
  if (expr->kind == Kind::Reduce)
    return expr->op == Fn::Max;
  if (expr->kind != Kind::Fn)
    return false;
  switch (expr->op) {
  case Fn::Max:
    // A sink may be larger than all scores.
    return isShift(expr->args[0]) || isShift(expr->args[1]);
  case Fn::Min:
  case Fn::Add:
  case Fn::Sub:
    return isShift(expr->args[0]) && isShift(expr->args[1]);
  case Fn::Select:
    return isShift(expr->args[1]) && isShift(expr->args[2]);
  case Fn::Mul:
  case Fn::Div:
    return isShift(expr->args[0]) && isShift(expr->args[1]);
  case Fn::Log:
  case Fn::Log2: {
    Expr *inner = stripCasts(expr->args[0]);
    if (Expr *next = graph.expand(graph.seeThrough(inner)))
      inner = stripCasts(next);
    return inner->isReduce(Fn::Add);
  }
  default:
    return false;
  }
}

/// An exponent that is -inf where a mask drops the key: the mask goes to what
/// varies along the keys, shifts come out.
bool Matcher::termsOfChoice(Expr *select, double factor, Terms &all) {
  bool dropsFirst = graph.constantOf(select->args[1]) == -INFINITY;
  bool dropsSecond = graph.constantOf(select->args[2]) == -INFINITY;
  if (dropsFirst == dropsSecond || factor <= 0)
    return false;
  Terms inner;
  terms(select->args[dropsFirst ? 2 : 1], 1, inner);
  Expr *rest = nullptr;
  Type type = select->type;
  Terms shifts;
  for (const Term &term : inner) {
    if (!graph.dependsOn(term.expr, keys) && isShift(term.expr)) {
      shifts.push_back({term.factor * factor, term.expr});
      continue;
    }
    Expr *part = term.expr;
    if (term.factor != 1)
      part = graph.op(Fn::Mul, {part, graph.constant(term.factor, type)}, type);
    rest = rest ? graph.op(Fn::Add, {rest, part}, type) : part;
  }
  if (shifts.empty() || !rest)
    return false;
  SmallVector<Expr *, 3> args(select->args);
  args[dropsFirst ? 2 : 1] = rest;
  all.append(shifts);
  all.push_back({factor, graph.op(Fn::Select, args, type)});
  return true;
}

/// The addends of an exponent, taken apart as far as shifts are among them.
void Matcher::terms(Expr *expr, double factor, Terms &all) {
  Expr *plain = below(expr);
  bool rowWise = !graph.dependsOn(plain, keys);
  Expr *made = plain;
  while (made->kind == Kind::Load &&
         (rowWise || leadsToExp(made->source) || hasDot(made))) {
    Expr *next = graph.expand(made);
    if (!next)
      break;
    made = stripCasts(next);
  }
  if (made->is(Fn::Add) || made->is(Fn::Sub)) {
    terms(made->args[0], factor, all);
    terms(made->args[1], made->is(Fn::Sub) ? -factor : factor, all);
    return;
  }
  if (made->is(Fn::Select) && termsOfChoice(made, factor, all))
    return;
  if (made->is(Fn::Mul) || made->is(Fn::Div)) {
    auto right = graph.constantOf(made->args[1]);
    auto left =
        made->is(Fn::Mul) ? graph.constantOf(made->args[0]) : std::nullopt;
    if (left || right) {
      double number = right ? *right : *left;
      Terms inner;
      terms(made->args[right ? 0 : 1],
            made->is(Fn::Div) ? factor / number : factor * number, inner);
      bool apart = llvm::any_of(inner, [&](const Term &term) {
        return !graph.dependsOn(term.expr, keys) && isShift(term.expr);
      });
      if (apart) {
        all.append(inner);
        return;
      }
    }
  }
  all.push_back({factor, rowWise && isShift(plain) ? made : plain});
}

bool Matcher::readExponent() {
  Terms all;
  terms(exponential->args[0], 1, all);
  if (!found->sum && !readLogSum(all))
    return false;
  double base = exponential->is(Fn::Exp2) ? std::log(2.0) : 1;
  Type type = exponential->type;
  Expr *scores = nullptr;
  found->natural = exponential->is(Fn::Exp);
  for (const Term &term : all) {
    if (!graph.dependsOn(term.expr, keys) && isShift(term.expr)) {
      if (graph.constantOf(term.expr))
        found->natural = false;
      else if (!term.expr->is(Fn::Log) && !term.expr->is(Fn::Log2))
        found->shifts.push_back(term);
      continue;
    }
    double factor = term.factor * base;
    Expr *part = term.expr;
    if (factor != 1)
      part = graph.op(
          Fn::Mul,
          {part, graph.constant(factor, Float64Type::get(type.getContext()))},
          type);
    scores = scores ? graph.op(Fn::Add, {scores, part}, type) : part;
  }
  if (!scores)
    return decline("expects scores of queries and keys in the exponent");
  return (!sinkExponent || readSink()) && readScores(scores);
}

/// Whether a row whose `condition` has the value `whenTrue` has no key, so that
/// 0 is what attention gives it too.
bool Matcher::isEmptyRow(Expr *condition, bool whenTrue) {
  condition = stripCasts(condition);
  if (condition->kind == Kind::Load) {
    Expr *inner = graph.expand(condition);
    return inner && isEmptyRow(inner, whenTrue);
  }
  auto isLowest = [&](Expr *expr) {
    return graph.constantOf(expr) == -INFINITY;
  };
  if (condition->is(Fn::Xor) && graph.constantOf(condition->args[1]) == 1.0)
    return isEmptyRow(condition->args[0], !whenTrue);
  if (condition->is(Fn::IsNan))
    return whenTrue;
  if (condition->kind == Kind::Reduce) {
    bool every = condition->op == Fn::And && whenTrue;
    bool none = condition->op == Fn::Or && !whenTrue;
    return (every || none) && isEmptyRow(condition->args[0], whenTrue);
  }
  bool equal = condition->is(Fn::Eq) && whenTrue;
  bool differs = (condition->is(Fn::Ne) || condition->is(Fn::Gt)) && !whenTrue;
  if (!equal && !differs)
    return false;
  if (isLowest(condition->args[1]) || isLowest(condition->args[0]))
    return true;
  // A denominator of 0.
  return graph.constantOf(condition->args[1]) == 0.0 &&
         condition->args[0]->kind == Kind::Load &&
         leadsToExp(condition->args[0]->source);
}

bool Matcher::readGuards(const Product &top, const Product &body) {
  for (auto &[condition, whenTrue] : top.guards)
    if (!isEmptyRow(condition, whenTrue))
      return decline("expects a guard of rows without a key, got another "
                     "condition on the result");
  for (auto &[guard, whenTrue] : body.guards) {
    Expr *condition = below(guard);
    bool single = graph.dependsOn(condition, keys) &&
                  !graph.expand(condition) && !condition->is(Fn::IsNan);
    Expr *inner = condition;
    while (Expr *next = graph.expand(inner))
      inner = next;
    if (single || (graph.dependsOn(condition, keys) && !inner->is(Fn::IsNan)))
      return decline("expects nothing between softmax and the second product, "
                     "got an operator that changes single probabilities");
    if (!isEmptyRow(condition, whenTrue))
      return decline("expects a guard of rows without a key between softmax "
                     "and the second product, got another condition");
  }
  return true;
}
