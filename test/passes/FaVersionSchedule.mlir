// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-version-schedule | FileCheck %s
// RUN: fa-opt %s --fa-version-schedule --fa-tile --fa-online --canonicalize --cse --fa-outline=chip=sm_90a | FileCheck %s --check-prefix=KERNELS

#few = #fa.version<schedule = #fa.schedule<query_tile = 64, key_tile = 64>, tma = true, most_keys = 1024>
#many = #fa.version<schedule = #fa.schedule<query_tile = 128, key_tile = 128, warps = 8>, tma = true>
#other = #fa.version<schedule = #fa.schedule<query_tile = 32, key_tile = 32>>
!t = memref<2x4x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
!s = memref<2x4x512x64xf16, strided<[?, ?, ?, 1], offset: ?>>

module attributes {fa.stage = "buffers"} {
// CHECK: func.func @f_short_tma
// CHECK-SAME: fa.entry = "f", fa.most_keys = 1024 : i64
// CHECK-SAME: fa.tma
// CHECK: query_tile = 64
// CHECK-NOT: fa.versions
// CHECK: func.func @f_tma
// CHECK-SAME: fa.entry = "f"
// CHECK-NOT: fa.most_keys
// CHECK: query_tile = 128
// CHECK: func.func @f(
// CHECK-NOT: fa.tma
// CHECK: query_tile = 32

// The manifest has one name, and a condition for the first kernel.
// KERNELS: fa.manifest
// KERNELS-SAME: name = "fa_f_short_tma"
// KERNELS-SAME: when = ["le", ["size", "k", 2], 1024]
// KERNELS-SAME: name = "fa_f_tma"
// KERNELS-SAME: when = true
// KERNELS-SAME: name = "fa_f", note
// KERNELS-SAME: name = "f", problem
// KERNELS: gpu.func @fa_f_short_tma{{.*}}fa.tma
// KERNELS: gpu.func @fa_f_tma{{.*}}fa.tma
// KERNELS: gpu.func @fa_f(
func.func @f(%q: !t {fa.tensor = #fa.tensor<"q", in, [2, 4, "Sq", 64]>},
             %k: !t {fa.tensor = #fa.tensor<"k", in, [2, 4, "Sk", 64]>},
             %v: !t {fa.tensor = #fa.tensor<"v", in, [2, 4, "Sk", 64]>},
             %o: !t {fa.tensor = #fa.tensor<"o", out, [2, 4, "Sq", 64]>},
             %scale: f32 {fa.name = "scale", fa.class = "positive"}) {
  fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) scale(%scale)
    {schedule = #fa.schedule<query_tile = 64, key_tile = 64>, fa.versions = [#few, #many, #other]}
  return
}
}
