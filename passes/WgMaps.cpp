// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fa;

/// Gives `block` an f32 argument for each operand.
static void addElements(Block &block, OpBuilder &b, Location loc,
                        ValueRange operands) {
  for (unsigned i = 0; i < operands.size(); ++i)
    block.addArgument(b.getF32Type(), loc);
}

/// Fills `block` with what `body` computes from its arguments.
static void fill(Block &block, Location loc, ElementBody body) {
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  wg::YieldOp::create(inner, loc, body(inner, block.getArguments()));
}

Value mlir::fa::buildMap(OpBuilder &b, Location loc, Type type,
                         ValueRange operands, ElementBody body) {
  auto map = wg::MapOp::create(b, loc, type, operands);
  Block &block = map.getBody().emplaceBlock();
  addElements(block, b, loc, operands);
  unsigned coordinates = isa<wg::FragType>(type) ? 2 : 1;
  for (unsigned i = 0; i < coordinates; ++i)
    block.addArgument(b.getIndexType(), loc);
  fill(block, loc, body);
  return map.getResult();
}

Value mlir::fa::buildVote(OpBuilder &b, Location loc, ValueRange operands,
                          ElementBody predicate) {
  auto vote = wg::AnyOp::create(b, loc, b.getI1Type(), operands);
  Block &block = vote.getBody().emplaceBlock();
  addElements(block, b, loc, operands);
  fill(block, loc, predicate);
  return vote.getResult();
}

bool mlir::fa::joinsFirst(wg::MapOp map) {
  if (map.getNumOperands() != 2)
    return false;
  Block &body = map.getBody().front();
  auto join = dyn_cast<arith::MaximumFOp>(body.front());
  return join && llvm::all_of(body.getArguments().take_front(2),
                              [&](BlockArgument argument) {
                                return argument.hasOneUse() &&
                                       *argument.user_begin() == join;
                              });
}

void mlir::fa::replaceJoin(wg::MapOp map, Value joined) {
  Block &body = map.getBody().front();
  auto join = cast<arith::MaximumFOp>(body.front());
  join.replaceAllUsesWith(body.getArgument(0));
  join.erase();
  body.eraseArgument(1);
  map->setOperands(joined);
  if (map.getYielded() == body.getArgument(0)) {
    map.getResult().replaceAllUsesWith(joined);
    map.erase();
  }
}

/// The operand of `map` that `element` is of, null where it is none.
static Value operandOf(wg::MapOp map, Value element) {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != &map.getBody().front() ||
      argument.getArgNumber() >= map.getNumOperands())
    return {};
  return map.getOperand(argument.getArgNumber());
}

std::optional<ScaledPower> mlir::fa::matchScaledPower(wg::MapOp map) {
  auto exp = map.getYielded().getDefiningOp<math::Exp2Op>();
  auto scaled =
      exp ? exp.getOperand().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  auto difference =
      scaled ? scaled.getLhs().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!difference || scaled.getRhs().getParentBlock() == &map.getBody().front())
    return std::nullopt;
  Value x = operandOf(map, difference.getLhs());
  Value y = operandOf(map, difference.getRhs());
  if (!x || !y)
    return std::nullopt;
  return ScaledPower{x, y, scaled.getRhs()};
}
