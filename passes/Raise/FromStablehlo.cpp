// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO in generic form. The dialect need not be registered: its own
// attributes are read as text.
#include "passes/Raise/Common.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa::raising;

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// The list `name = [..]` in an attribute's text; empty where there is none.
static SmallVector<int64_t> listIn(StringRef text, StringRef name) {
  SmallVector<int64_t> numbers;
  size_t start = text.find((name + " = [").str());
  if (start == StringRef::npos)
    return numbers;
  StringRef rest = text.substr(start).split('[').second.split(']').first;
  SmallVector<StringRef> parts;
  rest.split(parts, ',', -1, false);
  for (StringRef part : parts) {
    int64_t number;
    if (!part.trim().getAsInteger(10, number))
      numbers.push_back(number);
  }
  return numbers;
}

static Expr *dotGeneral(Graph &graph, Operation *op, const Coords &at) {
  std::string text = textOf(attributeOf(op, "dot_dimension_numbers"));
  Value operands[] = {op->getOperand(0), op->getOperand(1)};
  SmallVector<int64_t> batch[] = {listIn(text, "lhs_batching_dimensions"),
                                  listIn(text, "rhs_batching_dimensions")};
  SmallVector<int64_t> sums[] = {listIn(text, "lhs_contracting_dimensions"),
                                 listIn(text, "rhs_contracting_dimensions")};
  if (batch[0].size() != batch[1].size() || sums[0].size() != sums[1].size() ||
      batch[0].size() > at.size())
    return nullptr;
  for (unsigned side : {0, 1})
    for (int64_t dim : llvm::concat<int64_t>(batch[side], sums[side]))
      if (dim < 0 || dim >= tensorType(operands[side]).getRank())
        return nullptr;
  Coords inner[2];
  Axes axes;
  size_t next = batch[0].size();
  for (unsigned side : {0, 1}) {
    RankedTensorType type = tensorType(operands[side]);
    if (!type)
      return nullptr;
    inner[side].resize(type.getRank());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(batch[side], dim) &&
          !llvm::is_contained(sums[side], dim)) {
        if (next == at.size())
          return nullptr;
        inner[side][dim] = at[next++];
      }
    for (auto [place, dim] : llvm::enumerate(batch[side]))
      inner[side][dim] = at[place];
    for (auto [place, dim] : llvm::enumerate(sums[side])) {
      if (side == 0) {
        inner[0][dim] = graph.dimension(type.getDimSize(dim));
        axes.append(inner[0][dim].digits);
      } else {
        inner[1][dim] = inner[0][sums[0][place]];
      }
    }
  }
  return contraction(graph, graph.load(operands[0], inner[0]),
                     graph.load(operands[1], inner[1]), axes,
                     getElementTypeOrSelf(op->getResult(0)));
}

static Expr *broadcastInDim(Graph &graph, Operation *op, const Coords &at) {
  auto dims = integersOf(attributeOf(op, "broadcast_dimensions"));
  RankedTensorType from = tensorType(op->getOperand(0)),
                   to = tensorType(op->getResult(0));
  if (!dims || !from || static_cast<int64_t>(dims->size()) != from.getRank())
    return nullptr;
  Coords inner;
  for (auto [dim, place] : llvm::enumerate(*dims)) {
    if (place < 0 || place >= to.getRank())
      return nullptr;
    bool repeated = from.getDimSize(dim) == 1;
    // A dynamic dimension might be 1 at run time.
    if (!repeated && from.getDimSize(dim) != to.getDimSize(place))
      return nullptr;
    inner.push_back(repeated ? Coord() : at[place]);
  }
  return graph.load(op->getOperand(0), inner);
}

