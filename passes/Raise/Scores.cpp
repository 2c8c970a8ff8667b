// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the scores to Q and K: the one product in them, what masks it from the
// outside, and the tensors that the operands may be taken from.
#include "passes/Raise/Match.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

/// The factors of a product that are no constants.
static void factorsOf(Graph &graph, Expr *expr, double &constant,
                      SmallVectorImpl<Expr *> &factors) {
  expr = stripCasts(expr);
  if (auto number = graph.constantOf(expr)) {
    constant *= *number;
  } else if (expr->is(Fn::Mul)) {
    factorsOf(graph, expr->args[0], constant, factors);
    factorsOf(graph, expr->args[1], constant, factors);
  } else {
    factors.push_back(expr);
  }
}

bool Matcher::isDot(Expr *expr) {
  if (!expr->isReduce(Fn::Add))
    return false;
  double constant = 1;
  SmallVector<Expr *> factors;
  factorsOf(graph, expr->args[0], constant, factors);
  if (factors.size() != 2)
    return false;
  bool first = graph.dependsOn(factors[0], keys);
  bool second = graph.dependsOn(factors[1], keys);
  if (first == second)
    return false;
  // Queries have every row coordinate.
  AxisSet own = graph.axesOf(factors[first ? 1 : 0]);
  return llvm::all_of(atomsOf(found->row),
                      [&](Axis *axis) { return own.contains(axis); });
}

void Matcher::findDots(Expr *expr, SmallVectorImpl<Expr *> &dots) {
  if (!hasDot(expr))
    return;
  expr = stripCasts(expr);
  if (isDot(expr)) {
    if (!llvm::is_contained(dots, expr))
      dots.push_back(expr);
    return;
  }
  if (expr->kind == Kind::Load) {
    Expr *inner = graph.expand(expr);
    if (isDot(stripCasts(inner)))
      found->product = expr->source;
    return findDots(inner, dots);
  }
  for (Expr *arg : expr->args)
    findDots(arg, dots);
}

bool Matcher::hasDot(Expr *expr) {
  auto [entry, isNew] = dotLeads.try_emplace(expr, false);
  if (!isNew)
    return entry->second;
  bool has = false;
  if (isDot(expr)) {
    has = true;
  } else if (expr->kind == Kind::Load) {
    Expr *inner = graph.dependsOn(expr, keys) ? graph.expand(expr) : nullptr;
    has = inner && hasDot(inner);
  } else if (expr->kind == Kind::Fn) {
    for (Expr *arg : expr->args)
      has |= hasDot(arg);
  }
  return dotLeads[expr] = has;
}

/// What has no definition on the way from the scores to a product, in words.
std::string Matcher::unknownIn(Expr *scores) {
  SmallVector<Expr *> open{scores};
  llvm::DenseSet<Expr *> seen;
  while (!open.empty()) {
    Expr *next = open.pop_back_val();
    if (!seen.insert(next).second || next->kind == Kind::Reduce ||
        !graph.dependsOn(next, keys))
      continue;
    if (Expr *inner = graph.expand(next))
      open.push_back(inner);
    else if (next->kind == Kind::Load && isa<OpResult>(next->source))
      return ", got " +
             next->source.getDefiningOp()->getName().getStringRef().str() +
             " with operators that are not known here";
    open.append(next->args.begin(), next->args.end());
  }
  return "";
}

bool Matcher::readScores(Expr *scores) {
  keys = atomsOf(keys);
  SmallVector<Expr *> dots;
  findDots(scores, dots);
  if (dots.empty())
    return decline("expects a product of queries and keys in the scores" +
                   unknownIn(scores));
  if (dots.size() > 1)
    return decline("expects one product of queries and keys in the scores, got "
                   "several");
  found->dot = dots[0];
  found->allScores = found->scores = scores;
  return readOperands() && assignAxes();
}

double mlir::fa::raising::stepCost(const Coords &from, const Coords &to) {
  auto dimsOf = [](const Coords &at) {
    SmallVector<Axes, 4> dims;
    for (const Coord &coord : at)
      dims.push_back(atomsOf(coord.digits));
    return dims;
  };
  SmallVector<Axes, 4> first = dimsOf(from), second = dimsOf(to);
  Axes one, other;
  for (const Axes &dim : first)
    one.append(dim);
  for (const Axes &dim : second)
    other.append(dim);
  if (one != other)
    return kOldCopy;
  // Moving a dimension of one element is written as a transpose.
  return first.size() == second.size() && first != second ? 1.5 : 0.2;
}

void Matcher::chainOf(Expr *expr, Chain &chain) {
  double factor = 1;
  while (true) {
    expr = stripCasts(expr);
    if (expr->kind == Kind::Load) {
      chain.push_back({expr->source, expr->at, factor});
      Expr *next = graph.expand(expr);
      if (!next)
        return;
      expr = next;
      continue;
    }
    bool isDiv = expr->is(Fn::Div);
    if (!isDiv && !expr->is(Fn::Mul))
      return;
    auto right = graph.constantOf(expr->args[1]);
    auto left = isDiv ? std::nullopt : graph.constantOf(expr->args[0]);
    if (!left && !right)
      return;
    double number = right ? *right : *left;
    factor = isDiv ? factor / number : factor * number;
    expr = expr->args[right ? 0 : 1];
  }
}

bool Matcher::readOperands() {
  SmallVector<Expr *> factors;
  factorsOf(graph, found->dot->args[0], found->dotFactor, factors);
  bool first = graph.dependsOn(factors[0], keys);
  chainOf(factors[first ? 1 : 0], found->q);
  chainOf(factors[first ? 0 : 1], found->k);
  chainOf(values, found->v);
  if (found->q.empty() || found->k.empty() || found->v.empty())
    return decline("expects tensors as the operands of both products");
  // Constant factors of V have no place in the op; the tensors above them have
  // none either.
  llvm::erase_if(found->v, [](const Candidate &c) { return c.factor != 1; });
  return true;
}

/// Which axes are what, by where they occur.
bool Matcher::assignAxes() {
  auto axesOf = [](const Candidate &candidate) {
    AxisSet axes;
    for (const Coord &at : candidate.at)
      for (Axis *axis : atomsOf(at.digits))
        axes.insert(axis);
    return axes;
  };
  AxisSet q = axesOf(found->q.back()), k = axesOf(found->k.back()),
          v = axesOf(found->v.back());
  for (Chain *chain : {&found->q, &found->k, &found->v})
    for (size_t i = chain->size(); i-- > 1;)
      (*chain)[i - 1].path =
          (*chain)[i].path + stepCost((*chain)[i - 1].at, (*chain)[i].at);
  found->key = atomsOf(keys);
  found->depth = atomsOf(found->dot->axes);
  found->row.clear();
  for (const Coord &at : found->at)
    for (Axis *axis : atomsOf(at.digits)) {
      if (k.contains(axis) || (v.contains(axis) && q.contains(axis)))
        found->batch.push_back(axis);
      else if (q.contains(axis))
        found->row.push_back(axis);
      else if (v.contains(axis))
        found->width.push_back(axis);
      else
        found->batch.push_back(axis);
    }
  if (found->depth.empty() || found->width.empty())
    return decline("expects head dimensions of more than one element");
  return true;
}
