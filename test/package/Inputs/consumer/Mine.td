// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "dialect/Fa/FaOps.td"

def Mine_Dialect : Dialect {
  let name = "mine";
  let cppNamespace = "::mine";
}

def Mine_MaskedOp : Op<Mine_Dialect, "masked"> {
  let arguments = (ins Fa_MaskAttr:$mask);
}
