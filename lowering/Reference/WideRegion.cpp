// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Reference/WideRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace {

class Widener {
public:
  Widener(OpBuilder &builder, FloatType wide) : builder(builder), wide(wide) {}

  void map(Value from, Value to) { mapping.map(from, to); }

  /// The wide form of an f32 value, any other value as it is.
  Value get(Value value) {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    // Captured: not defined in the region.
    return value.getType().isF32() ? widen(value) : value;
  }

  void clone(Operation &op) {
    if (takesWide(&op))
      cloneWide(op);
    else
      cloneAsWritten(op);
  }

private:
  /// Whether `op` means the same on f64 as on f32.
  static bool takesWide(Operation *op) {
    return isa<math::MathDialect>(op->getDialect()) ||
           isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
               arith::RemFOp, arith::NegFOp, arith::MaximumFOp,
               arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
               arith::CmpFOp, arith::SelectOp, arith::FPToSIOp, arith::FPToUIOp,
               arith::SIToFPOp, arith::UIToFPOp>(op);
  }

  void cloneWide(Operation &op) {
    IRMapping operands;
    for (Value operand : op.getOperands())
      operands.map(operand, get(operand));
    Operation *copy = builder.clone(op, operands);
    for (auto [from, to] : llvm::zip(op.getResults(), copy->getResults())) {
      if (from.getType().isF32())
        to.setType(wide);
      map(from, to);
    }
  }

  void cloneAsWritten(Operation &op) {
    IRMapping operands;
    for (Value operand : op.getOperands())
      operands.map(operand, operand.getType().isF32() ? round(get(operand))
                                                      : get(operand));
    Operation *copy = builder.clone(op, operands);
    for (auto [from, to] : llvm::zip(op.getResults(), copy->getResults()))
      map(from, from.getType().isF32() ? widen(to) : Value(to));
  }

  Value widen(Value value) {
    if (wide.isF32())
      return value;
    return arith::ExtFOp::create(builder, value.getLoc(), wide, value);
  }
  Value round(Value value) {
    if (wide.isF32())
      return value;
    return arith::TruncFOp::create(builder, value.getLoc(),
                                   builder.getF32Type(), value);
  }

  OpBuilder &builder;
  FloatType wide;
  IRMapping mapping;
};

} // namespace

Value mlir::fa::cloneRegionWide(OpBuilder &builder, Region &region,
                                ValueRange arguments, FloatType wide) {
  Block &block = region.front();
  Widener widener(builder, wide);
  for (auto [from, to] : llvm::zip(block.getArguments(), arguments))
    widener.map(from, to);
  for (Operation &op : block.without_terminator())
    widener.clone(op);
  return widener.get(block.getTerminator()->getOperand(0));
}
