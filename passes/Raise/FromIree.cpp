// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attention operators of IREE in generic form, by their definitions.
#include "passes/Raise/Attention.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fa::raising;

namespace {
/// iree_linalg_ext.attention: one map an operand, a region on the score; and
/// iree_linalg_ext.online_attention, which has the product before the division,
/// the maximum and the sum of each row.
class IreeAttention {
public:
  IreeAttention(Graph &graph, Operation *op)
      : graph(graph), op(op), results(op->getNumResults()) {}
  Expr *element(OpResult result, const Coords &at);

private:
  bool readMaps();
  bool startsNeutral();
  bool coordinatesOf(AffineMap result, const Coords &at);
  Expr *online(const FusedAttention &attention, unsigned which, Type type);
  Coords through(unsigned operand, const Coord &key);
  Expr *region(Expr *score, const Coord &key);

  Graph &graph;
  Operation *op;
  size_t results; // and as many destinations: 1, or 3
  SmallVector<AffineMap> maps;
  Coords loops;
  int64_t keyDim = -1, depthDim = -1, keys = 0;
};
} // namespace

bool IreeAttention::readMaps() {
  if (!hasOnlyAttributes(graph, op,
                         {"indexing_maps", "decomposition_config",
                          "lowering_config", "operandSegmentSizes"}))
    return false;
  graph.refuse(
      "expects indexing maps of q, k, v, the scale, perhaps a mask, and "
      "the result that are projected permutations");
  auto attribute =
      dyn_cast_or_null<ArrayAttr>(attributeOf(op, "indexing_maps"));
  if (!attribute || attribute.size() != op->getNumOperands() ||
      attribute.size() < 4 + results || attribute.size() > 5 + results)
    return false;
  for (auto [entry, operand] : llvm::zip(attribute, op->getOperands())) {
    auto map = dyn_cast<AffineMapAttr>(entry);
    RankedTensorType type = tensorType(operand);
    if (!map || !map.getValue().isProjectedPermutation() ||
        map.getValue().getNumResults() != (type ? type.getRank() : 0))
      return false;
    maps.push_back(map.getValue());
  }
  return true;
}

/// The destinations of online_attention are what its reductions start from.
bool IreeAttention::startsNeutral() {
  for (size_t which = 0; which < results; ++which) {
    Value init = op->getOperand(op->getNumOperands() - results + which);
    auto number =
        graph.constantOf(graph.load(init, graph.dimensions(tensorType(init))));
    bool neutral = number && (which == 1 ? *number <= kDropped : *number == 0);
    if (!neutral)
      return false;
  }
  return true;
}

/// Loops of `result` have its coordinates. Of the two that the product does not
/// have, the keys are the loop that V has, the depth the one that Q has.
bool IreeAttention::coordinatesOf(AffineMap result, const Coords &at) {
  AffineMap product = maps[maps.size() - results];
  if (result.getNumResults() != at.size() ||
      !llvm::all_of(maps, [&](AffineMap map) {
        return map.getNumDims() == result.getNumDims();
      }))
    return false;
  loops.assign(result.getNumDims(), Coord());
  llvm::SmallBitVector set(result.getNumDims());
  for (AffineExpr expr : product.getResults())
    set.set(cast<AffineDimExpr>(expr).getPosition());
  for (auto [place, expr] : llvm::enumerate(result.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = at[place];
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
  graph.refuse("expects a region of scalar operators on one score");
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
    if (inner.getName().getStringRef() == "iree_linalg_ext.index" && dim &&
        dim.getInt() >= 0 && dim.getInt() < static_cast<int64_t>(loops.size()))
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
  return body.back().getNumOperands() == 1
             ? known.lookup(body.back().getOperand(0))
             : nullptr;
}

Expr *IreeAttention::element(OpResult result, const Coords &at) {
  if ((results != 1 && results != 3) || !readMaps())
    return nullptr;
  if (results == 3 && !startsNeutral())
    return graph.refuse("expects destinations filled with 0, -inf and 0");
  unsigned which = result.getResultNumber();
  if (!coordinatesOf(maps[maps.size() - results + which], at))
    return graph.refuse("expects one loop of keys and one of head dimensions "
                        "besides those of the result");
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
    if (!changed || maps.size() == 4 + results)
      return changed;
    return masked(graph, changed,
                  graph.load(op->getOperand(4), through(4, key)));
  };
  attention.k = keyAt;
  attention.v = valueAt;
  attention.change = change;
  Type type = tensorType(result).getElementType();
  return results == 1 ? fusedAttention(graph, attention, type)
                      : online(attention, which, type);
}

/// The product, the maximum or the sum of online_attention.
Expr *IreeAttention::online(const FusedAttention &attention, unsigned which,
                            Type type) {
  auto largest = [&]() -> Expr * {
    Coord key = graph.dimension(keys);
    return graph.reduce(Fn::Max, key.digits, scoreOf(graph, attention, key));
  };
  if (which == 1)
    return converted(graph, largest(), type);
  Coord key = graph.dimension(keys);
  Expr *shifted = graph.op(Fn::Sub, {scoreOf(graph, attention, key), largest()},
                           attention.type);
  Expr *weight = graph.op(Fn::Exp, {shifted}, attention.type);
  if (which == 2)
    return converted(graph, graph.reduce(Fn::Add, key.digits, weight), type);
  Expr *value = attention.v(key);
  if (!value || !weight)
    return nullptr;
  return converted(graph,
                   contraction(graph, converted(graph, weight, value->type),
                               value, key.digits, attention.type),
                   type);
}

Expr *mlir::fa::raising::defineIreeAttention(Graph &graph, OpResult result,
                                             const Coords &at) {
  return IreeAttention(graph, result.getOwner()).element(result, at);
}
