// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single operators of a region.
#include "passes/Raise/Region.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fa::raising;

Value RegionWriter::writeCast(Expr *expr, Value value) {
  Type from = value.getType(), to = expr->type;
  if (isa<FloatType>(to)) {
    if (isa<FloatType>(from))
      return value;
    if (isa<IndexType>(from))
      value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    if (from.isInteger(1))
      return arith::UIToFPOp::create(b, b.getF32Type(), value);
    return arith::SIToFPOp::create(b, b.getF32Type(), value);
  }
  if (isa<FloatType>(from))
    return to.isInteger(1) || isa<IndexType>(to)
               ? Value()
               : arith::FPToSIOp::create(b, to, value).getResult();
  if (from == to)
    return value;
  if (isa<IndexType>(from) || isa<IndexType>(to))
    return from.isInteger(1)
               ? arith::IndexCastUIOp::create(b, to, value).getResult()
               : arith::IndexCastOp::create(b, to, value).getResult();
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return to.isInteger(1) ? Value()
                           : arith::TruncIOp::create(b, to, value).getResult();
  return from.isInteger(1) ? arith::ExtUIOp::create(b, to, value).getResult()
                           : arith::ExtSIOp::create(b, to, value).getResult();
}

Value RegionWriter::writeFloat(Expr *expr, ArrayRef<Value> args) {
  using namespace arith;
  switch (expr->op) {
  case Fn::Add:
    return AddFOp::create(b, args[0], args[1]);
  case Fn::Sub:
    return SubFOp::create(b, args[0], args[1]);
  case Fn::Mul:
    return MulFOp::create(b, args[0], args[1]);
  case Fn::Div:
    return DivFOp::create(b, args[0], args[1]);
  case Fn::Max:
    return MaximumFOp::create(b, args[0], args[1]);
  case Fn::Min:
    return MinimumFOp::create(b, args[0], args[1]);
  case Fn::Exp:
    return math::ExpOp::create(b, args[0]);
  case Fn::Exp2:
    return math::Exp2Op::create(b, args[0]);
  case Fn::Log:
    return math::LogOp::create(b, args[0]);
  case Fn::Log2:
    return math::Log2Op::create(b, args[0]);
  case Fn::Tanh:
    return math::TanhOp::create(b, args[0]);
  case Fn::Sqrt:
    return math::SqrtOp::create(b, args[0]);
  case Fn::Rsqrt:
    return math::RsqrtOp::create(b, args[0]);
  case Fn::Abs:
    return math::AbsFOp::create(b, args[0]);
  case Fn::Floor:
    return math::FloorOp::create(b, args[0]);
  case Fn::Ceil:
    return math::CeilOp::create(b, args[0]);
  case Fn::Pow:
    return math::PowFOp::create(b, args[0], args[1]);
  default:
    return nullptr;
  }
}

Value RegionWriter::writeInteger(Expr *expr, ArrayRef<Value> args) {
  using namespace arith;
  switch (expr->op) {
  case Fn::Add:
    return AddIOp::create(b, args[0], args[1]);
  case Fn::Sub:
    return SubIOp::create(b, args[0], args[1]);
  case Fn::Mul:
    return MulIOp::create(b, args[0], args[1]);
  case Fn::Max:
    return MaxSIOp::create(b, args[0], args[1]);
  case Fn::Min:
    return MinSIOp::create(b, args[0], args[1]);
  case Fn::And:
    return AndIOp::create(b, args[0], args[1]);
  case Fn::Or:
    return OrIOp::create(b, args[0], args[1]);
  case Fn::Xor:
    return XOrIOp::create(b, args[0], args[1]);
  default:
    break;
  }
  // A division only where it cannot fault.
  auto divisor = graph.constantOf(expr->args[1]);
  if (!divisor || *divisor <= 0)
    return nullptr;
  if (expr->op == Fn::Div)
    return DivSIOp::create(b, args[0], args[1]);
  if (expr->op == Fn::FloorDiv)
    return FloorDivSIOp::create(b, args[0], args[1]);
  return expr->op == Fn::Rem ? RemSIOp::create(b, args[0], args[1]).getResult()
                             : Value();
}

Value RegionWriter::writeOp(Expr *expr) {
  using namespace arith;
  SmallVector<Value> args;
  for (Expr *arg : expr->args) {
    args.push_back(write(arg));
    if (!args.back())
      return nullptr;
  }
  if (expr->op == Fn::Cast)
    return writeCast(expr, args[0]);
  if (expr->op == Fn::Select)
    return SelectOp::create(b, args[0], args[1], args[2]);
  if (expr->op == Fn::IsNan)
    return CmpFOp::create(b, CmpFPredicate::UNO, args[0], args[0]);
  if (expr->op >= Fn::Eq && expr->op <= Fn::Ge) {
    static constexpr CmpFPredicate floats[] = {
        CmpFPredicate::OEQ, CmpFPredicate::UNE, CmpFPredicate::OLT,
        CmpFPredicate::OLE, CmpFPredicate::OGT, CmpFPredicate::OGE};
    static constexpr CmpIPredicate integers[] = {
        CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::slt,
        CmpIPredicate::sle, CmpIPredicate::sgt, CmpIPredicate::sge};
    size_t which = static_cast<size_t>(expr->op) - static_cast<size_t>(Fn::Eq);
    if (isa<FloatType>(args[0].getType()))
      return CmpFOp::create(b, floats[which], args[0], args[1]);
    return CmpIOp::create(b, integers[which], args[0], args[1]);
  }
  return isa<FloatType>(expr->type) ? writeFloat(expr, args)
                                    : writeInteger(expr, args);
}
