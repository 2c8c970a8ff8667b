// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX operators in generic form, all but Attention.
#include "passes/Raise/FromOnnx.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fa::raising;

static bool isNone(Value value) { return isa<NoneType>(value.getType()); }

/// Axes given by an attribute, or by a constant operand.
static std::optional<SmallVector<int64_t>> axesOf(Operation *op,
                                                  unsigned operand) {
  if (auto axes = integersOf(attributeOf(op, "axes")))
    return axes;
  if (operand >= op->getNumOperands() || isNone(op->getOperand(operand)))
    return std::nullopt;
  Operation *producer = op->getOperand(operand).getDefiningOp();
  return producer ? integersOf(attributeOf(producer, "value")) : std::nullopt;
}

static Expr *matmul(Graph &graph, Operation *op, OpResult result,
                    const Coords &at) {
  RankedTensorType lhs = tensorType(op->getOperand(0)),
                   rhs = tensorType(op->getOperand(1));
  if (!lhs || !rhs || lhs.getRank() < 2 || rhs.getRank() < 2 || at.size() < 2)
    return nullptr;
  Coord inner = graph.dimension(lhs.getDimSize(lhs.getRank() - 1));
  Coords left = at, right = at;
  left.back() = inner;
  right[right.size() - 2] = inner;
  return contraction(graph, broadcastLoad(graph, op->getOperand(0), left),
                     broadcastLoad(graph, op->getOperand(1), right),
                     inner.digits, tensorType(result).getElementType());
}

static Expr *softmax(Graph &graph, Operation *op, int64_t axis,
                     const Coords &at) {
  RankedTensorType type = tensorType(op->getOperand(0));
  if (!type)
    return nullptr;
  if (axis < 0)
    axis += type.getRank();
  if (axis < 0 || axis >= static_cast<int64_t>(at.size()))
    return nullptr;
  auto score = [&](const Coord &key) {
    Coords coords = at;
    coords[axis] = key;
    return graph.load(op->getOperand(0), coords);
  };
  return graph.softmax(score, at[axis], type.getDimSize(axis));
}

static Expr *reduction(Graph &graph, Operation *op, StringRef kind,
                       const Coords &at) {
  static const llvm::StringMap<Fn> table = {
      {"Max", Fn::Max}, {"Min", Fn::Min}, {"Sum", Fn::Add}};
  // Names of older versions end in V and the version.
  StringRef plain = kind.take_until([](char c) { return c == 'V'; });
  auto found = table.find(plain);
  auto axes = axesOf(op, 1);
  // No axes at all mean all of them, or none; that is not read here.
  if (found == table.end() || !axes || axes->empty())
    return nullptr;
  bool keeps = integerOf(op, "keepdims").value_or(1) != 0;
  return reducedOver(graph, found->second, op->getOperand(0), *axes, keeps, at);
}

static Expr *castTo(Graph &graph, Value operand, Type type, const Coords &at) {
  Expr *value = graph.load(operand, at);
  if (!value)
    return nullptr;
  if (type.isInteger(1) && !value->type.isInteger(1))
    return graph.op(Fn::Ne, {value, graph.constant(0, value->type)}, type);
  return converted(graph, value, type);
}

/// Keeps the triangle on or below (above, if `upper`) the diagonal k.
static Expr *trilu(Graph &graph, Operation *op, Type type, const Coords &at) {
  if (at.size() < 2)
    return nullptr;
  double offset = 0;
  if (op->getNumOperands() > 1 && !isNone(op->getOperand(1))) {
    RankedTensorType shape = tensorType(op->getOperand(1));
    if (!shape)
      return nullptr;
    auto number = graph.constantOf(
        graph.load(op->getOperand(1), Coords(shape.getRank())));
    if (!number)
      return nullptr;
    offset = *number;
  }
  Builder builder(op->getContext());
  Type i64 = builder.getI64Type();
  Expr *row = graph.index(at[at.size() - 2], i64);
  Expr *column = graph.index(at.back(), i64);
  Expr *diagonal = graph.op(Fn::Add, {row, graph.constant(offset, i64)}, i64);
  bool upper = integerOf(op, "upper").value_or(1) != 0;
  Expr *kept = graph.op(upper ? Fn::Ge : Fn::Le, {column, diagonal},
                        builder.getI1Type());
  return graph.op(
      Fn::Select,
      {kept, graph.load(op->getOperand(0), at), graph.constant(0, type)}, type);
}

static Expr *range(Graph &graph, Operation *op, Type type, const Coords &at) {
  for (auto [place, wanted] : {std::pair(0, 0.0), std::pair(2, 1.0)}) {
    RankedTensorType shape = tensorType(op->getOperand(place));
    if (graph.constantOf(graph.load(op->getOperand(place),
                                    Coords(shape.getRank()))) != wanted)
      return nullptr;
  }
  return isa<FloatType>(type) ? nullptr : graph.index(at[0], type);
}

