// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Region.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::fa::raising;

bool ScoreReader::hasDot(Expr *expr) {
  if (expr == attention.dot)
    return true;
  auto [entry, isNew] = known.try_emplace(expr, false);
  if (!isNew)
    return entry->second;
  bool has = false;
  if (expr->kind == Kind::Load) {
    Expr *inner =
        graph.dependsOn(expr, attention.key) ? graph.expand(expr) : nullptr;
    has = inner && hasDot(inner);
  } else if (expr->kind == Kind::Fn) {
    for (Expr *arg : expr->args)
      has |= hasDot(arg);
  }
  return known[expr] = has;
}

std::optional<double> ScoreReader::multipleOf(Expr *expr) {
  expr = stripCasts(expr);
  if (expr == attention.dot)
    return 1;
  if (expr->kind == Kind::Load)
    return hasDot(expr) ? multipleOf(graph.expand(expr)) : std::nullopt;
  if ((!expr->is(Fn::Mul) && !expr->is(Fn::Div)) || caps.contains(expr))
    return std::nullopt;
  auto right = graph.constantOf(expr->args[1]);
  auto left =
      expr->is(Fn::Mul) ? graph.constantOf(expr->args[0]) : std::nullopt;
  if (!left && !right)
    return std::nullopt;
  auto inner = multipleOf(expr->args[right ? 0 : 1]);
  if (!inner)
    return std::nullopt;
  return expr->is(Fn::Div) ? *inner / *right
                           : *inner * (right ? *right : *left);
}

/// In cap * tanh(s / cap) the division is no part of the scale of s.
void ScoreReader::keepCap(Expr *tanh) {
  Expr *inner = stripCasts(tanh->args[0]);
  while (inner->kind == Kind::Load && hasDot(inner))
    inner = stripCasts(graph.expand(inner));
  if (!inner->is(Fn::Mul) && !inner->is(Fn::Div))
    return;
  auto right = graph.constantOf(inner->args[1]);
  auto rest = multipleOf(inner->args[right ? 0 : 1]);
  if (rest && (inner->is(Fn::Div) || *rest != 1))
    caps.insert(inner);
}

void ScoreReader::gather(Expr *expr, SmallVectorImpl<double> &factors) {
  if (!hasDot(expr))
    return;
  if (expr->is(Fn::Tanh))
    keepCap(expr);
  if (auto factor = multipleOf(expr)) {
    factors.push_back(*factor);
    return;
  }
  if (expr->kind == Kind::Load)
    return gather(graph.expand(expr), factors);
  for (Expr *arg : expr->args)
    gather(arg, factors);
}

double ScoreReader::commonFactor() {
  SmallVector<double> factors;
  gather(attention.scores, factors);
  bool same = !factors.empty() && llvm::all_equal(factors);
  return same ? factors[0] : 1;
}

AffineExpr RegionWriter::coordinate(const Coord &at) {
  MLIRContext *context = b.getContext();
  Axes heads = plan.queryHeads();
  const Axes *roles[] = {&plan.batch, &heads, &plan.row, &plan.key};
  Axes digits = atomsOf(at.digits);
  AffineExpr sum = getAffineConstantExpr(at.offset, context);
  for (auto [dim, role] : llvm::enumerate(roles))
    if (digits == *role && !digits.empty())
      return getAffineDimExpr(dim, context) + at.offset;
  int64_t weight = 1;
  for (Axis *axis : llvm::reverse(digits)) {
    if (ShapedType::isDynamic(weight))
      return nullptr;
    AffineExpr digit;
    for (auto [dim, role] : llvm::enumerate(roles)) {
      int64_t below = 1;
      for (Axis *own : llvm::reverse(*role)) {
        if (own == axis && !ShapedType::isDynamic(below)) {
          digit = getAffineDimExpr(dim, context).floorDiv(below);
          if (own != role->front())
            digit = digit % own->extent;
        }
        below =
            ShapedType::isDynamic(own->extent) || ShapedType::isDynamic(below)
                ? ShapedType::kDynamic
                : below * own->extent;
      }
    }
    if (!digit)
      return nullptr;
    sum = sum + digit * weight;
    weight = ShapedType::isDynamic(axis->extent) ? axis->extent
                                                 : weight * axis->extent;
  }
  return sum;
}

Value RegionWriter::writeIndex(const Coord &at) {
  AffineExpr expr = coordinate(at);
  if (!expr)
    return nullptr;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return arguments[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, constant.getValue());
  AffineMap map = AffineMap::get(4, 0, expr);
  SmallVector<Value> operands(arguments);
  affine::canonicalizeMapAndOperands(&map, &operands);
  return affine::AffineApplyOp::create(b, map, operands);
}

