// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the result of the second product down to the scores: exactly one
// exponential and one tensor of values inside of the sum over the keys, the sum
// of the same exponentials below, nothing else.
#include "passes/Raise/Match.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

static bool isExponential(Expr *expr) {
  return expr->is(Fn::Exp) || expr->is(Fn::Exp2);
}

/// A sum over products of two tensors.
static bool isContraction(Expr *expr) {
  if (!expr->isReduce(Fn::Add))
    return false;
  Expr *body = stripCasts(expr->args[0]);
  return body->is(Fn::Mul);
}

bool Matcher::leadsToExp(Value value) {
  auto [entry, isNew] = expLeads.try_emplace(value, false);
  if (!isNew)
    return entry->second;
  auto result = dyn_cast<OpResult>(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!result || !type)
    return false;
  Expr *made = graph.expand(graph.load(value, graph.dimensions(type)));
  if (!made)
    return false;
  SmallVector<Expr *> open{made};
  bool leads = false;
  while (!open.empty() && !leads) {
    Expr *next = open.pop_back_val();
    if (isContraction(next) && next != made)
      continue;
    if (isContraction(next)) {
      // The product of the weights with V leads there, that of Q and K not.
      continue;
    }
    leads = isExponential(next) ||
            (next->kind == Kind::Load && leadsToExp(next->source));
    open.append(next->args.begin(), next->args.end());
  }
  expLeads[value] = leads;
  return leads;
}

bool Matcher::isSecondProduct(Value root) {
  auto type = dyn_cast<RankedTensorType>(root.getType());
  if (!type || !isa<OpResult>(root))
    return false;
  Expr *made = graph.expand(graph.load(root, graph.dimensions(type)));
  if (!made || !isContraction(stripCasts(made)))
    return false;
  // Exponentials, and something over all of a row: not just an activation.
  Expr *body = stripCasts(made)->args[0];
  auto isExp = [](Expr *expr) { return isExponential(expr); };
  auto isRowWise = [](Expr *expr) { return expr->kind == Kind::Reduce; };
  return reaches(body, isExp) && reaches(body, isRowWise);
}

Expr *Matcher::below(Expr *expr) {
  Expr *next = stripCasts(graph.seeThrough(expr));
  while (next != expr) {
    expr = next;
    next = stripCasts(graph.seeThrough(expr));
  }
  return expr;
}

/// Whether something in what `expr` is made of, up to products of two tensors,
/// is `wanted`. An op that is not known may change elements of one shape.
bool Matcher::reaches(Expr *expr, llvm::function_ref<bool(Expr *)> wanted) {
  SmallVector<Expr *> open{expr};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Expr *next = open.pop_back_val();
    if (isContraction(next))
      continue;
    if (wanted(next))
      return true;
    if (next->kind == Kind::Load && seen.insert(next->source).second) {
      if (Expr *inner = graph.expand(next))
        open.push_back(inner);
      else if (Operation *op = next->source.getDefiningOp())
        for (Value operand : op->getOperands())
          if (auto type = dyn_cast<RankedTensorType>(operand.getType());
              type && type.getShape() ==
                          cast<ShapedType>(next->source.getType()).getShape())
            open.push_back(graph.load(operand, next->at));
    }
    open.append(next->args.begin(), next->args.end());
  }
  return false;
}

/// `rest` where the condition decides for it, 0 elsewhere, as the exponential
/// of a masked exponent; null where `rest` is no exponential, or the condition
/// is one for whole rows.
Expr *Matcher::maskedExponential(Expr *condition, Expr *rest,
                                 bool keepsWhenTrue) {
  rest = stripCasts(rest);
  while (Expr *inner = rest->kind == Kind::Load && leadsToExp(rest->source)
                           ? graph.expand(rest)
                           : nullptr)
    rest = stripCasts(inner);
  if (!isExponential(rest) ||
      !graph.dependsOn(below(condition), atomsOf(keys)) ||
      isEmptyRow(below(condition), !keepsWhenTrue))
    return nullptr;
  Expr *exponent = rest->args[0];
  Expr *lowest = graph.constant(-INFINITY, exponent->type);
  SmallVector<Expr *> args{condition, exponent, lowest};
  if (!keepsWhenTrue)
    std::swap(args[1], args[2]);
  return graph.op(rest->op, {graph.op(Fn::Select, args, exponent->type)},
                  rest->type);
}

