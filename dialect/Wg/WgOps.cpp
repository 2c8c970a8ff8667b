// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Wg/WgOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::wg;

#define GET_OP_CLASSES
#include "dialect/Wg/WgOps.cpp.inc"

Value MapOp::getYielded() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValues()[0];
}

LogicalResult WaitMmaOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  // The op's own verifier has not run yet, so the operands may be anything.
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto pending = dyn_cast<PendingType>(operand.getType());
    if (!pending)
      return failure();
    types.push_back(i ? Type(pending) : Type(pending.getFrag()));
  }
  return success(!types.empty());
}
