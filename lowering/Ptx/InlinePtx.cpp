// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Ptx/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

static SmallVector<Value> build(OpBuilder &builder, Location loc,
                                StringRef text, std::string constraints,
                                bool memory, TypeRange resultTypes,
                                ValueRange operands) {
  MLIRContext *context = builder.getContext();
  SmallVector<Type, 1> asmTypes;
  if (resultTypes.size() == 1)
    asmTypes.push_back(resultTypes.front());
  else if (resultTypes.size() > 1)
    asmTypes.push_back(LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(resultTypes)));

  if (memory)
    constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, asmTypes, operands, text, constraints,
      /*has_side_effects=*/memory, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());

  if (resultTypes.size() <= 1)
    return SmallVector<Value>(op->getResults());
  SmallVector<Value> results;
  for (int64_t i = 0, e = resultTypes.size(); i < e; ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(builder, loc, op.getRes(), i));
  return results;
}

SmallVector<Value> mlir::fa::ptx::buildInlinePtx(OpBuilder &builder,
                                                 Location loc, const Row &row,
                                                 TypeRange resultTypes,
                                                 ValueRange operands) {
  return build(builder, loc, row.text, row.constraints.str(), row.sideEffects,
               resultTypes, operands);
}

SmallVector<Value> mlir::fa::ptx::buildInlinePtx(OpBuilder &builder,
                                                 Location loc,
                                                 const ShapedPtx &ptx,
                                                 TypeRange resultTypes,
                                                 ValueRange operands) {
  return build(builder, loc, ptx.text, ptx.constraints, /*memory=*/true,
               resultTypes, operands);
}