static Expr *reduceOp(Graph &graph, Operation *op, const Coords &at) {
  static const llvm::StringMap<Fn> combiners = {
      {"stablehlo.add", Fn::Add},     {"stablehlo.maximum", Fn::Max},
      {"stablehlo.minimum", Fn::Min}, {"stablehlo.and", Fn::And},
      {"stablehlo.or", Fn::Or},       {"stablehlo.multiply", Fn::Mul}};
  auto dims = integersOf(attributeOf(op, "dimensions"));
  if (!dims || op->getNumOperands() != 2 || op->getNumRegions() != 1 ||
      !op->getRegion(0).hasOneBlock())
    return nullptr;
  Block &body = op->getRegion(0).front();
  if (body.getOperations().size() != 2 || body.front().getNumResults() != 1)
    return nullptr;
  Operation &combine = body.front();
  auto combiner = combiners.find(combine.getName().getStringRef());
  bool plain = combiner != combiners.end() && body.getNumArguments() == 2 &&
               combine.getNextNode() == &body.back() &&
               llvm::is_contained(combine.getOperands(), body.getArgument(0)) &&
               llvm::is_contained(combine.getOperands(), body.getArgument(1)) &&
               body.back().getNumOperands() == 1 &&
               body.back().getOperand(0) == combine.getResult(0);
  if (!plain)
    return nullptr;
  Fn kind = combiner->second;
  Expr *all = reducedOver(graph, kind, op->getOperand(0), *dims, false, at);
  auto start = graph.constantOf(graph.load(op->getOperand(1), {}));
  if (!all || !start)
    return nullptr;
  double neutral = kind == Fn::Max   ? -INFINITY
                   : kind == Fn::Min ? INFINITY
                                     : kind == Fn::And || kind == Fn::Mul;
  return *start == neutral
             ? all
             : graph.op(kind, {graph.constant(*start, all->type), all},
                        all->type);
}

static Expr *compare(Graph &graph, Operation *op, const Coords &at) {
  static const llvm::StringMap<Fn> directions = {
      {"EQ", Fn::Eq}, {"NE", Fn::Ne}, {"GE", Fn::Ge},
      {"GT", Fn::Gt}, {"LE", Fn::Le}, {"LT", Fn::Lt}};
  std::string text = textOf(attributeOf(op, "comparison_direction"));
  std::string type = textOf(attributeOf(op, "compare_type"));
  StringRef word = StringRef(text).rtrim('>').rsplit(' ').second;
  auto found = directions.find(word);
  if (found == directions.end())
    return nullptr;
  Type element = getElementTypeOrSelf(op->getOperand(0));
  bool ordered = found->second != Fn::Eq && found->second != Fn::Ne;
  if (ordered &&
      (StringRef(type).contains("UNSIGNED") ||
       StringRef(type).contains("TOTALORDER") || element.isInteger(1)))
    return nullptr;
  if (found->second == Fn::Ne && isa<FloatType>(element) &&
      op->getOperand(0) == op->getOperand(1))
    return graph.op(Fn::IsNan, {graph.load(op->getOperand(0), at)},
                    getElementTypeOrSelf(op->getResult(0)));
  return broadcastOp(graph, found->second, op->getOperands(), at,
                     getElementTypeOrSelf(op->getResult(0)));
}

