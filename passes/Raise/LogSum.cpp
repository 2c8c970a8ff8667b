// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The logarithm of the sum of exponentials, where a program reads it too: the
// op has it as a second result.
#include "passes/Raise/Build.h"
#include "passes/Raise/FrontEnds.h"

using namespace mlir;
using namespace mlir::fa::raising;

/// maximum + log(sum), of the same maximum and sum as in the weights.
bool Matcher::isLogSum(Value value, const Attention &attention, Coords &at) {
  if (!attention.natural || !attention.sum)
    return false;
  keys = atomsOf(attention.key);
  at = graph.dimensions(cast<ShapedType>(value.getType()));
  Terms all;
  terms(graph.load(value, at), 1, all);
  Binding binding;
  for (const Coord &coord : at)
    binding.open.append(coord.digits.begin(), coord.digits.end());
  SmallVector<bool> used(all.size());
  auto take = [&](llvm::function_ref<bool(const Term &)> wanted) {
    for (size_t i = 0; i < all.size(); ++i)
      if (!used[i] && wanted(all[i]))
        return used[i] = true;
    return false;
  };
  bool isLog = take([&](const Term &term) {
    Expr *made = graph.operatorOf(term.expr);
    return term.factor == 1 && made->is(Fn::Log) &&
           graph.equal(attention.sum, made->args[0], binding);
  });
  if (!isLog || all.size() != attention.shifts.size() + 1)
    return false;
  for (const Term &shift : attention.shifts)
    if (!take([&](const Term &term) {
          return term.factor == -shift.factor &&
                 graph.equal(shift.expr, term.expr, binding);
        }))
      return false;
  // In the axes of the attention.
  for (Coord &coord : at) {
    Axes digits;
    for (Axis *axis : atomsOf(coord.digits)) {
      Axis *image = binding.image.lookup(axis);
      if (!image)
        return false;
      digits.push_back(image);
    }
    coord.digits = digits;
  }
  return true;
}

/// What is computed from `product` in its block before and beside the root,
/// in order.
static SmallVector<Operation *> computedFrom(Value product, Operation *root) {
  llvm::SetVector<Operation *> open;
  open.insert(product.getDefiningOp());
  for (size_t i = 0; i < open.size(); ++i)
    for (Operation *user : open[i]->getUsers())
      if (user->getBlock() == root->getBlock() && user != root &&
          mlir::fa::raising::isPure(user))
        open.insert(user);
  SmallVector<Operation *> ops(open.begin(), open.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

bool mlir::fa::raising::findLogSum(Matcher &matcher, Attention &attention) {
  Operation *root = attention.root.getDefiningOp();
  if (!attention.product)
    return false;
  for (Operation *op : computedFrom(attention.product, root))
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !isa<FloatType>(type.getElementType()) ||
          !matcher.isLogSum(result, attention, attention.logSumAt))
        continue;
      attention.logSum = result;
      return true;
    }
  return false;
}

/// What reads `value`, and what reads that, in the block and before `place`.
static SmallVector<Operation *> readersBefore(Value value, Operation *place) {
  llvm::SetVector<Operation *> readers;
  SmallVector<Operation *> open(value.getUsers());
  while (!open.empty()) {
    Operation *op =
        place->getBlock()->findAncestorOpInBlock(*open.pop_back_val());
    if (op && op->isBeforeInBlock(place) && readers.insert(op))
      open.append(op->user_begin(), op->user_end());
  }
  SmallVector<Operation *> ops = readers.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

bool mlir::fa::raising::readersMaySink(const Attention &attention) {
  return llvm::all_of(
      readersBefore(attention.logSum, attention.root.getDefiningOp()), isPure);
}

void mlir::fa::raising::sinkReaders(Value made) {
  Operation *last = made.getDefiningOp();
  for (Operation *op : readersBefore(made, last)) {
    op->moveAfter(last);
    last = op;
  }
}
