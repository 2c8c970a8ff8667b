// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-rotate | FileCheck %s

!qtile = !wg.smem<128x64xf16, sw128>
!tile = !wg.smem<64x64xf16, sw128>
!s = !wg.frag<128x64xf32, acc, warps = 8>
!h = !wg.frag<128x64xf16, acc, warps = 8>
!p = !wg.frag<128x64xf16, a, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>
!tensor = memref<?x64xf16, strided<[?, 1]>>
!view = memref<?x64xf16, strided<[?, 1], offset: ?>>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, rotate = true>

module attributes {fa.stage = "values"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// The first tile leaves its P, its rescale and its place in V to the loop, the
// loop leaves those of its last tile to what stands behind it. How many rows of
// V there are is computed again from the place.
// CHECK-LABEL: gpu.func @rotated
// CHECK-SAME: %{{[a-z0-9]+}}: memref<f16>, %[[KEYS:[a-z0-9]+]]: index
// CHECK: %[[ZEROS:.*]] = wg.splat {{.*}} -> !wg.frag
// CHECK: %[[S0:.*]] = wg.mma
// CHECK: %[[A0:.*]] = wg.reduce_rows maximumf %[[S0]]
// CHECK: %[[P0:.*]] = wg.relayout
// CHECK-NOT: wg.mma
// CHECK: %[[R:.*]]:4 = scf.for %[[J:.*]] = {{.*}} iter_args(%[[O:.*]] = %[[ZEROS]], %[[ROW:.*]] = %{{.*}}, %[[A:.*]] = %[[A0]], %[[P:.*]] = %[[P0]])
// CHECK: wg.load
// CHECK: %[[S:.*]] = wg.mma
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[KEYS]], %[[ROW]]
// CHECK: %[[N:.*]] = arith.minsi %[[LEFT]]
// CHECK-NEXT: memref.subview %{{.*}}[%[[ROW]], 0] [%[[N]], 64]
// CHECK-NEXT: %[[V:.*]] = wg.load %{{.*}} rows %[[N]]
// CHECK-NEXT: %[[SCALED:.*]] = wg.map(%[[O]], %[[A]]
// CHECK: %[[ON:.*]] = wg.mma %[[P]], %[[V]], %[[SCALED]]
// CHECK: %[[AN:.*]] = wg.reduce_rows maximumf %[[S]]
// CHECK: %[[PN:.*]] = wg.relayout
// CHECK-NOT: wg.mma
// CHECK: scf.yield %[[ON]], %[[J]], %[[AN]], %[[PN]]
// CHECK: wg.load
// CHECK: wg.map(%[[R]]#0, %[[R]]#2
// CHECK: wg.mma %[[R]]#3
gpu.func @rotated(%K: memref<f16>, %keys: index, %stride: index, %q: !qtile, %O: !view) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.reinterpret_cast %K to offset: [0], sizes: [%keys, 64], strides: [%stride, 1] : memref<f16> to !tensor
  %zeros = wg.splat %zero : f32 -> !s
  %low = wg.splat %zero : f32 -> !rows
  %n0 = arith.minsi %keys, %c64 : index
  %v0 = memref.subview %t[0, 0] [%n0, 64] [1, 1] : !tensor to memref<?x64xf16, strided<[?, 1]>>
  %k0t = wg.load %v0 rows %n0 : memref<?x64xf16, strided<[?, 1]>> -> !tile
  %s0 = wg.mma %q, %k0t, %zeros {transpose_b} : !qtile, !tile, !s
  %a0 = wg.reduce_rows maximumf %s0, %low : !s, !rows
  %h0 = wg.map(%s0 : !s) -> !h {
  ^bb0(%x: f32, %r: index, %c: index):
    %y = arith.truncf %x : f32 to f16
    wg.yield %y : f16
  }
  %p0 = wg.relayout %h0 : !h -> !p
  %v0t = wg.load %v0 rows %n0 : memref<?x64xf16, strided<[?, 1]>> -> !tile
  %z0 = wg.map(%zeros, %a0 : !s, !rows) -> !s {
  ^bb0(%x: f32, %a: f32, %r: index, %c: index):
    %y = arith.mulf %x, %a : f32
    wg.yield %y : f32
  }
  %o0 = wg.mma %p0, %v0t, %z0 : !p, !tile, !s
  %out = scf.for %j = %c64 to %keys step %c64 iter_args(%o = %o0) -> (!s) {
    %left = arith.subi %keys, %j : index
    %n = arith.minsi %left, %c64 : index
    %v = memref.subview %t[%j, 0] [%n, 64] [1, 1] : !tensor to !view
    %kt = wg.load %v rows %n : !view -> !tile
    %s = wg.mma %q, %kt, %zeros {transpose_b} : !qtile, !tile, !s
    %a = wg.reduce_rows maximumf %s, %low : !s, !rows
    %h = wg.map(%s : !s) -> !h {
    ^bb0(%x: f32, %r: index, %c: index):
      %y = arith.truncf %x : f32 to f16
      wg.yield %y : f16
    }
    %p = wg.relayout %h : !h -> !p
    %vt = wg.load %v rows %n : !view -> !tile
    %z = wg.map(%o, %a : !s, !rows) -> !s {
    ^bb0(%x: f32, %ax: f32, %r: index, %c: index):
      %y = arith.mulf %x, %ax : f32
      wg.yield %y : f32
    }
    %o1 = wg.mma %p, %vt, %z : !p, !tile, !s
    scf.yield %o1 : !s
  }
  %oh = wg.map(%out : !s) -> !h {
  ^bb0(%x: f32, %r: index, %c: index):
    %y = arith.truncf %x : f32 to f16
    wg.yield %y : f16
  }
  wg.store %oh, %O rows %c64 : !h, !view
  gpu.return
}
}
}