static Expr *slice(Graph &graph, Operation *op, const Coords &at) {
  auto starts = integersOf(attributeOf(op, "start_indices"));
  auto strides = integersOf(attributeOf(op, "strides"));
  if (!starts || !strides ||
      llvm::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return nullptr;
  return sliced(graph, op->getOperand(0), *starts, at);
}

static Expr *clamped(Graph &graph, Operation *op, const Coords &at) {
  Type type = getElementTypeOrSelf(op->getResult(0));
  auto bound = [&](unsigned operand) {
    RankedTensorType shape = tensorType(op->getOperand(operand));
    return graph.load(op->getOperand(operand), shape.getRank() ? at : Coords{});
  };
  Expr *low =
      graph.op(Fn::Max, {graph.load(op->getOperand(1), at), bound(0)}, type);
  return graph.op(Fn::Min, {low, bound(2)}, type);
}

/// How many operands an op has, all of them tensors.
static unsigned operandsOf(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases({"constant", "iota"}, 0)
      .Cases({"transpose", "reshape", "broadcast_in_dim", "slice", "negate",
              "not", "exponential", "log", "tanh", "sqrt", "rsqrt", "abs",
              "floor", "ceil", "convert"},
             1)
      .Cases({"select", "clamp"}, 3)
      .Default(2);
}

static std::optional<Fn> elementwise(StringRef name) {
  static const llvm::StringMap<Fn> table = {
      {"add", Fn::Add},         {"subtract", Fn::Sub}, {"multiply", Fn::Mul},
      {"divide", Fn::Div},      {"maximum", Fn::Max},  {"minimum", Fn::Min},
      {"exponential", Fn::Exp}, {"log", Fn::Log},      {"tanh", Fn::Tanh},
      {"sqrt", Fn::Sqrt},       {"rsqrt", Fn::Rsqrt},  {"abs", Fn::Abs},
      {"floor", Fn::Floor},     {"ceil", Fn::Ceil},    {"power", Fn::Pow},
      {"and", Fn::And},         {"or", Fn::Or},        {"xor", Fn::Xor},
      {"convert", Fn::Cast},    {"remainder", Fn::Rem}};
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional<Fn>(found->second);
}

static Expr *selected(Graph &graph, Operation *op, const Coords &at) {
  // The condition may be one value for the whole tensor.
  bool whole = tensorType(op->getOperand(0)).getRank() == 0;
  Expr *condition = graph.load(op->getOperand(0), whole ? Coords{} : at);
  return graph.op(Fn::Select,
                  {condition, graph.load(op->getOperand(1), at),
                   graph.load(op->getOperand(2), at)},
                  getElementTypeOrSelf(op->getResult(0)));
}

Expr *mlir::fa::raising::defineStablehlo(Graph &graph, OpResult result,
                                         const Coords &at) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("stablehlo.") || op->getNumResults() != 1 ||
      !tensorType(result))
    return nullptr;
  if (name == "concatenate") {
    auto dim = dyn_cast_or_null<IntegerAttr>(attributeOf(op, "dimension"));
    return dim ? concatenated(graph, op->getOperands(), dim.getInt(), at)
               : nullptr;
  }
  if (!hasTensors(op, operandsOf(name)))
    return nullptr;
  Type type = tensorType(result).getElementType();
  if (name == "constant") {
    auto value = dyn_cast_or_null<ElementsAttr>(attributeOf(op, "value"));
    bool fits = value && value.getShapedType().getShape() ==
                             tensorType(result).getShape();
    return fits ? graph.literal(value, at) : nullptr;
  }
  if (name == "iota") {
    auto dim = dyn_cast_or_null<IntegerAttr>(attributeOf(op, "iota_dimension"));
    bool fits = dim && dim.getInt() >= 0 &&
                dim.getInt() < static_cast<int64_t>(at.size());
    return fits ? graph.index(at[dim.getInt()], type) : nullptr;
  }
  if (name == "transpose") {
    auto permutation = integersOf(attributeOf(op, "permutation"));
    return permutation ? transposed(graph, op->getOperand(0), *permutation, at)
                       : nullptr;
  }
  if (name == "reshape" || name == "dynamic_reshape")
    return reshaped(graph, op->getOperand(0), result, at);
  if (name == "broadcast_in_dim" || name == "dynamic_broadcast_in_dim")
    return broadcastInDim(graph, op, at);
  if (name == "dot_general")
    return dotGeneral(graph, op, at);
  if (name == "reduce")
    return reduceOp(graph, op, at);
  if (name == "compare")
    return compare(graph, op, at);
  if (name == "slice")
    return slice(graph, op, at);
  if (name == "select")
    return selected(graph, op, at);
  if (name == "clamp")
    return clamped(graph, op, at);
  if (name == "negate")
    return graph.op(
        Fn::Mul, {graph.load(op->getOperand(0), at), graph.constant(-1, type)},
        type);
  if (name == "not")
    return type.isInteger(1) ? graph.isNot(graph.load(op->getOperand(0), at))
                             : nullptr;
  if (auto found = elementwise(name))
    return broadcastOp(graph, *found, op->getOperands(), at, type);
  return nullptr;
}