Value RegionWriter::toFloat(Value value) {
  Type type = value.getType(), f32 = b.getF32Type();
  if (!isa<FloatType>(type) || type == f32)
    return value;
  if (type.getIntOrFloatBitWidth() < 32)
    return arith::ExtFOp::create(b, f32, value);
  return arith::TruncFOp::create(b, f32, value);
}

Value RegionWriter::writeExtract(Value tensor, const Coords &at) {
  SmallVector<Value> indices;
  for (const Coord &coord : at) {
    Value index = writeIndex(coord);
    if (!index)
      return nullptr;
    indices.push_back(index);
  }
  Value element = tensor::ExtractOp::create(b, tensor, indices);
  return toFloat(element);
}

/// Coordinate arithmetic that is cheaper than a table of its results.
bool RegionWriter::isPositional(Expr *expr, unsigned depth) {
  if (depth > 12 || expr->kind == Kind::Literal || expr->kind == Kind::Reduce)
    return false;
  if (expr->kind == Kind::Load) {
    Expr *inner = graph.expand(expr);
    return inner && isPositional(inner, depth + 1);
  }
  return llvm::all_of(expr->args,
                      [&](Expr *arg) { return isPositional(arg, depth + 1); });
}

/// Reads nothing that is as large as the scores.
bool RegionWriter::isSmall(Expr *expr) {
  if (expr->kind == Kind::Reduce)
    return false;
  if (expr->kind == Kind::Load)
    return !(graph.dependsOn(expr, plan.key) &&
             graph.dependsOn(expr, plan.row)) ||
           isPositional(expr, 0);
  return llvm::all_of(expr->args, [&](Expr *arg) { return isSmall(arg); });
}

Value RegionWriter::writeLoad(Expr *load) {
  Expr *source = graph.seeThrough(load);
  if (source->kind != Kind::Load)
    return write(source);
  if (isPositional(source, 0))
    return write(graph.expand(source));
  return writeExtract(source->source, source->at);
}

Value RegionWriter::write(Expr *expr) {
  if (Value known = written.lookup(expr))
    return known;
  Value value;
  bool isFloat = isa<FloatType>(expr->type);
  if (reader && isFloat && reader->hasDot(expr)) {
    if (auto multiple = reader->multipleOf(expr)) {
      double rest = *multiple / factor;
      if (rest == 1)
        return score;
      Value number = arith::ConstantOp::create(b, b.getF32FloatAttr(rest));
      return written[expr] = arith::MulFOp::create(b, score, number);
    }
    if (expr->kind == Kind::Load)
      return written[expr] = write(graph.expand(expr));
  }
  switch (expr->kind) {
  case Kind::Constant:
    if (isFloat)
      value = arith::ConstantOp::create(b, b.getF32FloatAttr(expr->number));
    else
      value = arith::ConstantOp::create(
          b, cast<TypedAttr>(b.getIntegerAttr(
                 expr->type, static_cast<int64_t>(expr->number))));
    break;
  case Kind::Index:
    value = writeIndex(expr->at[0]);
    if (value && isFloat) {
      value = arith::IndexCastOp::create(b, b.getI64Type(), value);
      value = arith::SIToFPOp::create(b, b.getF32Type(), value);
    } else if (value && expr->type != value.getType()) {
      value = arith::IndexCastOp::create(b, expr->type, value);
    }
    break;
  case Kind::Load:
    value = writeLoad(expr);
    break;
  case Kind::Literal: {
    // The table stands outside of the op.
    Operation *attention = b.getInsertionBlock()->getParentOp();
    OpBuilder outside(attention);
    Value table = arith::ConstantOp::create(outside, b.getLoc(),
                                            cast<TypedAttr>(expr->literal));
    value = writeExtract(table, expr->at);
    break;
  }
  case Kind::Scalar:
    value = toFloat(expr->source);
    break;
  case Kind::Fn:
    value = writeOp(expr);
    break;
  case Kind::Reduce:
    break;
  }
  return written[expr] = value;
}

Value RegionWriter::write(const Condition &condition) {
  Expr *expr = condition.expr;
  if (condition.original && !isSmall(expr))
    expr = condition.original;
  Value value = write(expr);
  if (!value || !value.getType().isInteger(1))
    return nullptr;
  if (!condition.negated)
    return value;
  Value truth = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, value, truth);
}
