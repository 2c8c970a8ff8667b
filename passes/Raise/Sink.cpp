// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sink: a logit that joins the sum of the exponentials and brings no value.
// It is an addend of its own, or one more column of the scores that is cut off
// again behind the softmax.
#include "passes/Raise/Match.h"

using namespace mlir;
using namespace mlir::fa::raising;

/// `at` with `by` in the place of a dimension over `axis`; nothing where the
/// axis is a part of a dimension.
static std::optional<Coords> placed(const Coords &at, Axis *axis,
                                    const Coord &by) {
  Coords result;
  for (const Coord &coord : at) {
    Axes atoms = atomsOf(coord.digits);
    if (!llvm::is_contained(atoms, axis)) {
      result.push_back(coord);
      continue;
    }
    if (atoms.size() != 1)
      return std::nullopt;
    result.push_back({by.digits, coord.offset + by.offset});
  }
  return result;
}

/// `expr` with `by` in the place of `axis`; null where that cannot be said.
static Expr *substituted(Graph &graph, Expr *expr, Axis *axis,
                         const Coord &by) {
  auto at = placed(expr->at, axis, by);
  if (!at)
    return nullptr;
  switch (expr->kind) {
  case Kind::Load:
    return graph.load(expr->source, *at);
  case Kind::Literal:
    return graph.literal(expr->literal, *at);
  case Kind::Index:
    return graph.index((*at)[0], expr->type);
  case Kind::Constant:
  case Kind::Scalar:
    return expr;
  case Kind::Reduce:
  case Kind::Fn:
    break;
  }
  SmallVector<Expr *> args;
  for (Expr *arg : expr->args) {
    args.push_back(substituted(graph, arg, axis, by));
    if (!args.back())
      return nullptr;
  }
  return expr->kind == Kind::Fn ? graph.op(expr->op, args, expr->type)
                                : graph.reduce(expr->op, expr->axes, args[0]);
}

/// A sum over one column more than there are keys: the sum over the keys, and
/// in `sinkExponent` what the other column is the exponential of.
Expr *Matcher::splitColumn(Expr *sum) {
  Axes all = atomsOf(sum->axes);
  int64_t count = extentOf(keys);
  if (all.size() != 1 || ShapedType::isDynamic(count) ||
      all[0]->extent != count + 1)
    return sum;
  for (int64_t column : {count, int64_t(0)}) {
    Coord own = graph.dimension(count);
    own.offset = column == 0;
    Expr *kept = substituted(graph, sum->args[0], all[0], own);
    Expr *joins = substituted(graph, sum->args[0], all[0], Coord{{}, column});
    Binding binding;
    binding.open = own.digits;
    if (!kept || !joins || !graph.equal(exponential, kept, binding))
      continue;
    joins = graph.operatorOf(joins);
    if (joins->kind != Kind::Fn || joins->op != exponential->op)
      continue;
    sinkExponent = joins->args[0];
    return graph.reduce(Fn::Add, own.digits, kept);
  }
  return sum;
}

/// The sum over the keys in one that something else joins, whose exponent is
/// `sinkExponent` then.
Expr *Matcher::splitSink(Expr *sum) {
  if (sum->isReduce(Fn::Add))
    return splitColumn(sum);
  if (!sum->is(Fn::Add))
    return sum;
  for (unsigned side : {0, 1}) {
    Expr *keyed = graph.operatorOf(sum->args[side]),
         *other = graph.operatorOf(sum->args[1 - side]);
    if (!keyed->isReduce(Fn::Add) || other->kind != Kind::Fn ||
        other->op != exponential->op)
      continue;
    sinkExponent = other->args[0];
    return keyed;
  }
  return sum;
}

/// What joins the sum is exp(sink - m), with the m of the weights.
bool Matcher::readSink() {
  Terms all;
  terms(sinkExponent, 1, all);
  Expr *sink = nullptr;
  size_t shifts = 0;
  Binding none;
  for (const Term &term : all) {
    bool isOwn = llvm::any_of(found->shifts, [&](const Term &shift) {
      return shift.factor == term.factor &&
             graph.equal(shift.expr, term.expr, none);
    });
    shifts += isOwn;
    if (isOwn)
      continue;
    if (sink || term.factor != 1)
      return decline("expects a sink that is one logit");
    sink = term.expr;
  }
  if (!sink || shifts != found->shifts.size() || !found->natural)
    return decline("expects a sink with the maximum of the weights subtracted");
  found->sink = sink;
  return true;
}