/// How many operands an operator has at least.
static unsigned operandsOf(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases({"MatMul", "Sub", "Add", "Mul", "Div", "Pow", "And", "Or", "Xor",
              "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal",
              "Reshape", "Expand"},
             2)
      .Cases({"Where", "Range"}, 3)
      .Default(1);
}

static std::optional<Fn> elementwise(StringRef name) {
  static const llvm::StringMap<Fn> table = {
      {"Add", Fn::Add},     {"Sub", Fn::Sub},           {"Mul", Fn::Mul},
      {"Div", Fn::Div},     {"Exp", Fn::Exp},           {"Log", Fn::Log},
      {"Tanh", Fn::Tanh},   {"Sqrt", Fn::Sqrt},         {"Abs", Fn::Abs},
      {"Floor", Fn::Floor}, {"Ceil", Fn::Ceil},         {"Erf", Fn::Erf},
      {"Pow", Fn::Pow},     {"And", Fn::And},           {"Or", Fn::Or},
      {"Xor", Fn::Xor},     {"Where", Fn::Select},      {"Greater", Fn::Gt},
      {"Less", Fn::Lt},     {"GreaterOrEqual", Fn::Ge}, {"LessOrEqual", Fn::Le},
      {"Equal", Fn::Eq},    {"IsNaN", Fn::IsNan}};
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional<Fn>(found->second);
}

static Expr *variadic(Graph &graph, Fn kind, Operation *op, Type type,
                      const Coords &at) {
  Expr *all = nullptr;
  for (Value operand : op->getOperands()) {
    Expr *value = broadcastLoad(graph, operand, at);
    all = all ? graph.op(kind, {all, value}, type) : value;
  }
  return all;
}

static Expr *defineView(Graph &graph, OpResult result, StringRef name,
                        const Coords &at) {
  Operation *op = result.getOwner();
  Value first = op->getOperand(0);
  if (name == "Transpose") {
    auto permutation = integersOf(attributeOf(op, "perm"));
    return permutation ? transposed(graph, first, *permutation, at) : nullptr;
  }
  if (name == "Unsqueeze" || name == "Squeeze" || name == "UnsqueezeV11" ||
      name == "SqueezeV11")
    return unitsChanged(graph, first, result, at);
  if (name == "Reshape")
    return onnxReshape(graph, result, at);
  if (name == "Flatten")
    return reshaped(graph, first, result, at);
  if (name == "Dim" || name == "Shape" || name == "Gather")
    return onnxExtent(graph, result, at);
  if (name == "Slice")
    return onnxSlice(graph, result, at);
  if (name == "Concat")
    return onnxConcat(graph, result, at);
  if (name == "Expand")
    return broadcastLoad(graph, first, at);
  // Not one that forgets or asserts a size: the ops to come need it.
  return name == "Identity" && first.getType() == result.getType()
             ? graph.load(first, at)
             : nullptr;
}

static Expr *defineValue(Graph &graph, OpResult result, StringRef name,
                         const Coords &at) {
  Operation *op = result.getOwner();
  Value first = op->getOperand(0);
  Type type = tensorType(result).getElementType();
  if (name == "MatMul")
    return matmul(graph, op, result, at);
  if (name == "Softmax")
    return softmax(graph, op, integerOf(op, "axis").value_or(-1), at);
  if (name == "Cast")
    return castTo(graph, first, type, at);
  if (name == "Not")
    return graph.isNot(graph.load(first, at));
  if (name == "Neg")
    return graph.op(Fn::Mul, {graph.load(first, at), graph.constant(-1, type)},
                    type);
  if (name == "Reciprocal")
    return graph.op(Fn::Div, {graph.constant(1, type), graph.load(first, at)},
                    type);
  if (name == "Max" || name == "Min" || name == "Sum")
    return variadic(graph,
                    name == "Max"   ? Fn::Max
                    : name == "Min" ? Fn::Min
                                    : Fn::Add,
                    op, type, at);
  if (name == "Trilu")
    return trilu(graph, op, type, at);
  if (name == "Range")
    return range(graph, op, type, at);
  if (name.consume_front("Reduce"))
    return reduction(graph, op, name, at);
  if (auto found = elementwise(name))
    return broadcastOp(graph, *found, op->getOperands(), at, type);
  return nullptr;
}

Expr *mlir::fa::raising::defineOnnx(Graph &graph, OpResult result,
                                    const Coords &at) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("onnx.") || op->getNumResults() != 1 ||
      !tensorType(result))
    return nullptr;
  if (name == "Constant" || name == "ConstantOfShape") {
    auto value = dyn_cast_or_null<ElementsAttr>(attributeOf(op, "value"));
    bool fits =
        value && (value.isSplat() ||
                  (name == "Constant" && value.getShapedType().getShape() ==
                                             tensorType(result).getShape()));
    return fits ? graph.literal(value, at) : nullptr;
  }
  if (op->getNumOperands() < operandsOf(name) ||
      !llvm::all_of(op->getOperands().take_front(operandsOf(name)),
                    [](Value value) { return tensorType(value) != nullptr; }))
    return nullptr;
  if (Expr *view = defineView(graph, result, name, at))
    return view;
  return defineValue(graph, result, name, at);
}
