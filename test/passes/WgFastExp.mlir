// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-fast-exp | FileCheck %s

!s = !wg.frag<64x64xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!out = memref<?xf32, strided<[?], offset: ?>>

module attributes {fa.stage = "async"} {
gpu.module @m {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[S:[a-z0-9]+]]: !wg.frag<64x64xf32, acc, warps = 4>, %[[M:[a-z0-9]+]]: !wg.rows<64xf32, warps = 4>, %[[C:[a-z0-9]+]]: f32
// CHECK: %[[N:.*]] = wg.map(%[[M]] :
// CHECK: arith.mulf %{{.*}}, %[[C]]
// CHECK: arith.negf
// CHECK: %[[FAR:.*]] = wg.any(%[[N]] :
// CHECK: arith.cmpf uge
// Rows past the bound have the reference taken from their scores,
// CHECK: %[[T:.*]] = scf.if %[[FAR]]
// CHECK: %[[BASE:.*]] = wg.map(%[[N]], %{{.*}}, %[[M]]
// CHECK: wg.map(%[[S]], %[[BASE]]
// CHECK: arith.subf
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[S]]
// the others from the exponent.
// CHECK: %[[REST:.*]] = wg.map(%[[N]], %[[N]], %{{.*}}
// CHECK: wg.map(%[[T]], %[[REST]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[NX:.*]]: f32
// CHECK-NEXT: %[[E:.*]] = math.fma %[[X]], %[[C]], %[[NX]]
// CHECK-NEXT: math.exp2 %[[E]]
gpu.func @f(%s: !s, %m: !rows, %c: f32, %O: !out, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %zero = arith.constant 0.0 : f32
  %none = wg.splat %zero : f32 -> !rows
  %p = wg.map(%m, %s : !rows, !s) -> !s {
  ^bb0(%x: f32, %y: f32, %r: index, %col: index):
    %d = arith.subf %y, %x : f32
    %e = arith.mulf %d, %c : f32
    %z = math.exp2 %e : f32
    wg.yield %z : f32
  }
  %l = wg.reduce_rows addf %p, %none : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, !out
  gpu.return
}
}
}
