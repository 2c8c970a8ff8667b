// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg: every structured op is its indexing maps and its body, whether it is
// named or generic; linalg.softmax is the formula.
#include "passes/Raise/FrontEnds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/SmallBitVector.h"

#include <limits>

using namespace mlir;
using namespace mlir::fa::raising;

namespace {
/// One element of one result of a structured op.
class Body {
public:
  Body(Graph &graph, linalg::LinalgOp op, unsigned result)
      : graph(graph), op(op), result(result) {}

  Expr *element(const Coords &at);

private:
  bool loopsOf(const Coords &at);
  std::optional<Coords> through(AffineMap map);
  Expr *valueOf(Value value);
  Expr *argument(BlockArgument argument);
  Expr *defined(Operation *inner, OpResult value);
  Expr *reduced(Expr *yielded);
  bool coversLoops();
  bool readsInit(Value value);

  Graph &graph;
  linalg::LinalgOp op;
  unsigned result;
  Coords loops;
  Axes reductions;
  Expr *accumulator = nullptr; // stands for the init of `result`
  llvm::DenseMap<Value, Expr *> known;
};
} // namespace

/// Gives each loop its coordinate: those of the result's map have the
/// result's, the others run over axes of their own.
bool Body::loopsOf(const Coords &at) {
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  llvm::SmallBitVector set(ranges.size());
  loops.resize(ranges.size());
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops[dim.getPosition()] = at[position];
      set.set(dim.getPosition());
    } else if (!isa<AffineConstantExpr>(expr)) {
      return false;
    }
  }
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (set.test(loop))
      continue;
    loops[loop] = graph.dimension(ranges[loop]);
    if (kind == utils::IteratorType::parallel && ranges[loop] != 1)
      return false;
    reductions.append(loops[loop].digits);
  }
  return true;
}

std::optional<Coords> Body::through(AffineMap map) {
  Coords coords;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      coords.push_back(loops[dim.getPosition()]);
    else if (auto number = dyn_cast<AffineConstantExpr>(expr))
      coords.push_back(Coord{{}, number.getValue()});
    else
      return std::nullopt;
  }
  return coords;
}

Expr *Body::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value value = operand->get();
  if (!isa<ShapedType>(value.getType()))
    return graph.scalar(value);
  auto coords = through(op.getMatchingIndexingMap(operand));
  if (!coords)
    return nullptr;
  Expr *load = graph.load(value, *coords);
  if (op.isDpsInit(operand) && operand == op.getDpsInitOperand(result))
    accumulator = load;
  return load;
}

Expr *Body::defined(Operation *inner, OpResult value) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return graph.index(loops[index.getDim()], index.getType());
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    Coords coords;
    for (Value position : extract.getIndices()) {
      Expr *expr = valueOf(position);
      if (expr && expr->isConstant())
        coords.push_back(Coord{{}, static_cast<int64_t>(expr->number)});
      else if (expr && expr->kind == Kind::Index)
        coords.push_back(expr->at[0]);
      else
        return nullptr;
    }
    return graph.load(extract.getTensor(), coords);
  }
  if (inner->getNumResults() != 1 || inner->getNumRegions() != 0)
    return nullptr;
  SmallVector<Expr *> args;
  for (Value operand : inner->getOperands())
    args.push_back(valueOf(operand));
  return defineScalar(graph, inner, args, value.getType());
}

Expr *Body::valueOf(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Expr *expr;
  auto blockArgument = dyn_cast<BlockArgument>(value);
  if (blockArgument && blockArgument.getOwner() == op.getBlock())
    expr = argument(blockArgument);
  else if (value.getParentBlock() != op.getBlock())
    // Captured from outside; scalars only.
    expr =
        value.getType().isIntOrIndexOrFloat() ? graph.scalar(value) : nullptr;
  else if (isa<arith::ConstantOp>(value.getDefiningOp()))
    expr = graph.scalar(value);
  else
    expr = defined(value.getDefiningOp(), cast<OpResult>(value));
  return known[value] = expr;
}

static bool isNeutral(Graph &graph, Fn op, Expr *init) {
  auto number = graph.constantOf(init);
  if (!number)
    return false;
  switch (op) {
  case Fn::Add:
  case Fn::Or:
    return *number == 0;
  case Fn::Mul:
  case Fn::And:
    return *number == 1;
  case Fn::Max:
    return *number == -std::numeric_limits<double>::infinity();
  default:
    return false;
  }
}

/// Whether the result's map has every loop, so that each element is written
/// once.
bool Body::coversLoops() {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  return map.isPermutation();
}

/// Whether an init's element goes into `value`: what it holds depends on how
/// far a reduction has come.
bool Body::readsInit(Value value) {
  Block *block = op.getBlock();
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second || next.getParentBlock() != block)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (op.isDpsInit(op.getMatchingOpOperand(argument)))
        return true;
      continue;
    }
    llvm::append_range(open, next.getDefiningOp()->getOperands());
  }
  return false;
}

/// The yielded value combines the accumulator with something else.
Expr *Body::reduced(Expr *yielded) {
  if (!accumulator || yielded->kind != Kind::Fn || yielded->args.size() != 2)
    return nullptr;
  if (!llvm::is_contained({Fn::Add, Fn::Mul, Fn::Max, Fn::Min, Fn::And, Fn::Or},
                          yielded->op))
    return nullptr;
  unsigned place = yielded->args[0] == accumulator ? 0 : 1;
  Expr *term = yielded->args[1 - place];
  if (yielded->args[place] != accumulator)
    return nullptr;
  SmallVector<Expr *> open{term};
  while (!open.empty()) {
    Expr *next = open.pop_back_val();
    if (next == accumulator)
      return nullptr;
    open.append(next->args.begin(), next->args.end());
  }
  Expr *all = graph.reduce(yielded->op, reductions, term);
  if (isNeutral(graph, yielded->op, accumulator))
    return all;
  return graph.op(yielded->op, {accumulator, all}, yielded->type);
}

Expr *Body::element(const Coords &at) {
  if (!loopsOf(at))
    return nullptr;
  Operation *yield = op.getBlock()->getTerminator();
  Expr *yielded = valueOf(yield->getOperand(result));
  bool reduces = llvm::is_contained(op.getIteratorTypesArray(),
                                    utils::IteratorType::reduction);
  if (!yielded || !reduces)
    return yielded;
  // A result over all of the loops, beside others that are reduced.
  if (reductions.empty() && coversLoops())
    return readsInit(yield->getOperand(result)) ? nullptr : yielded;
  return reduced(yielded);
}

Expr *mlir::fa::raising::defineLinalg(Graph &graph, OpResult result,
                                      const Coords &at) {
  Operation *op = result.getOwner();
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    unsigned dim = softmax.getDimension();
    auto score = [&](const Coord &key) {
      Coords coords = at;
      coords[dim] = key;
      return graph.load(softmax.getInput(), coords);
    };
    return graph.softmax(score, at[dim],
                         softmax.getInputOperandType().getDimSize(dim));
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics() ||
      op->getNumRegions() == 0)
    return nullptr;
  return Body(graph, structured, result.getResultNumber()).element(at);
}