/// A select between 0 and the rest guards rows without a key; one in the
/// denominator, or a maximum with a small number, guards against dividing by 0.
bool Matcher::collectGuard(Expr *select, bool inverted, bool top,
                           Product &product) {
  bool isSelect = select->is(Fn::Select);
  Expr *a = select->args[isSelect ? 1 : 0], *b = select->args[isSelect ? 2 : 1];
  auto first = graph.constantOf(a), second = graph.constantOf(b);
  if (first.has_value() == second.has_value())
    return false;
  Expr *rest = first ? b : a;
  double number = first ? *first : *second;
  if (inverted) {
    // At least 1 wherever the maximum was subtracted, so no change there.
    if (isSelect ? !isEmptyRow(select->args[0], first.has_value())
                 : !select->is(Fn::Max) || number > 1)
      return false;
    collect(rest, inverted, top, product);
    return true;
  }
  if (!isSelect || number != 0)
    return false;
  if (Expr *masked =
          top ? nullptr
              : maskedExponential(select->args[0], rest, second.has_value())) {
    product.above.push_back(masked);
    return true;
  }
  product.guards.push_back({select->args[0], first.has_value()});
  collect(rest, inverted, top, product);
  return true;
}

void Matcher::collect(Expr *expr, bool inverted, bool top, Product &product) {
  expr = stripCasts(expr);
  auto &place = inverted ? product.below : product.above;
  if (auto number = graph.constantOf(expr)) {
    product.constant *= inverted ? 1 / *number : *number;
    return;
  }
  if (expr->is(Fn::Mul) || expr->is(Fn::Div)) {
    collect(expr->args[0], inverted, top, product);
    collect(expr->args[1], inverted != expr->is(Fn::Div), top, product);
    return;
  }
  if ((expr->is(Fn::Select) || expr->is(Fn::Max)) &&
      collectGuard(expr, inverted, top, product))
    return;
  if (expr->kind == Kind::Load &&
      (leadsToExp(expr->source) || (top && isSecondProduct(expr->source)))) {
    Expr *inner = graph.expand(expr);
    return collect(inner, inverted, top, product);
  }
  if (expr->kind == Kind::Load && top) {
    // A view of the second product.
    Expr *inner = below(expr);
    if (inner->kind == Kind::Load && isSecondProduct(inner->source))
      return collect(graph.expand(inner), inverted, top, product);
  }
  place.push_back(expr);
}

bool Matcher::readOutput(Expr *expr) {
  Product top, body;
  collect(expr, false, true, top);
  Expr *sum = nullptr;
  for (Expr *&factor : top.above)
    if (factor->isReduce(Fn::Add)) {
      if (sum)
        return decline("expects one sum over the keys, got two");
      sum = factor;
    }
  if (!sum)
    return decline("expects a sum over the keys of weights times values");
  llvm::erase(top.above, sum);
  keys = atomsOf(sum->axes);
  collect(sum->args[0], false, false, body);
  found->roundsWeights = weightsRounded(sum->args[0]);
  return readBody(top, body) && readGuards(top, body) && readExponent();
}

/// The weights come to the product as a tensor of 16 bits, unless they are
/// computed inside of it.
bool Matcher::weightsRounded(Expr *body) {
  SmallVector<Expr *> open{body};
  while (!open.empty()) {
    Expr *next = open.pop_back_val();
    if (next->kind == Kind::Load) {
      if (leadsToExp(next->source))
        return next->type.getIntOrFloatBitWidth() <= 16;
      continue;
    }
    if (next->is(Fn::Cast) && next->type.getIntOrFloatBitWidth() <= 16 &&
        isa<FloatType>(next->type))
      return true;
    open.append(next->args.begin(), next->args.end());
  }
  return false;
}

