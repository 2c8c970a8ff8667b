// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops' text, effects and shapes.
#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Parts of the text of fa.attention
//===----------------------------------------------------------------------===//

/// `%o, %lse : type, type`; tensors among them are the op's results as well.
static ParseResult
parseOuts(OpAsmParser &parser,
          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &outs,
          SmallVectorImpl<Type> &types, SmallVectorImpl<Type> &results) {
  if (parser.parseOperandList(outs) || parser.parseColonTypeList(types))
    return failure();
  for (Type type : types)
    if (isa<TensorType>(type))
      results.push_back(type);
  return success();
}

static void printOuts(OpAsmPrinter &printer, Operation *, OperandRange outs,
                      TypeRange types, TypeRange) {
  printer << outs << " : " << types;
}

/// `%b, %h, %i of %sq`
static ParseResult
parseAt(OpAsmParser &parser,
        SmallVectorImpl<OpAsmParser::UnresolvedOperand> &at) {
  if (parser.parseOperandList(at, 3) || parser.parseKeyword("of"))
    return failure();
  return parser.parseOperand(at.emplace_back());
}

static void printAt(OpAsmPrinter &printer, Operation *, OperandRange at) {
  printer << at.drop_back() << " of " << at.back();
}

#define GET_OP_CLASSES
#include "dialect/Fa/FaOps.cpp.inc"

//===----------------------------------------------------------------------===//
// fa.attention
//===----------------------------------------------------------------------===//

float AttentionOp::getDefaultScale() {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(getQkDim())));
}

float AttentionOp::getScaleOrDefault() {
  FloatAttr operand;
  if (getScaleValue() && matchPattern(getScaleValue(), m_Constant(&operand)))
    return operand.getValue().convertToFloat();
  return getScale() ? getScale()->convertToFloat() : getDefaultScale();
}

MaskAttr AttentionOp::getMaskOrDefault() {
  if (getMask())
    return *getMask();
  return MaskAttr::get(getContext(), Alignment::TopLeft, /*causal=*/false,
                       std::nullopt, std::nullopt);
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  unsigned firstOut = getODSOperandIndexAndLength(3).first;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOut = operand.getOperandNumber() >= firstOut &&
                 operand.getOperandNumber() < firstOut + getOuts().size();
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

/// On tensors the op may be moved wherever its regions may be evaluated.
Speculation::Speculatability AttentionOp::getSpeculatability() {
  return isBufferized() ? Speculation::NotSpeculatable
                        : Speculation::RecursivelySpeculatable;
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  for (auto [result, out] : llvm::zip(getResults(), getOuts())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> dims;
    for (int64_t i = 0; i < type.getRank(); ++i)
      dims.push_back(tensor::getMixedSize(builder, getLoc(), out, i));
    shapes.push_back(std::move(dims));
  }
  return success();
}
