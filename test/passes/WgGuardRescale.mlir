// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-guard-rescale | FileCheck %s

!tile = !wg.smem<64x64xf16, sw128>
!s = !wg.frag<128x64xf32, acc, warps = 8>
!p = !wg.frag<128x64xf16, a, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>

module attributes {fa.stage = "values"} {
gpu.module @m {

// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}})
// CHECK: %[[MOVED:.*]] = wg.any(%[[A:[a-z0-9]+]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: arith.cmpf une, %[[X]], %{{.*}}
// CHECK: %[[SCALED:.*]] = scf.if %[[MOVED]]
// CHECK-NEXT: wg.map(%[[O]], %[[A]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[O]]
// CHECK: wg.mma %{{.*}}, %{{.*}}, %[[SCALED]]
gpu.func @f(%p: !p, %v: !tile, %a: !rows, %o0: !s, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!s) {
    %z = wg.map(%o, %a : !s, !rows) -> !s {
    ^bb0(%x: f32, %ax: f32, %r: index, %c: index):
      %y = arith.mulf %x, %ax : f32
      wg.yield %y : f32
    }
    %o1 = wg.mma %p, %v, %z : !p, !tile, !s
    scf.yield %o1 : !s
  }
  gpu.return
}
}
}
