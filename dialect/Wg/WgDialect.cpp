// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Wg/WgDialect.h"

#include "dialect/Wg/WgOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

#include "dialect/Wg/WgDialect.cpp.inc"

void wg::WgDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/Wg/WgOps.cpp.inc"
      >();
}
