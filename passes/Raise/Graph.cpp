// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making, folding and expanding expressions.
#include "passes/Raise/Graph.h"

#include "passes/Raise/FrontEnds.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa::raising;

Expr *Graph::make(Kind kind, Type type) {
  Expr &expr = exprStore.emplace_back();
  expr.kind = kind;
  expr.type = type;
  return &expr;
}

Expr *Graph::constant(double number, Type type) {
  Expr *expr = make(Kind::Constant, type);
  expr->number = roundTo(type, number);
  return expr;
}

Expr *Graph::index(const Coord &at, Type type) {
  if (at.digits.empty())
    return constant(at.offset, type);
  Expr *expr = make(Kind::Index, type);
  expr->at = {at};
  return expr;
}

static std::optional<double> numberOf(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(1)
               ? integer.getValue().getZExtValue()
               : static_cast<double>(integer.getValue().getSExtValue());
  return std::nullopt;
}

Expr *Graph::scalar(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    Attribute attribute;
    if (matchPattern(op, m_Constant(&attribute)))
      if (auto number = numberOf(attribute))
        return constant(*number, value.getType());
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (extract && extract.getIndices().empty())
      return load(extract.getTensor(), {});
    // Arithmetic on scalars, as exporters leave it around sizes and scales.
    SmallVector<Expr *> args;
    if (op->getNumRegions() == 0 && op->getNumResults() == 1 &&
        op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : op->getOperands())
        args.push_back(scalar(operand));
    if (!args.empty())
      if (Expr *made = defineScalar(*this, op, args, value.getType()))
        return made;
  }
  Expr *expr = make(Kind::Scalar, value.getType());
  expr->source = value;
  return expr;
}

Expr *Graph::load(Value tensor, const Coords &at) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  // Ops that are not registered have not been verified.
  if (!type || type.getRank() != static_cast<int64_t>(at.size()))
    return nullptr;
  Expr *expr = make(Kind::Load, type.getElementType());
  expr->source = tensor;
  expr->at = at;
  // Constants at once, so that a product with ones folds to the other factor.
  Operation *op = tensor.getDefiningOp();
  if (op && op->getNumOperands() == 0 && op->getNumRegions() == 0)
    if (Expr *value = expand(expr); value && value->isConstant())
      return value;
  return expr;
}

/// The number that `value`, along its only dimension of more than one element,
/// counts up from.
static std::optional<int64_t> countsFrom(ElementsAttr value) {
  auto numbers = dyn_cast<DenseIntElementsAttr>(value);
  auto shape = cast<ShapedType>(value.getType()).getShape();
  if (!numbers || numbers.getElementType().isInteger(1) ||
      llvm::count_if(shape, [](int64_t extent) { return extent != 1; }) != 1)
    return std::nullopt;
  int64_t first = (*numbers.value_begin<APInt>()).getSExtValue(), next = first;
  for (const APInt &number : numbers.getValues<APInt>())
    if (number.getSExtValue() != next++)
      return std::nullopt;
  return first;
}

Expr *Graph::literal(ElementsAttr value, const Coords &at) {
  Type type = value.getElementType();
  if (value.isSplat())
    if (auto number = numberOf(value.getSplatValue<Attribute>()))
      return constant(*number, type);
  if (auto first = countsFrom(value))
    for (auto [coord, extent] :
         llvm::zip(at, cast<ShapedType>(value.getType()).getShape()))
      if (extent != 1)
        return op(Fn::Add, {index(coord, type), constant(*first, type)}, type);
  Expr *expr = make(Kind::Literal, type);
  expr->literal = value;
  expr->at = at;
  return expr;
}

Expr *Graph::fold(Fn op, ArrayRef<Expr *> args, Type type) {
  auto isNumber = [&](Expr *expr, double number) {
    return expr->isConstant() && expr->number == number;
  };
  switch (op) {
  case Fn::Mul:
    return isNumber(args[1], 1)   ? args[0]
           : isNumber(args[0], 1) ? args[1]
                                  : nullptr;
  case Fn::Add:
    return isNumber(args[1], 0)   ? args[0]
           : isNumber(args[0], 0) ? args[1]
                                  : nullptr;
  case Fn::Sub:
    return isNumber(args[1], 0) ? args[0] : nullptr;
  case Fn::Div:
    return isNumber(args[1], 1) ? args[0] : nullptr;
  case Fn::Pow:
    // How an exponential to the base 2 looks where there is no operator for it.
    return constantOf(args[0]) == 2.0 ? this->op(Fn::Exp2, {args[1]}, type)
                                      : nullptr;
  case Fn::Cast:
    return args[0]->type == type ? args[0] : nullptr;
  case Fn::Select:
    return args[1] == args[2]      ? args[1]
           : args[0]->isConstant() ? args[args[0]->number ? 1 : 2]
                                   : nullptr;
  case Fn::And:
  case Fn::Or: {
    // The neutral value of `and` is true, of `or` false.
    double neutral = op == Fn::And && type.isInteger(1);
    if (op == Fn::And && !type.isInteger(1))
      return nullptr;
    return isNumber(args[1], neutral)   ? args[0]
           : isNumber(args[0], neutral) ? args[1]
                                        : nullptr;
  }
  default:
    return nullptr;
  }
}

