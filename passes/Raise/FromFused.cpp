// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused attention operators, by their definitions: what they share, and
// tm_tensor.attention.
#include "passes/Raise/Attention.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

Expr *mlir::fa::raising::scoreOf(Graph &graph, const FusedAttention &attention,
                                 const Coord &key) {
  Type type = attention.type;
  Expr *dot =
      contraction(graph, attention.q, attention.k(key), attention.depth, type);
  if (attention.scale)
    dot =
        graph.op(Fn::Mul, {dot, converted(graph, attention.scale, type)}, type);
  return dot ? attention.change(dot, key) : nullptr;
}

Expr *mlir::fa::raising::fusedAttention(Graph &graph,
                                        const FusedAttention &attention,
                                        Type result) {
  Type type = attention.type;
  auto score = [&](const Coord &key) { return scoreOf(graph, attention, key); };
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

bool mlir::fa::raising::hasOnlyAttributes(Graph &graph, Operation *op,
                                          ArrayRef<StringRef> known) {
  SmallVector<NamedAttribute> all(op->getAttrs());
  if (auto properties =
          dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    llvm::append_range(all, properties);
  for (NamedAttribute attribute : all) {
    StringRef name = attribute.getName().strref();
    if (llvm::is_contained(known, name) || name.contains('.'))
      continue;
    graph.refuse("expects attributes that are known here, got '" + name + "'");
    return false;
  }
  return true;
}

Expr *mlir::fa::raising::masked(Graph &graph, Expr *score, Expr *mask) {
  if (!score || !mask)
    return nullptr;
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
  if (!hasOnlyAttributes(graph, op,
                         {"operandSegmentSizes", "operand_segment_sizes",
                          "scale", "enable_gqa", "is_causal"}))
    return nullptr;
  if (op->getNumOperands() < 4 || op->getNumOperands() > 5 || at.size() < 2)
    return graph.refuse("expects 4 or 5 operands of rank 2 or more");
  size_t lead = at.size() - 2;
  if (!hasTensors(op, op->getNumOperands()))
    return graph.refuse("expects tensors as operands");
  RankedTensorType q = tensorType(op->getOperand(0)),
                   k = tensorType(op->getOperand(1));
  if (q.getRank() != k.getRank() ||
      q.getRank() != static_cast<int64_t>(at.size()))
    return graph.refuse("expects q, k and the result to have one rank");
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
      return graph.refuse("expects leading dimensions of the keys that divide "
                          "those of the queries");
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
  auto causal = dyn_cast_or_null<BoolAttr>(attributeOf(op, "is_causal"));
  if (attributeOf(op, "is_causal") && !causal)
    return graph.refuse("expects is_causal to be true or false");
  auto change = [&](Expr *score, const Coord &key) -> Expr * {
    // Aligned at the top left, as torch's operator.
    if (causal && causal.getValue()) {
      Type i64 = builder.getI64Type();
      Expr *kept =
          graph.op(Fn::Le, {graph.index(key, i64), graph.index(at[lead], i64)},
                   builder.getI1Type());
      score = masked(graph, score, kept);
    }
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

Expr *mlir::fa::raising::defineFused(Graph &graph, OpResult result,
                                     const Coords &at) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  if (!tensorType(result))
    return nullptr;
  if (name == "tm_tensor.attention")
    return tmTensor(graph, result, at);
  if (name == "iree_linalg_ext.attention" ||
      name == "iree_linalg_ext.online_attention")
    return defineIreeAttention(graph, result, at);
  if (name == "onnx.Attention")
    return defineOnnxAttention(graph, result, at);
  return nullptr;
}
