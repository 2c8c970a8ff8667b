// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ONNX operator Attention (opset 23 and 24): q, k, v, attn_mask, past_key,
// past_value, nonpad_kv_seqlen; y, present_key, present_value,
// qk_matmul_output.
#include "passes/Raise/Attention.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

namespace {
class OnnxAttention {
public:
  OnnxAttention(Graph &graph, Operation *op) : graph(graph), op(op) {}
  Expr *element(const Coords &at);

private:
  Value operand(unsigned i) {
    bool given = i < op->getNumOperands() &&
                 isa<RankedTensorType>(op->getOperand(i).getType());
    return given ? op->getOperand(i) : Value();
  }
  std::optional<double> numberOf(StringRef name);
  bool readShapes();
  bool extendCache();
  Value unpacked(Value packed, RankedTensorType past);
  Value concatenated(Value past, Value now, unsigned result);
  std::optional<Coords> headed(Value tensor, const Coord &head,
                               const Coord &position, const Coord &last);
  Expr *changed(Expr *score, const Coord &key);
  Expr *causal(const Coord &key);

  Graph &graph;
  Operation *op;
  Value k, v;
  int64_t heads = 0, sharedHeads = 0, depth = 0, cached = 0;
  Coord batch, head, row;
};
} // namespace

std::optional<double> OnnxAttention::numberOf(StringRef name) {
  Attribute attribute = attributeOf(op, name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return integer.getValue().getSExtValue();
  if (auto real = dyn_cast_or_null<FloatAttr>(attribute))
    return real.getValueAsDouble();
  return std::nullopt;
}

/// Heads from the shapes where these have a dimension for them, else from the
/// attributes.
bool OnnxAttention::readShapes() {
  graph.refuse(
      "expects static head counts, and query heads that are a multiple "
      "of key/value heads");
  RankedTensorType q = tensorType(operand(0)), keys = tensorType(k);
  if (!q || !keys || !tensorType(v) ||
      tensorType(operand(1)).getRank() != q.getRank() ||
      (q.getRank() != 3 && q.getRank() != 4))
    return false;
  if (q.getRank() == 4) {
    heads = q.getDimSize(1);
    sharedHeads = keys.getDimSize(1);
    depth = q.getDimSize(3);
  } else {
    heads = numberOf("q_num_heads").value_or(0);
    sharedHeads = keys.getRank() == 4 ? keys.getDimSize(1)
                                      : numberOf("kv_num_heads").value_or(0);
    if (heads <= 0 || ShapedType::isDynamic(q.getDimSize(2)))
      return false;
    depth = q.getDimSize(2) / heads;
  }
  return heads > 0 && sharedHeads > 0 && heads % sharedHeads == 0 && depth > 0;
}

/// [B, S, H * D] as [B, H, S, D], as the cache is; null where it does not fit.
Value OnnxAttention::unpacked(Value packed, RankedTensorType past) {
  RankedTensorType type = tensorType(packed);
  int64_t heads = past.getDimSize(1), last = past.getDimSize(3);
  if (type.getRank() != 3 || !type.hasStaticShape() ||
      heads * last != type.getDimSize(2) || heads <= 0)
    return nullptr;
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto apart = RankedTensorType::get(
      {type.getDimSize(0), type.getDimSize(1), heads, last},
      type.getElementType());
  SmallVector<ReassociationIndices> groups{{0}, {1}, {2, 3}};
  auto expanded = tensor::ExpandShapeOp::create(b, loc, apart, packed, groups);
  auto init = tensor::EmptyOp::create(
      b, loc,
      ArrayRef<int64_t>{type.getDimSize(0), heads, type.getDimSize(1), last},
      type.getElementType());
  auto transposed = linalg::TransposeOp::create(b, loc, expanded, init,
                                                ArrayRef<int64_t>{0, 2, 1, 3});
  for (Operation *made : {expanded.getOperation(), init.getOperation(),
                          transposed.getOperation()})
    graph.helpers.push_back(made);
  return transposed->getResult(0);
}

/// The operator appends keys and values to its cache; here a concatenation
/// does, whose result also takes the place of the operator's.
Value OnnxAttention::concatenated(Value past, Value now, unsigned result) {
  if (Value known = graph.aliases.lookup(op->getResult(result)))
    return known;
  if (tensorType(now).getRank() == 3)
    now = unpacked(now, tensorType(past));
  if (!now)
    return nullptr;
  OpBuilder builder(op);
  auto concat =
      tensor::ConcatOp::create(builder, op->getLoc(), 2, ValueRange{past, now});
  graph.helpers.push_back(concat);
  Value value = concat;
  Type wanted = op->getResult(result).getType();
  if (isa<RankedTensorType>(wanted) && wanted != value.getType()) {
    auto casted = tensor::CastOp::create(builder, op->getLoc(), wanted, value);
    graph.helpers.push_back(casted);
    value = casted;
  }
  graph.replaceOnSuccess(op->getResult(result), value);
  return value;
}

bool OnnxAttention::extendCache() {
  k = operand(1);
  v = operand(2);
  if (!k || !v)
    return false;
  if (!operand(4) && !operand(5))
    return true;
  RankedTensorType past = tensorType(operand(4));
  graph.refuse(
      "expects past keys and values of rank 4 and of static length, and "
      "results for both");
  if (!operand(4) || !operand(5) || past.getRank() != 4 ||
      tensorType(operand(5)).getRank() != 4 || tensorType(k).getRank() < 3 ||
      tensorType(v).getRank() < 3 || op->getNumResults() < 3 ||
      ShapedType::isDynamic(past.getDimSize(2)))
    return false;
  cached = past.getDimSize(2);
  k = concatenated(operand(4), k, 1);
  v = concatenated(operand(5), v, 2);
  return k && v;
}

std::optional<Coords> OnnxAttention::headed(Value tensor, const Coord &head,
                                            const Coord &position,
                                            const Coord &last) {
  if (tensorType(tensor).getRank() == 4)
    return Coords{batch, head, position, last};
  auto packed = graph.merge({head, last});
  return packed ? std::optional<Coords>({batch, position, *packed})
                : std::nullopt;
}

Expr *OnnxAttention::causal(const Coord &key) {
  Type i64 = IntegerType::get(op->getContext(), 64);
  Expr *last = graph.op(
      Fn::Add, {graph.index(row, i64), graph.constant(cached, i64)}, i64);
  return graph.op(Fn::Le, {graph.index(key, i64), last},
                  IntegerType::get(op->getContext(), 1));
}

Expr *OnnxAttention::changed(Expr *score, const Coord &key) {
  Type type = score->type;
  double softcap = numberOf("softcap").value_or(0);
  if (softcap != 0) {
    Expr *cap = graph.constant(softcap, type);
    Expr *inner = graph.op(Fn::Div, {score, cap}, type);
    score = graph.op(Fn::Mul, {graph.op(Fn::Tanh, {inner}, type), cap}, type);
  }
  Expr *lowest = graph.constant(-INFINITY, type);
  if (Value mask = operand(3)) {
    // A mask that is too short means more than a broadcast.
    if (tensorType(mask).getShape().back() !=
        tensorType(k).getDimSize(tensorType(k).getRank() == 4 ? 2 : 1))
      return graph.refuse("expects a mask for every key, got a shorter one");
    Expr *value = broadcastLoad(graph, mask, {batch, head, row, key});
    if (!value)
      return nullptr;
    score =
        value->type.isInteger(1)
            ? graph.op(Fn::Select, {value, score, lowest}, type)
            : graph.op(Fn::Add, {score, converted(graph, value, type)}, type);
  }
  if (Value lengths = operand(6)) {
    Type i64 = IntegerType::get(op->getContext(), 64);
    Expr *length = converted(graph, graph.load(lengths, {batch}), i64);
    Expr *exists = graph.op(Fn::Lt, {graph.index(key, i64), length},
                            IntegerType::get(op->getContext(), 1));
    score = graph.op(Fn::Select, {exists, score, lowest}, type);
  }
  if (numberOf("is_causal").value_or(0) != 0)
    score = graph.op(Fn::Select, {causal(key), score, lowest}, type);
  return score;
}

Expr *OnnxAttention::element(const Coords &at) {
  if (!hasOnlyAttributes(graph, op,
                         {"is_causal", "kv_num_heads", "q_num_heads",
                          "qk_matmul_output_mode", "scale", "softcap",
                          "softmax_precision", "onnx_node_name"}))
    return nullptr;
  if (op->getNumResults() > 3 && !op->getResult(3).use_empty())
    return graph.refuse("expects scores that nothing else reads, got a use of "
                        "qk_matmul_output");
  if (operand(6) && numberOf("is_causal").value_or(0) != 0)
    return graph.refuse(
        "expects nonpad_kv_seqlen or is_causal, got both (which "
        "moves the diagonal of each batch entry)");
  if (!extendCache() || !readShapes())
    return nullptr;
  if (at.size() != 3 && at.size() != 4)
    return graph.refuse("expects a result of rank 3 or 4");
  Coord last;
  if (at.size() == 4) {
    batch = at[0], head = at[1], row = at[2], last = at[3];
  } else {
    RankedTensorType values = tensorType(v);
    int64_t width = values.getRank() == 4 ? values.getDimSize(3)
                                          : values.getDimSize(2) / sharedHeads;
    auto parts = graph.split(at[2], {heads, width});
    if (!parts)
      return nullptr;
    batch = at[0], row = at[1], head = (*parts)[0], last = (*parts)[1];
  }
  auto groups = graph.split(head, {sharedHeads, heads / sharedHeads});
  Coord inner = graph.dimension(depth);
  auto own = headed(operand(0), head, row, inner);
  if (!groups || !own)
    return nullptr;
  FusedAttention attention;
  attention.depth = inner.digits;
  attention.keys =
      tensorType(k).getDimSize(tensorType(k).getRank() == 4 ? 2 : 1);
  attention.type = Float32Type::get(op->getContext());
  attention.scale = graph.constant(
      numberOf("scale").value_or(1 / std::sqrt(static_cast<double>(depth))),
      attention.type);
  attention.q = graph.load(operand(0), *own);
  auto read = [&](Value tensor, const Coord &key, const Coord &last) -> Expr * {
    auto coords = headed(tensor, (*groups)[0], key, last);
    return coords ? graph.load(tensor, *coords) : nullptr;
  };
  auto keyAt = [&](const Coord &key) { return read(k, key, inner); };
  auto valueAt = [&](const Coord &key) { return read(v, key, last); };
  auto change = [&](Expr *score, const Coord &key) {
    return changed(score, key);
  };
  attention.k = keyAt;
  attention.v = valueAt;
  attention.change = change;
  return fusedAttention(graph, attention,
                        tensorType(op->getResult(0)).getElementType());
}

Expr *mlir::fa::raising::defineOnnxAttention(Graph &graph, OpResult result,
                                             const Coords &at) {
  if (result.getResultNumber() != 0)
    return nullptr;
  return OnnxAttention(graph, result.getOwner()).element(at);
}
