// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fa;

Value mlir::fa::buildNumber(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

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

Value mlir::fa::buildTileMap(OpBuilder &b, Location loc, Type type,
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

Value mlir::fa::buildMap(OpBuilder &b, Location loc, Type type,
                         ValueRange operands, ElementBody body) {
  return buildTileMap(b, loc, type, operands,
                      [&](OpBuilder &inner, ValueRange args) {
                        return body(inner, args.take_front(operands.size()));
                      });
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

/// Whether `value` is x > y.
static bool isAbove(Value value, Value x, Value y) {
  auto compare = value.getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OGT &&
         compare.getLhs() == x && compare.getRhs() == y;
}

Value mlir::fa::buildVoteForMore(OpBuilder &b, Location loc, Value values,
                                 Value limit) {
  return buildVote(
      b, loc, {values, limit}, [&](OpBuilder &inner, ValueRange args) {
        return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OGT,
                                     args[0], args[1]);
      });
}

bool mlir::fa::asksForMore(wg::AnyOp vote) {
  Block &body = vote.getBody().front();
  return vote.getNumOperands() == 2 &&
         isAbove(body.getTerminator()->getOperand(0), body.getArgument(0),
                 body.getArgument(1));
}

Value mlir::fa::buildRaised(OpBuilder &b, Location loc, Value rows, Value by) {
  return buildMap(b, loc, rows.getType(), rows,
                  [&](OpBuilder &inner, ValueRange args) -> Value {
                    return arith::AddFOp::create(inner, loc, args[0], by);
                  });
}

std::optional<RaisedRows> mlir::fa::matchRaised(Value value) {
  auto map = value.getDefiningOp<wg::MapOp>();
  if (!map || map.getNumOperands() != 1)
    return std::nullopt;
  Value yielded = map.getYielded();
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  bool orLowest =
      select && matchPattern(select.getTrueValue(), m_NegInfFloat()) &&
      select.getCondition().getParentBlock() != &map.getBody().front();
  if (orLowest)
    yielded = select.getFalseValue();
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  if (!sum || operandOf(map, sum.getLhs()) != map.getOperand(0) ||
      sum.getRhs().getParentBlock() == &map.getBody().front())
    return std::nullopt;
  return RaisedRows{map.getOperand(0), sum.getRhs(), orLowest};
}

Value mlir::fa::buildMoved(OpBuilder &b, Location loc, MovedRows moved) {
  return buildMap(
      b, loc, moved.rows.getType(),
      {moved.rows, moved.above, moved.limit, moved.next},
      [&](OpBuilder &inner, ValueRange args) -> Value {
        Value passes = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::OGT, args[1], args[2]);
        return arith::SelectOp::create(inner, loc, passes, args[3], args[0]);
      });
}

std::optional<MovedRows> mlir::fa::matchMoved(Operation *op) {
  auto map = dyn_cast<wg::MapOp>(op);
  if (!map || map.getNumOperands() != 4)
    return std::nullopt;
  Block &body = map.getBody().front();
  auto select = map.getYielded().getDefiningOp<arith::SelectOp>();
  if (!select || select.getTrueValue() != body.getArgument(3) ||
      select.getFalseValue() != body.getArgument(0) ||
      !isAbove(select.getCondition(), body.getArgument(1), body.getArgument(2)))
    return std::nullopt;
  return MovedRows{map.getOperand(0), map.getOperand(1), map.getOperand(2),
                   map.getOperand(3)};
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
