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
