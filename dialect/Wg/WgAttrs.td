// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WG_ATTRS_TD
#define WG_ATTRS_TD

include "dialect/Wg/WgDialect.td"
include "mlir/IR/EnumAttr.td"

class Wg_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::wg";
}

def Wg_Swizzle : Wg_Enum<"Swizzle", "order of a shared tile's 16-byte chunks", [
  I32EnumAttrCase<"Xor", 0, "xor">,
  I32EnumAttrCase<"Sw128", 1, "sw128">
]>;

def Wg_FragLayout : Wg_Enum<"FragLayout", "part that a fragment plays in a product", [
  I32EnumAttrCase<"Acc", 0, "acc">,
  I32EnumAttrCase<"A", 1, "a">
]>;

def Wg_Combine : Wg_Enum<"Combine", "how values of a row are joined", [
  I32EnumAttrCase<"AddF", 0, "addf">,
  I32EnumAttrCase<"MaximumF", 1, "maximumf">,
  I32EnumAttrCase<"MaximumBits", 2, "maximum_bits">,
  I32EnumAttrCase<"MinimumBits", 3, "minimum_bits">,
  I32EnumAttrCase<"LargestBits", 4, "largest_bits">
]>;

def Wg_Side : Wg_Enum<"Side", "which side of a ring a cursor walks on", [
  I32EnumAttrCase<"Producer", 0, "producer">,
  I32EnumAttrCase<"Consumer", 1, "consumer">
]>;

def Wg_StoreWait : Wg_Enum<"StoreWait", "what a wait for TMA stores waits for", [
  I32EnumAttrCase<"Read", 0, "read">,
  I32EnumAttrCase<"Done", 1, "done">
]>;

#endif // WG_ATTRS_TD
