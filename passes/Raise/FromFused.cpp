// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused attention operators, by their definitions: tm_tensor.attention,
// iree_linalg_ext.attention and onnx.Attention in generic form.
#include "passes/Raise/Attention.h"

#include "llvm/ADT/SmallBitVector.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

Expr *mlir::fa::raising::fusedAttention(Graph &graph,
                                        const FusedAttention &attention,
                                        Type result) {
  Type type = attention.type;
  auto score = [&](const Coord &key) -> Expr * {
    Expr *dot = contraction(graph, attention.q, attention.k(key),
                            attention.depth, type);
    if (attention.scale)
      dot = graph.op(Fn::Mul, {dot, converted(graph, attention.scale, type)},
                     type);
    return dot ? attention.change(dot, key) : nullptr;
  };
  Coord key = graph.dimension(attention.keys);
  Expr *value = attention.v(key);
  if (!value)
    return nullptr;
  Expr *weight = graph.softmax(score, key, attention.keys);
  if (!weight)
    return nullptr;
  // The weights are rounded to V's type, and the product to the result's.
  Expr *rounded = converted(graph, weight, value->type);
  return converted(graph, contraction(graph, rounded, value, key.digits, type),
                   result);
}

/// Adds a mask of numbers, or keeps what a mask of booleans has true.
static Expr *masked(Graph &graph, Expr *score, Expr *mask) {
  Type type = score->type;
  if (!mask->type.isInteger(1))
    return graph.op(Fn::Add, {score, converted(graph, mask, type)}, type);
  return graph.op(Fn::Select, {mask, score, graph.constant(-INFINITY, type)},
                  type);
}

/// Operands q [.., i, d], k [.., j, d], v [.., j, e], optionally a mask, and
/// the destination. Keys and values may have fewer heads (the last of the
/// leading dimensions), each for neighbouring query heads.
static Expr *tmTensor(Graph &graph, OpResult result, const Coords &at) {
  Operation *op = result.getOwner();
  if (op->getNumOperands() < 4 || op->getNumOperands() > 5 || at.size() < 2)
    return nullptr;
  size_t lead = at.size() - 2;
  RankedTensorType q = tensorType(op->getOperand(0)),
                   k = tensorType(op->getOperand(1));
  if (!q || !k || q.getRank() != k.getRank() ||
      q.getRank() != static_cast<int64_t>(at.size()))
    return nullptr;
  FusedAttention attention;
  Coord depth = graph.dimension(q.getShape().back());
  Coords row(at.begin(), at.begin() + lead + 1), shared(row);
  row.push_back(depth);
  for (size_t dim = 0; dim < lead; ++dim) {
    int64_t own = q.getDimSize(dim), theirs = k.getDimSize(dim);
    if (own == theirs)
      continue;
    if (ShapedType::isDynamic(own) || ShapedType::isDynamic(theirs) ||
        theirs == 0 || own % theirs)
      return nullptr;
    auto parts = graph.split(at[dim], {theirs, own / theirs});
    if (!parts)
      return nullptr;
    shared[dim] = (*parts)[0];
  }
  attention.depth = depth.digits;
  attention.keys = k.getDimSize(lead);
  Builder builder(op->getContext());
  attention.type = builder.getF32Type();
  double scale = 1 / std::sqrt(static_cast<double>(q.getShape().back()));
  if (auto given = dyn_cast_or_null<FloatAttr>(attributeOf(op, "scale")))
    scale = given.getValueAsDouble();
  attention.scale = graph.constant(scale, attention.type);
  attention.q = graph.load(op->getOperand(0), row);
  auto keyed = [&](unsigned operand, const Coord &key, const Coord &last) {
    Coords coords = shared;
    coords[lead] = key;
    coords.push_back(last);
    return graph.load(op->getOperand(operand), coords);
  };
  auto keyAt = [&](const Coord &key) { return keyed(1, key, depth); };
  auto valueAt = [&](const Coord &key) { return keyed(2, key, at.back()); };
  bool hasMask = op->getNumOperands() == 5;
  auto change = [&](Expr *score, const Coord &key) {
    if (!hasMask)
      return score;
    Coords coords(at.begin(), at.begin() + lead + 1);
    coords.push_back(key);
    Expr *mask = broadcastLoad(graph, op->getOperand(3), coords);
    return mask ? masked(graph, score, mask) : nullptr;
  };
  attention.k = keyAt;
  attention.v = valueAt;
  attention.change = change;
  return fusedAttention(graph, attention, tensorType(result).getElementType());
}

namespace {
/// iree_linalg_ext.attention: one map an operand, a region on the score.
class IreeAttention {
public:
  IreeAttention(Graph &graph, Operation *op) : graph(graph), op(op) {}
  Expr *element(OpResult result, const Coords &at);

private:
  bool readMaps();
  bool coordinatesOf(const Coords &at);
  Coords through(unsigned operand, const Coord &key);
  Expr *region(Expr *score, const Coord &key);

