// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TOSA. Every binary op may repeat extent 1, so a product with ones is how a
// broadcast looks here.
#include "passes/Raise/Common.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::fa::raising;

static std::optional<Fn> elementwise(StringRef name) {
  static const llvm::StringMap<Fn> table = {
      {"add", Fn::Add},         {"sub", Fn::Sub},
      {"maximum", Fn::Max},     {"minimum", Fn::Min},
      {"exp", Fn::Exp},         {"log", Fn::Log},
      {"tanh", Fn::Tanh},       {"rsqrt", Fn::Rsqrt},
      {"abs", Fn::Abs},         {"floor", Fn::Floor},
      {"ceil", Fn::Ceil},       {"pow", Fn::Pow},
      {"erf", Fn::Erf},         {"select", Fn::Select},
      {"greater", Fn::Gt},      {"greater_equal", Fn::Ge},
      {"equal", Fn::Eq},        {"logical_and", Fn::And},
      {"logical_or", Fn::Or},   {"logical_xor", Fn::Xor},
      {"bitwise_and", Fn::And}, {"bitwise_or", Fn::Or},
      {"bitwise_xor", Fn::Xor}, {"intdiv", Fn::Div}};
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional<Fn>(found->second);
}

static bool isZero(Graph &graph, Value value) {
  RankedTensorType type = tensorType(value);
  return type &&
         graph.constantOf(graph.load(value, Coords(type.getRank()))) == 0.0;
}

static Expr *matmul(Graph &graph, Operation *op, const Coords &at) {
  for (Value zeroPoint : op->getOperands().drop_front(2))
    if (!isZero(graph, zeroPoint))
      return nullptr;
  Coord inner = graph.dimension(tensorType(op->getOperand(0)).getDimSize(2));
  return contraction(graph,
                     graph.load(op->getOperand(0), {at[0], at[1], inner}),
                     graph.load(op->getOperand(1), {at[0], inner, at[2]}),
                     inner.digits, getElementTypeOrSelf(op->getResult(0)));
}

static Expr *reduction(Graph &graph, Operation *op, StringRef kind,
                       const Coords &at) {
  static const llvm::StringMap<Fn> table = {{"max", Fn::Max},
                                            {"min", Fn::Min},
                                            {"sum", Fn::Add},
                                            {"all", Fn::And},
                                            {"any", Fn::Or}};
  auto found = table.find(kind);
  auto axis = dyn_cast_or_null<IntegerAttr>(attributeOf(op, "axis"));
  if (found == table.end() || !axis)
    return nullptr;
  return reducedOver(graph, found->second, op->getOperand(0), {axis.getInt()},
                     true, at);
}

/// tosa.tile repeats whole dimensions; only those of extent 1 leave no modulo.
static Expr *tile(Graph &graph, Operation *op, const Coords &at) {
  RankedTensorType from = tensorType(op->getOperand(0)),
                   to = tensorType(op->getResult(0));
  for (auto [inner, outer] : llvm::zip(from.getShape(), to.getShape()))
    if (inner != 1 && (inner != outer || ShapedType::isDynamic(inner)))
      return nullptr;
  return broadcastLoad(graph, op->getOperand(0), at);
}

static Expr *slice(Graph &graph, Operation *op, const Coords &at) {
  Operation *starts =
      op->getNumOperands() > 1 ? op->getOperand(1).getDefiningOp() : nullptr;
  auto numbers =
      starts ? integersOf(attributeOf(starts, "values")) : std::nullopt;
  return numbers ? sliced(graph, op->getOperand(0), *numbers, at) : nullptr;
}

static Expr *clamp(Graph &graph, Operation *op, const Coords &at) {
  auto low = dyn_cast_or_null<FloatAttr>(attributeOf(op, "min_val"));
  auto high = dyn_cast_or_null<FloatAttr>(attributeOf(op, "max_val"));
  if (!low || !high)
    return nullptr;
  Type type = getElementTypeOrSelf(op->getResult(0));
  Expr *above = graph.op(Fn::Max,
                         {graph.load(op->getOperand(0), at),
                          graph.constant(low.getValueAsDouble(), type)},
                         type);
  return graph.op(Fn::Min,
                  {above, graph.constant(high.getValueAsDouble(), type)}, type);
}

static Expr *castTo(Graph &graph, Value operand, Type type, const Coords &at) {
  // Rounds to nearest from float to integer, which a Cast does not.
  Type from = getElementTypeOrSelf(operand);
  if (isa<FloatType>(from) && !isa<FloatType>(type))
    return nullptr;
  return converted(graph, graph.load(operand, at), type);
}

Expr *mlir::fa::raising::defineTosa(Graph &graph, OpResult result,
                                    const Coords &at) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("tosa.") || op->getNumResults() != 1 ||
      !tensorType(result) || op->getNumOperands() == 0 ||
      !tensorType(op->getOperand(0)))
    return nullptr;
  Value first = op->getOperand(0);
  Type type = tensorType(result).getElementType();
  if (name == "matmul")
    return matmul(graph, op, at);
  if (name == "transpose") {
    auto permutation = integersOf(attributeOf(op, "perms"));
    return permutation ? transposed(graph, first, *permutation, at) : nullptr;
  }
  if (name == "reshape")
    return reshaped(graph, first, result, at);
  if (name == "identity")
    return graph.load(first, at);
  if (name == "slice")
    return slice(graph, op, at);
  if (name == "concat") {
    auto axis = dyn_cast_or_null<IntegerAttr>(attributeOf(op, "axis"));
    return axis ? concatenated(graph, op->getOperands(), axis.getInt(), at)
                : nullptr;
  }
  if (name == "tile")
    return tile(graph, op, at);
  if (name == "cast")
    return castTo(graph, first, type, at);
  if (name == "clamp")
    return clamp(graph, op, at);
  if (name.consume_front("reduce_"))
    return reduction(graph, op, name, at);
  if (name == "mul") {
    bool shifts =
        op->getNumOperands() == 3 && !isZero(graph, op->getOperand(2));
    return shifts ? nullptr
                  : broadcastOp(graph, Fn::Mul, op->getOperands().take_front(2),
                                at, type);
  }
  if (name == "reciprocal")
    return graph.op(Fn::Div, {graph.constant(1, type), graph.load(first, at)},
                    type);
  if (name == "negate")
    return graph.op(Fn::Mul, {graph.load(first, at), graph.constant(-1, type)},
                    type);
  if (name == "logical_not")
    return graph.isNot(graph.load(first, at));
  if (auto found = elementwise(name))
    return broadcastOp(graph, *found, op->getOperands(), at, type);
  return nullptr;
}
