// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition on the number of keys that the type decides is none.
// RUN: fa-opt %s --fa-version-schedule | FileCheck %s

#few = #fa.version<schedule = #fa.schedule<query_tile = 64, key_tile = 64>, tma = true, most_keys = 1024>
#many = #fa.version<schedule = #fa.schedule<query_tile = 128, key_tile = 128, warps = 8>, tma = true>
#other = #fa.version<schedule = #fa.schedule<query_tile = 32, key_tile = 32>>
!few = memref<2x4x512x64xf16, strided<[?, ?, ?, 1], offset: ?>>
!many = memref<2x4x2048x64xf16, strided<[?, ?, ?, 1], offset: ?>>

module attributes {fa.stage = "buffers"} {
// CHECK: func.func @few_tma
// CHECK-NOT: fa.most_keys
// CHECK: query_tile = 64
// CHECK-NOT: query_tile = 128
// CHECK: func.func @few(
func.func @few(%q: !few, %o: !few) {
  fa.attention ins(%q, %q, %q : !few, !few, !few) outs(%o : !few)
    {schedule = #fa.schedule<query_tile = 64, key_tile = 64>, fa.versions = [#few, #many, #other]}
  return
}
// CHECK-NOT: @many_short
// CHECK: func.func @many_tma
// CHECK: query_tile = 128
// CHECK: func.func @many(
func.func @many(%q: !many, %o: !many) {
  fa.attention ins(%q, %q, %q : !many, !many, !many) outs(%o : !many)
    {schedule = #fa.schedule<query_tile = 64, key_tile = 64>, fa.versions = [#few, #many, #other]}
  return
}
}
