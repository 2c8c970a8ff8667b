// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-fast-exp | FileCheck %s

!s = !wg.frag<64x64xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!h = !wg.frag<64x64xf16, acc, warps = 4>
!outh = memref<?x64xf16, strided<[?, 1], offset: ?>>
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
// CHECK: scf.if %[[FAR]]
// Row by row what it was, or the fast form.
// CHECK: %[[BASE:.*]] = wg.map(%[[N]], %{{.*}}, %[[M]]
// CHECK: %[[REST:.*]] = wg.map(%[[N]], %[[N]], %{{.*}}
// CHECK: wg.map(%[[S]], %[[REST]], %[[BASE]]
// CHECK: arith.subf
// CHECK: math.fma
// CHECK: } else {
// CHECK: wg.map(%[[S]], %[[N]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[NX:.*]]: f32
// CHECK-NEXT: %[[E:.*]] = math.fma %[[X]], %[[C]], %[[NX]]
// CHECK-NEXT: math.exp2 %[[E]]
// Sums and roundings go with the exponentials.
// CHECK: %[[L:.*]] = wg.reduce_rows addf
// CHECK: %[[H:.*]] = wg.map
// CHECK: arith.truncf
// CHECK: scf.yield %[[L]], %[[H]]
// CHECK-NOT: wg.reduce_rows
gpu.func @f(%s: !s, %m: !rows, %c: f32, %O: !out, %n: index, %OH: !outh) kernel attributes {fa.kernel, fa.tma} {
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
  %h = wg.map(%p : !s) -> !h {
  ^bb0(%x: f32, %r: index, %col: index):
    %z = arith.truncf %x : f32 to f16
    wg.yield %z : f16
  }
  wg.store_rows %l, %O rows %n : !rows, !out
  wg.store %h, %OH rows %n : !h, !outh
  gpu.return
}
}
}
