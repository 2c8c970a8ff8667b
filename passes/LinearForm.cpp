// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LinearForm.h"

#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Follows a map's region from what it yields.
class Follower {
public:
  Follower(wg::MapOp map, LoopLikeOpInterface loop)
      : body(map.getBody().front()), loop(loop) {}

  std::optional<LinearForm> follow(Value value);

private:
  std::optional<LinearForm> followOp(Operation *op);
  std::optional<LinearForm> sum(Operation *op, bool subtracts);
  std::optional<LinearForm> product(Operation *op);
  std::optional<LinearForm> constant(Operation *op);

  Block &body;
  LoopLikeOpInterface loop;
  /// What has been followed.
  DenseMap<Operation *, std::optional<LinearForm>> known;
};
} // namespace

/// Whether coordinates, and their sums, are numbers of this type.
static bool holdsCoordinates(Type type) {
  return type.isIndex() || type.isInteger(32) || type.isInteger(64);
}

std::optional<LinearForm> Follower::follow(Value value) {
  if (value == body.getArgument(0))
    return LinearForm{Coefficient{}, {}};
  if (value == body.getArguments().back())
    return LinearForm{{}, Coefficient{}};
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body)
    return LinearForm{};
  auto found = known.find(op);
  if (found != known.end())
    return found->second;
  std::optional<LinearForm> form = followOp(op);
  known[op] = form;
  return form;
}

std::optional<LinearForm> Follower::followOp(Operation *op) {
  if (isa<arith::IndexCastOp, arith::SIToFPOp>(op) &&
      holdsCoordinates(op->getOperand(0).getType()) &&
      (isa<arith::SIToFPOp>(op) ? op->getResult(0).getType().isF32()
                                : holdsCoordinates(op->getResult(0).getType())))
    return follow(op->getOperand(0));
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return sum(op, /*subtracts=*/false);
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return sum(op, /*subtracts=*/true);
  if (isa<arith::MulFOp>(op))
    return product(op);
  return constant(op);
}

/// Elements, and columns, may be in one of the terms.
std::optional<LinearForm> Follower::sum(Operation *op, bool subtracts) {
  std::optional<LinearForm> x = follow(op->getOperand(0));
  std::optional<LinearForm> y = follow(op->getOperand(1));
  if (!x || !y || (x->element && y->element) || (x->column && y->column))
    return std::nullopt;
  for (std::optional<Coefficient> *of : {&y->element, &y->column})
    if (*of && subtracts)
      (*of)->isNegative ^= true;
  return LinearForm{x->element ? x->element : y->element,
                    x->column ? x->column : y->column};
}

std::optional<LinearForm> Follower::product(Operation *op) {
  std::optional<LinearForm> x = follow(op->getOperand(0));
  std::optional<LinearForm> y = follow(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  auto depends = [](const LinearForm &form) {
    return form.element || form.column;
  };
  bool isSecond = depends(*y);
  if (!isSecond && !depends(*x))
    return LinearForm{};
  Value factor = op->getOperand(isSecond ? 0 : 1);
  if (!loop.isDefinedOutsideOfLoop(factor))
    return std::nullopt;
  LinearForm scaled = isSecond ? *y : *x;
  for (std::optional<Coefficient> *of : {&scaled.element, &scaled.column})
    if (*of)
      (*of)->factors.push_back(factor);
  return scaled;
}

/// What else may stand in the region: ops on neither elements nor columns.
std::optional<LinearForm> Follower::constant(Operation *op) {
  bool isConstant = op->getNumRegions() == 0 &&
                    llvm::all_of(op->getOperands(), [&](Value value) {
                      std::optional<LinearForm> form = follow(value);
                      return form && !form->element && !form->column;
                    });
  return isConstant ? std::optional(LinearForm{}) : std::nullopt;
}

std::optional<LinearForm> mlir::fa::matchLinear(wg::MapOp map,
                                                LoopLikeOpInterface loop) {
  if (map.getNumOperands() != 1 || !isa<wg::FragType>(map.getType()))
    return std::nullopt;
  return Follower(map, loop).follow(map.getYielded());
}

bool mlir::fa::isPositive(const Coefficient &coefficient) {
  return !coefficient.isNegative &&
         llvm::all_of(coefficient.factors,
                      [](Value value) { return isPositive(value); });
}

Value mlir::fa::buildCoefficient(OpBuilder &b, Location loc,
                                 const Coefficient &coefficient) {
  Value product = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(coefficient.isNegative ? -1 : 1));
  for (Value factor : coefficient.factors)
    product = b.createOrFold<arith::MulFOp>(loc, product, factor);
  return product;
}