Expr *Graph::op(Fn op, ArrayRef<Expr *> args, Type type) {
  SmallVector<double> numbers;
  for (Expr *arg : args) {
    if (!arg)
      return nullptr;
    if (arg->isConstant())
      numbers.push_back(arg->number);
  }
  if (numbers.size() == args.size())
    if (auto number = evaluate(op, numbers, type))
      return constant(*number, type);
  if (Expr *folded = fold(op, args, type))
    return folded;
  Expr *expr = make(Kind::Fn, type);
  expr->op = op;
  expr->args.assign(args.begin(), args.end());
  return expr;
}

Expr *Graph::reduce(Fn op, const Axes &axes, Expr *body) {
  if (!body || axes.empty())
    return body;
  Expr *expr = make(Kind::Reduce, body->type);
  expr->op = op;
  expr->axes = axes;
  expr->args = {body};
  return expr;
}

Expr *Graph::isNot(Expr *condition) {
  if (!condition)
    return nullptr;
  return op(Fn::Xor, {condition, constant(1, condition->type)},
            condition->type);
}

Expr *Graph::softmax(llvm::function_ref<Expr *(const Coord &)> score,
                     const Coord &key, int64_t keys) {
  auto exponential = [&](const Coord &at) {
    Coord other = dimension(keys);
    Expr *value = score(at);
    if (!value)
      return value;
    Expr *maximum = reduce(Fn::Max, other.digits, score(other));
    Expr *shifted = op(Fn::Sub, {value, maximum}, value->type);
    return op(Fn::Exp, {shifted}, value->type);
  };
  Coord other = dimension(keys);
  Expr *above = exponential(key);
  if (!above)
    return nullptr;
  Expr *sum = reduce(Fn::Add, other.digits, exponential(other));
  return op(Fn::Div, {above, sum}, above->type);
}

Expr *Graph::expand(Expr *load) {
  if (load->kind != Kind::Load)
    return nullptr;
  auto result = dyn_cast<OpResult>(load->source);
  if (!result)
    return nullptr;
  Key key{load->source.getAsOpaquePointer(), {}};
  for (const Coord &at : load->at) {
    for (Axis *atom : atomsOf(at.digits))
      key.second.push_back(atom);
    key.second.push_back(nullptr);
    key.second.push_back(reinterpret_cast<void *>(at.offset));
  }
  auto known = definitions.find(key);
  if (known != definitions.end())
    return known->second;
  visited.insert(load->source);
  return definitions[key] = define(*this, result, load->at);
}

Expr *Graph::seeThrough(Expr *expr) {
  while (expr->kind == Kind::Load) {
    Expr *next = expand(expr);
    if (!next)
      return expr;
    Expr *below = stripCasts(next);
    if (below->kind == Kind::Fn || below->kind == Kind::Reduce)
      return expr;
    expr = next;
  }
  return expr;
}

Expr *Graph::operatorOf(Expr *expr) {
  expr = stripCasts(expr);
  while (Expr *inner = expand(expr))
    expr = stripCasts(inner);
  return expr;
}

std::optional<double> Graph::constantOf(Expr *expr) {
  if (!expr)
    return std::nullopt;
  if (expr->isConstant())
    return expr->number;
  if (expr->kind == Kind::Load) {
    if (notConstant.contains(expr->source))
      return std::nullopt;
    Expr *next = expand(expr);
    auto number = next ? constantOf(next) : std::nullopt;
    if (!number)
      notConstant.insert(expr->source);
    return number;
  }
  if (expr->kind != Kind::Fn)
    return std::nullopt;
  SmallVector<double> numbers;
  for (Expr *arg : expr->args) {
    auto number = constantOf(arg);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return evaluate(expr->op, numbers, expr->type);
}

AxisSet Graph::axesOf(Expr *expr) {
  AxisSet axes;
  for (const Coord &at : expr->at)
    for (Axis *atom : atomsOf(at.digits))
      axes.insert(atom);
  for (Expr *arg : expr->args) {
    AxisSet inner = axesOf(arg);
    axes.insert(inner.begin(), inner.end());
  }
  if (expr->kind == Kind::Reduce)
    for (Axis *atom : atomsOf(expr->axes))
      axes.remove(atom);
  return axes;
}

bool Graph::dependsOn(Expr *expr, const Axes &axes) {
  AxisSet own = axesOf(expr);
  return llvm::any_of(atomsOf(axes),
                      [&](Axis *axis) { return own.contains(axis); });
}