  Graph &graph;
  Operation *op;
  SmallVector<AffineMap> maps;
  Coords loops;
  int64_t keyDim = -1, depthDim = -1, keys = 0;
};
} // namespace

bool IreeAttention::readMaps() {
  auto attribute =
      dyn_cast_or_null<ArrayAttr>(attributeOf(op, "indexing_maps"));
  if (!attribute || attribute.size() != op->getNumOperands() ||
      attribute.size() < 5 || attribute.size() > 6)
    return false;
  for (Attribute entry : attribute) {
    auto map = dyn_cast<AffineMapAttr>(entry);
    if (!map || !map.getValue().isProjectedPermutation())
      return false;
    maps.push_back(map.getValue());
  }
  return true;
}

/// Loops of the result have its coordinates; of the other two, the keys are the
/// loop that V has, the depth the one that Q has.
bool IreeAttention::coordinatesOf(const Coords &at) {
  AffineMap result = maps.back();
  loops.assign(result.getNumDims(), Coord());
  llvm::SmallBitVector set(result.getNumDims());
  for (auto [place, expr] : llvm::enumerate(result.getResults())) {
    loops[cast<AffineDimExpr>(expr).getPosition()] = at[place];
    set.set(cast<AffineDimExpr>(expr).getPosition());
  }
  auto find = [&](unsigned operand, int64_t &dim, int64_t &extent) {
    for (auto [place, expr] : llvm::enumerate(maps[operand].getResults())) {
      unsigned position = cast<AffineDimExpr>(expr).getPosition();
      if (set.test(position))
        continue;
      dim = position;
      extent = tensorType(op->getOperand(operand)).getDimSize(place);
    }
    return dim >= 0;
  };
  int64_t depth = 0;
  if (!find(0, depthDim, depth) || !find(2, keyDim, keys) ||
      set.count() + 2 != result.getNumDims() || depthDim == keyDim)
    return false;
  loops[depthDim] = graph.dimension(depth);
  return true;
}

Coords IreeAttention::through(unsigned operand, const Coord &key) {
  Coords coords;
  for (AffineExpr expr : maps[operand].getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    coords.push_back(dim == keyDim ? key : loops[dim]);
  }
  return coords;
}

Expr *IreeAttention::region(Expr *score, const Coord &key) {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return nullptr;
  Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != 1)
    return nullptr;
  llvm::DenseMap<Value, Expr *> known;
  known[body.getArgument(0)] = score;
  for (Operation &inner : body) {
    if (&inner == &body.back())
      break;
    SmallVector<Expr *> args;
    for (Value operand : inner.getOperands()) {
      if (operand.getParentBlock() != &body)
        known[operand] = graph.scalar(operand);
      args.push_back(known.lookup(operand));
    }
    Expr *value = nullptr;
    auto dim = dyn_cast_or_null<IntegerAttr>(attributeOf(&inner, "dim"));
    if (inner.getName().getStringRef() == "iree_linalg_ext.index" && dim)
      value = graph.index(dim.getInt() == keyDim ? key : loops[dim.getInt()],
                          inner.getResult(0).getType());
    else if (inner.getNumResults() == 1 && inner.getNumOperands() == 0)
      value = graph.scalar(inner.getResult(0));
    else if (inner.getNumResults() == 1)
      value = defineScalar(graph, &inner, args, inner.getResult(0).getType());
    if (!value)
      return nullptr;
    known[inner.getResult(0)] = value;
  }
  return known.lookup(body.back().getOperand(0));
}

Expr *IreeAttention::element(OpResult result, const Coords &at) {
  if (!readMaps() || !coordinatesOf(at))
    return nullptr;
  FusedAttention attention;
  attention.depth = loops[depthDim].digits;
  attention.keys = keys;
  attention.type = Float32Type::get(op->getContext());
  attention.scale = graph.scalar(op->getOperand(3));
  attention.q = graph.load(op->getOperand(0), through(0, Coord()));
  auto keyAt = [&](const Coord &key) {
    return graph.load(op->getOperand(1), through(1, key));
  };
  auto valueAt = [&](const Coord &key) {
    return graph.load(op->getOperand(2), through(2, key));
  };
  auto change = [&](Expr *score, const Coord &key) -> Expr * {
    Expr *changed = region(score, key);
    if (!changed || maps.size() == 5)
      return changed;
    return masked(graph, changed,
                  graph.load(op->getOperand(4), through(4, key)));
  };
  attention.k = keyAt;
  attention.v = valueAt;
  attention.change = change;
  return fusedAttention(graph, attention, tensorType(result).getElementType());
}

Expr *mlir::fa::raising::defineFused(Graph &graph, OpResult result,
                                     const Coords &at) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  if (!tensorType(result))
    return nullptr;
  if (name == "tm_tensor.attention")
    return tmTensor(graph, result, at);
  if (name == "iree_linalg_ext.attention")
    return IreeAttention(graph, op).element(result, at);
  if (name == "onnx.Attention")
    return defineOnnxAttention(graph, result, at);
  return nullptr;
}
