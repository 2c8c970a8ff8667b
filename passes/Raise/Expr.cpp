// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Expr.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fa::raising;

void mlir::fa::raising::appendAtoms(Axis *axis, Axes &atoms) {
  if (axis->parts.empty())
    atoms.push_back(axis);
  for (Axis *part : axis->parts)
    appendAtoms(part, atoms);
}

Axes mlir::fa::raising::atomsOf(const Axes &digits) {
  Axes atoms;
  for (Axis *axis : digits)
    appendAtoms(axis, atoms);
  return atoms;
}

int64_t mlir::fa::raising::extentOf(const Axes &digits) {
  int64_t product = 1;
  for (Axis *axis : atomsOf(digits)) {
    if (ShapedType::isDynamic(axis->extent))
      return ShapedType::kDynamic;
    product *= axis->extent;
  }
  return product;
}

double mlir::fa::raising::roundTo(Type type, double number) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return number;
  llvm::APFloat value(number);
  bool loses;
  value.convert(floatType.getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &loses);
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &loses);
  return value.convertToDouble();
}

static std::optional<double> evaluateUnary(Fn op, double x) {
  switch (op) {
  case Fn::Exp:
    return std::exp(x);
  case Fn::Exp2:
    return std::exp2(x);
  case Fn::Log:
    return std::log(x);
  case Fn::Log2:
    return std::log2(x);
  case Fn::Tanh:
    return std::tanh(x);
  case Fn::Sqrt:
    return std::sqrt(x);
  case Fn::Rsqrt:
    return 1 / std::sqrt(x);
  case Fn::Abs:
    return std::fabs(x);
  case Fn::Floor:
    return std::floor(x);
  case Fn::Ceil:
    return std::ceil(x);
  case Fn::Erf:
    return std::erf(x);
  case Fn::IsNan:
    return std::isnan(x);
  default:
    return std::nullopt;
  }
}

static std::optional<double> evaluateInteger(Fn op, double x, double y) {
  auto a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  switch (op) {
  case Fn::And:
    return a & b;
  case Fn::Or:
    return a | b;
  case Fn::Xor:
    return a ^ b;
  case Fn::Div:
    return b ? std::optional<double>(a / b) : std::nullopt;
  case Fn::Rem:
    return b ? std::optional<double>(a % b) : std::nullopt;
  case Fn::FloorDiv:
    return b ? std::optional<double>(std::floor(x / y)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static std::optional<double> evaluateBinary(Fn op, double x, double y) {
  switch (op) {
  case Fn::Add:
    return x + y;
  case Fn::Sub:
    return x - y;
  case Fn::Mul:
    return x * y;
  case Fn::Div:
    return x / y;
  case Fn::Max:
    return std::fmax(x, y);
  case Fn::Min:
    return std::fmin(x, y);
  case Fn::Pow:
    return std::pow(x, y);
  case Fn::Eq:
    return x == y;
  case Fn::Ne:
    return x != y;
  case Fn::Lt:
    return x < y;
  case Fn::Le:
    return x <= y;
  case Fn::Gt:
    return x > y;
  case Fn::Ge:
    return x >= y;
  default:
    return std::nullopt;
  }
}

std::optional<double> mlir::fa::raising::evaluate(Fn op, ArrayRef<double> args,
                                                  Type type) {
  std::optional<double> value;
  bool integers = type.isIntOrIndex();
  if (op == Fn::Select)
    value = args[0] != 0 ? args[1] : args[2];
  else if (op == Fn::Cast)
    // A float becomes an integer towards zero.
    value = integers && !type.isInteger(1) ? std::trunc(args[0]) : args[0];
  else if (args.size() == 1)
    value = evaluateUnary(op, args[0]);
  else if (integers && (value = evaluateInteger(op, args[0], args[1])))
    return value;
  else
    value = evaluateBinary(op, args[0], args[1]);
  return value ? std::optional<double>(roundTo(type, *value)) : value;
}

Expr *mlir::fa::raising::stripCasts(Expr *expr) {
  while (expr->is(Fn::Cast) && isa<FloatType>(expr->type) &&
         isa<FloatType>(expr->args[0]->type))
    expr = expr->args[0];
  return expr;
}
