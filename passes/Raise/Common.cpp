// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Common.h"

using namespace mlir;
using namespace mlir::fa::raising;

bool mlir::fa::raising::hasTensors(Operation *op, unsigned count) {
  return op->getNumOperands() == count &&
         llvm::all_of(op->getOperands(),
                      [](Value value) { return tensorType(value) != nullptr; });
}

Expr *mlir::fa::raising::broadcastLoad(Graph &graph, Value operand,
                                       const Coords &at) {
  RankedTensorType type = tensorType(operand);
  if (!type || type.getRank() > static_cast<int64_t>(at.size()))
    return nullptr;
  size_t skipped = at.size() - type.getRank();
  Coords inner;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    inner.push_back(type.getDimSize(dim) == 1 ? Coord() : at[skipped + dim]);
  return graph.load(operand, inner);
}

Expr *mlir::fa::raising::broadcastOp(Graph &graph, Fn op, ValueRange operands,
                                     const Coords &at, Type type) {
  SmallVector<Expr *> args;
  for (Value operand : operands)
    args.push_back(broadcastLoad(graph, operand, at));
  return graph.op(op, args, type);
}

Expr *mlir::fa::raising::transposed(Graph &graph, Value operand,
                                    ArrayRef<int64_t> permutation,
                                    const Coords &at) {
  RankedTensorType type = tensorType(operand);
  if (!type || permutation.size() != at.size() ||
      type.getRank() != static_cast<int64_t>(at.size()))
    return nullptr;
  Coords inner(at.size());
  for (auto [dim, source] : llvm::enumerate(permutation)) {
    if (source < 0 || source >= type.getRank())
      return nullptr;
    inner[source] = at[dim];
  }
  return graph.load(operand, inner);
}

Expr *mlir::fa::raising::reshaped(Graph &graph, Value operand, Value result,
                                  const Coords &at) {
  RankedTensorType from = tensorType(operand), to = tensorType(result);
  if (!from || !to)
    return nullptr;
  auto inner = graph.reshape(at, to, from);
  return inner ? graph.load(operand, *inner) : nullptr;
}

Expr *mlir::fa::raising::unitsChanged(Graph &graph, Value operand, Value result,
                                      const Coords &at) {
  RankedTensorType from = tensorType(operand), to = tensorType(result);
  if (!from || !to)
    return nullptr;
  Coords inner, others;
  for (auto [coord, extent] : llvm::zip(at, to.getShape()))
    if (extent != 1)
      others.push_back(coord);
  size_t next = 0;
  for (int64_t extent : from.getShape()) {
    if (extent != 1 && next == others.size())
      return nullptr;
    inner.push_back(extent == 1 ? Coord() : others[next++]);
  }
  return next == others.size() ? graph.load(operand, inner) : nullptr;
}

Expr *mlir::fa::raising::concatenated(Graph &graph, ValueRange operands,
                                      int64_t dim, const Coords &at) {
  if (dim < 0)
    dim += at.size();
  if (dim < 0 || dim >= static_cast<int64_t>(at.size()))
    return nullptr;
  int64_t length = extentOf(at[dim].digits), start = 0;
  for (Value operand : operands) {
    RankedTensorType type = tensorType(operand);
    if (!type || type.getRank() != static_cast<int64_t>(at.size()) ||
        type.isDynamicDim(dim) || ShapedType::isDynamic(length))
      return nullptr;
    Coords inner = at;
    inner[dim].offset -= start;
    start += type.getDimSize(dim);
    if (inner[dim].offset >= 0 &&
        inner[dim].offset + length <= type.getDimSize(dim))
      return graph.load(operand, inner);
  }
  return nullptr;
}

Expr *mlir::fa::raising::sliced(Graph &graph, Value operand,
                                ArrayRef<int64_t> starts, const Coords &at,
                                llvm::function_ref<bool(int64_t)> isWhole) {
  RankedTensorType type = tensorType(operand);
  if (!type || starts.size() != at.size() ||
      type.getRank() != static_cast<int64_t>(at.size()))
    return nullptr;
  Coords inner = at;
  for (auto [dim, coord] : llvm::enumerate(inner)) {
    // Of dynamic sizes it would not be seen that one is a part of the other.
    if (type.isDynamicDim(dim) && !coord.digits.empty() &&
        !(isWhole && isWhole(dim)))
      return nullptr;
    coord.offset += starts[dim];
  }
  return graph.load(operand, inner);
}

Expr *mlir::fa::raising::reducedOver(Graph &graph, Fn op, Value operand,
                                     ArrayRef<int64_t> dims, bool keepsDims,
                                     const Coords &at) {
  RankedTensorType type = tensorType(operand);
  if (!type)
    return nullptr;
  Coords inner;
  Axes axes;
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool reduced = llvm::is_contained(dims, dim) ||
                   llvm::is_contained(dims, dim - type.getRank());
    if (reduced) {
      inner.push_back(graph.dimension(type.getDimSize(dim)));
      axes.append(inner.back().digits);
    }
    if (reduced && !keepsDims)
      continue;
    if (next == at.size())
      return nullptr;
    if (!reduced)
      inner.push_back(at[next]);
    ++next;
  }
  return graph.reduce(op, axes, graph.load(operand, inner));
}

Expr *mlir::fa::raising::converted(Graph &graph, Expr *expr, Type type) {
  return graph.op(Fn::Cast, {expr}, type);
}

Expr *mlir::fa::raising::contraction(Graph &graph, Expr *lhs, Expr *rhs,
                                     const Axes &axes, Type type) {
  Expr *product = graph.op(
      Fn::Mul, {converted(graph, lhs, type), converted(graph, rhs, type)},
      type);
  return graph.reduce(Fn::Add, axes, product);
}
