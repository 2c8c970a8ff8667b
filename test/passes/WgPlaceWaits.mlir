// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-place-waits | FileCheck %s

!qband = !wg.smem<64x64xf16, sw128, panel = 128>
!tile = !wg.smem<64x64xf16, sw128>
!ring = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!s = !wg.frag<64x64xf32, acc, warps = 4>
!h = !wg.frag<64x64xf16, acc, warps = 4>
!p = !wg.frag<64x64xf16, a, warps = 4>
!pend = !wg.pending<64x64xf32, acc, warps = 4>
!to = !wg.cursor<2, consumer>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, ping_pong = true, v_wait = 16>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {


// The product with V is waited for behind the first 16 columns' exponentials.
// CHECK: %[[STILL:.*]] = wg.wait_mma %{{.*}} keep(
// CHECK: %[[S0:.*]] = wg.slice %[[S:.*]] at 0 : {{.*}} -> !wg.frag<64x16xf32
// CHECK-NEXT: %[[P0:.*]] = wg.map(%[[S0]]
// CHECK: %[[O:.*]] = wg.wait_mma %{{.*}}
// CHECK-NEXT: wg.release
// Roundings follow it.
// CHECK-NEXT: %[[H0:.*]] = wg.map(%[[P0]]
// CHECK: arith.truncf
// CHECK: %[[S1:.*]] = wg.slice %[[S]] at 16 : {{.*}} -> !wg.frag<64x48xf32
// CHECK-NEXT: %[[P1:.*]] = wg.map(%[[S1]]
// CHECK: %[[H1:.*]] = wg.map(%[[P1]]
// CHECK: wg.concat %[[H0]], %[[H1]]
// CHECK: scf.yield %[[O]]
gpu.func @f(%q: !qband, %p0: !p, %n: index) kernel attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %kring = wg.alloc : !ring
  %vring = wg.alloc : !ring
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %zeros = wg.splat %zero : f32 -> !s
    %to = wg.cursor : !to
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros, %pj = %p0) -> (!s, !p) {
      %k = wg.acquire %kring[%to] : !ring
      %s0 = wg.mma_async %q, %k {transpose_b} : !qband, !tile -> !pend
      %v = wg.acquire %vring[%to] : !ring
      %o0 = wg.mma_async %pj, %v, %acc : !p, !tile, !s -> !pend
      %s, %o1 = wg.wait_mma %s0 keep(%o0 : !pend) : !pend
      wg.release %kring[%to] : !ring
      %e = wg.map(%s : !s) -> !s {
      ^bb0(%x: f32, %row: index, %col: index):
        %y = math.exp2 %x : f32
        wg.yield %y : f32
      }
      %h = wg.map(%e : !s) -> !h {
      ^bb0(%x: f32, %row: index, %col: index):
        %y = arith.truncf %x : f32 to f16
        wg.yield %y : f16
      }
      %pn = wg.relayout %h : !h -> !p
      %o = wg.wait_mma %o1 : !pend
      wg.release %vring[%to] : !ring
      scf.yield %o, %pn : !s, !p
    }
  }
  gpu.return
}
}
}
