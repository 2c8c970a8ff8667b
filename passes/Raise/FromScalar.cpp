// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar ops of arith and math, as they stand in linalg bodies and, element by
// element, on tensors.
#include "passes/Raise/FrontEnds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::fa::raising;

static std::optional<Fn> floatPredicate(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return Fn::Eq;
  case arith::CmpFPredicate::UNE:
    return Fn::Ne;
  case arith::CmpFPredicate::OLT:
    return Fn::Lt;
  case arith::CmpFPredicate::OLE:
    return Fn::Le;
  case arith::CmpFPredicate::OGT:
    return Fn::Gt;
  case arith::CmpFPredicate::OGE:
    return Fn::Ge;
  default:
    return std::nullopt;
  }
}

static std::optional<Fn> integerPredicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return Fn::Eq;
  case arith::CmpIPredicate::ne:
    return Fn::Ne;
  case arith::CmpIPredicate::slt:
    return Fn::Lt;
  case arith::CmpIPredicate::sle:
    return Fn::Le;
  case arith::CmpIPredicate::sgt:
    return Fn::Gt;
  case arith::CmpIPredicate::sge:
    return Fn::Ge;
  default:
    return std::nullopt;
  }
}

static std::optional<Fn> comparison(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    // Booleans have no order worth reading here.
    return getElementTypeOrSelf(compare.getLhs()).isInteger(1) &&
                   compare.getPredicate() != arith::CmpIPredicate::eq &&
                   compare.getPredicate() != arith::CmpIPredicate::ne
               ? std::nullopt
               : integerPredicate(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    if (compare.getPredicate() == arith::CmpFPredicate::UNO &&
        compare.getLhs() == compare.getRhs())
      return Fn::IsNan;
    return floatPredicate(compare.getPredicate());
  }
  return std::nullopt;
}

static std::optional<Fn> counterpart(StringRef name) {
  static const llvm::StringMap<Fn> table = {
      {"arith.addf", Fn::Add},
      {"arith.addi", Fn::Add},
      {"arith.subf", Fn::Sub},
      {"arith.subi", Fn::Sub},
      {"arith.mulf", Fn::Mul},
      {"arith.muli", Fn::Mul},
      {"arith.divf", Fn::Div},
      {"arith.divsi", Fn::Div},
      {"arith.floordivsi", Fn::FloorDiv},
      {"arith.remsi", Fn::Rem},
      {"arith.maximumf", Fn::Max},
      {"arith.maxnumf", Fn::Max},
      {"arith.maxsi", Fn::Max},
      {"arith.minimumf", Fn::Min},
      {"arith.minnumf", Fn::Min},
      {"arith.minsi", Fn::Min},
      {"arith.andi", Fn::And},
      {"arith.ori", Fn::Or},
      {"arith.xori", Fn::Xor},
      {"arith.select", Fn::Select},
      {"arith.extf", Fn::Cast},
      {"arith.truncf", Fn::Cast},
      {"arith.extsi", Fn::Cast},
      {"arith.extui", Fn::Cast},
      {"arith.sitofp", Fn::Cast},
      {"arith.uitofp", Fn::Cast},
      {"arith.fptosi", Fn::Cast},
      {"arith.index_cast", Fn::Cast},
      {"arith.trunci", Fn::Cast},
      {"math.exp", Fn::Exp},
      {"math.exp2", Fn::Exp2},
      {"math.log", Fn::Log},
      {"math.log2", Fn::Log2},
      {"math.tanh", Fn::Tanh},
      {"math.sqrt", Fn::Sqrt},
      {"math.rsqrt", Fn::Rsqrt},
      {"math.absf", Fn::Abs},
      {"math.floor", Fn::Floor},
      {"math.ceil", Fn::Ceil},
      {"math.erf", Fn::Erf},
      {"math.powf", Fn::Pow},
  };
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional<Fn>(found->second);
}

/// Casts whose value is not the same number: a boolean extended by its sign, an
/// unsigned number of more than one bit, a truncation.
static bool changesNumber(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0));
  if (isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    return from.isInteger(1);
  if (isa<arith::ExtUIOp, arith::UIToFPOp>(op))
    return !from.isInteger(1);
  if (isa<arith::TruncIOp>(op))
    return getElementTypeOrSelf(op->getResult(0)).isInteger(1);
  return false;
}

/// select(a > b, a, b) and its kin, as lowerings write a maximum.
static Expr *asMaximum(Graph &graph, ArrayRef<Expr *> args, Type type) {
  Expr *condition = args[0];
  if (condition->kind != Kind::Fn || condition->args.size() != 2 ||
      !isa<FloatType>(type))
    return nullptr;
  bool greater = condition->op == Fn::Gt || condition->op == Fn::Ge;
  bool less = condition->op == Fn::Lt || condition->op == Fn::Le;
  bool straight =
      condition->args[0] == args[1] && condition->args[1] == args[2];
  bool crossed = condition->args[0] == args[2] && condition->args[1] == args[1];
  if ((greater && straight) || (less && crossed))
    return graph.op(Fn::Max, {args[1], args[2]}, type);
  return nullptr;
}

Expr *mlir::fa::raising::defineScalar(Graph &graph, Operation *op,
                                      ArrayRef<Expr *> args, Type type) {
  if (llvm::is_contained(args, nullptr))
    return nullptr;
  if (auto found = comparison(op)) {
    if (*found == Fn::IsNan)
      return graph.op(Fn::IsNan, {args[0]}, type);
    return graph.op(*found, args, type);
  }
  if (isa<arith::NegFOp>(op))
    return graph.op(Fn::Mul, {args[0], graph.constant(-1, type)}, type);
  auto found = counterpart(op->getName().getStringRef());
  if (!found || changesNumber(op))
    return nullptr;
  if (*found == Fn::Select)
    if (Expr *maximum = asMaximum(graph, args, type))
      return maximum;
  return graph.op(*found, args, type);
}
