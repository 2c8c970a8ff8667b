// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Ptx/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

SmallVector<Value> mlir::fa::ptx::buildInlinePtx(OpBuilder &builder,
                                                 Location loc, const Row &row,
                                                 TypeRange resultTypes,
                                                 ValueRange operands) {
  MLIRContext *context = builder.getContext();
  SmallVector<Type, 1> asmTypes;
  if (resultTypes.size() == 1)
    asmTypes.push_back(resultTypes.front());
  else if (resultTypes.size() > 1)
    asmTypes.push_back(LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(resultTypes)));

  std::string constraints = row.constraints.str();
  if (row.sideEffects)
    constraints += ",~{memory}";
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, asmTypes, operands, row.text, constraints,
      /*has_side_effects=*/row.sideEffects, /*is_align_stack=*/false,
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
