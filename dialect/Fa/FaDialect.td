// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_DIALECT_TD
#define FA_DIALECT_TD

include "mlir/IR/OpBase.td"

def Fa_Dialect : Dialect {
  let name = "fa";
  let cppNamespace = "::mlir::fa";
  let summary = "The attention problem: one op, its mask, its schedule";
  let description = [{
    `fa.attention` states an attention forward: what is computed, on which
    operands, under which mask. Passes tile it and rewrite it to online softmax;
    nothing in this dialect says how a chip does it.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // FA_DIALECT_TD