/// The op that changes exponentials in a way that is not known, in words.
std::string Matcher::changing(const Product &body) {
  for (Expr *factor : body.above)
    if (factor->kind == Kind::Load && !graph.expand(factor) &&
        reaches(factor, isExponential))
      return factor->source.getDefiningOp()->getName().getStringRef().str();
  return "another operator";
}

bool Matcher::readBody(const Product &top, const Product &body) {
  SmallVector<Expr *> below = top.below;
  below.append(body.below);
  SmallVector<Expr *> others, rowWise = top.above;
  for (Expr *factor : body.above) {
    if (isExponential(factor) && graph.dependsOn(factor, keys) && !exponential)
      exponential = factor;
    else
      (graph.dependsOn(factor, keys) ? others : rowWise).push_back(factor);
  }
  if (!exponential)
    return decline("expects softmax weights in the second product, got "
                   "exponentials changed by " +
                   changing(body));
  for (Expr *factor : below)
    if (graph.dependsOn(factor, keys))
      return decline(factor->isReduce(Fn::Add)
                         ? "expects softmax along the keys: the normalised "
                           "dimension is not the one that the second product "
                           "contracts"
                         : "expects nothing between softmax and the second "
                           "product, got a division of single probabilities");
  for (Expr *factor : others)
    if (factor->kind != Kind::Load)
      return decline("expects nothing between softmax and the second product, "
                     "got an operator that changes single probabilities");
  if (others.size() > 1)
    return decline("expects nothing between softmax and the second product, "
                   "got dropout (an elementwise product with a tensor)");
  if (others.empty())
    return decline("expects the values as a tensor");
  if (!rowWise.empty() || top.constant * body.constant != 1)
    return decline("expects nothing between softmax and the second product, "
                   "got another factor");
  values = others[0];
  findRows();
  if (below.size() > 1)
    return decline("expects one denominator, got two");
  return below.empty() || readDenominator(below[0]);
}

/// Coordinates of the result that the values do not have: rows of Q.
void Matcher::findRows() {
  AxisSet shared = graph.axesOf(graph.seeThrough(values));
  for (const Coord &at : found->at)
    for (Axis *axis : atomsOf(at.digits))
      if (!shared.contains(axis))
        found->row.push_back(axis);
}

bool Matcher::readDenominator(Expr *sum) {
  sum = stripCasts(sum);
  Expr *denominator = sum;
  sum = splitSink(sum);
  if (!sum->isReduce(Fn::Add))
    return decline(llvm::Twine("expects a denominator that is the sum of the "
                               "exponentials, got ") +
                   (sum->is(Fn::Add) ? "something added to it (a sink?)"
                                     : "something else"));
  Binding binding;
  binding.open = sum->axes;
  Expr *summed = sum->args[0];
  if (exponential->args[0]->is(Fn::Select)) {
    // Perhaps masked behind the exponential, in the sum as well.
    Axes outer = keys;
    Product inner;
    keys = atomsOf(sum->axes);
    collect(summed, false, false, inner);
    keys = outer;
    if (inner.above.size() == 1 && inner.below.empty() &&
        inner.guards.empty() && inner.constant == 1)
      summed = inner.above[0];
  }
  if (!graph.equal(exponential, summed, binding))
    return decline("expects a denominator that is the sum of the exponentials, "
                   "got a sum of something else");
  keys = atomsOf(keys);
  AxisSet images;
  for (Axis *axis : atomsOf(sum->axes))
    images.insert(binding.image.lookup(axis));
  bool whole =
      images.size() == keys.size() &&
      llvm::all_of(keys, [&](Axis *axis) { return images.contains(axis); });
  if (!whole)
    return decline("expects softmax along the keys: the normalised dimension "
                   "is not the one that the second product contracts");
  found->sum = denominator;
  return true;
}

bool Matcher::match(Value root, Attention &attention) {
  found = &attention;
  exponential = values = sinkExponent = nullptr;
  dotLeads.clear();
  attention.root = root;
  attention.at = graph.dimensions(cast<ShapedType>(root.getType()));
  Expr *made = graph.expand(graph.load(root, attention.at));
  return made && readOutput(made);
}
