// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-acquire-ahead | FileCheck %s

!tile = !wg.smem<64x64xf16, sw128>
!ring = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!s = !wg.frag<64x64xf32, acc, warps = 4>
!p = !wg.frag<64x64xf16, a, warps = 4>
!pend = !wg.pending<64x64xf32, acc, warps = 4>
!to = !wg.cursor<2, consumer>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, v_wait = 16>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// The first slot is acquired in front of the loops, each loop acquires the next
// one in front of its last wait, and what the last loop acquired is read behind
// it.
// CHECK-LABEL: gpu.func @f
// CHECK: %[[FIRST:.*]] = wg.cursor
// CHECK: %[[T0:.*]] = wg.acquire %[[RING:.*]][%[[FIRST]]]
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[C:[a-z0-9]+]] = %[[FIRST]], %[[T:[a-z0-9]+]] = %[[T0]])
// CHECK-NEXT: wg.mma_async %{{.*}}, %[[T]]
// CHECK-NEXT: %[[N:.*]] = wg.advance %[[C]]
// CHECK-NEXT: %[[NEXT:.*]] = wg.acquire %[[RING]][%[[N]]]
// CHECK-NEXT: wg.wait_mma
// CHECK-NEXT: wg.release %[[RING]][%[[C]]]
// CHECK-NEXT: scf.yield %{{.*}}, %[[N]], %[[NEXT]]
// CHECK: %[[R2:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1, %{{.*}} = %[[R]]#2)
// CHECK: }
// CHECK-NOT: wg.acquire
// CHECK: wg.mma_async %{{.*}}, %[[R2]]#2
gpu.func @f(%p: !p, %n: index) kernel attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %vring = wg.alloc : !ring
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %zeros = wg.splat %zero : f32 -> !s
    %to = wg.cursor : !to
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros, %c = %to) -> (!s, !to) {
      %v = wg.acquire %vring[%c] : !ring
      %o0 = wg.mma_async %p, %v, %acc : !p, !tile, !s -> !pend
      %o = wg.wait_mma %o0 : !pend
      wg.release %vring[%c] : !ring
      %next = wg.advance %c : !to
      scf.yield %o, %next : !s, !to
    }
    %r2:2 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %r#0, %c = %r#1) -> (!s, !to) {
      %v = wg.acquire %vring[%c] : !ring
      %o0 = wg.mma_async %p, %v, %acc : !p, !tile, !s -> !pend
      %o = wg.wait_mma %o0 : !pend
      wg.release %vring[%c] : !ring
      %next = wg.advance %c : !to
      scf.yield %o, %next : !s, !to
    }
    %v = wg.acquire %vring[%r2#1] : !ring
    %o0 = wg.mma_async %p, %v, %r2#0 : !p, !tile, !s -> !pend
    %o = wg.wait_mma %o0 : !pend
    wg.release %vring[%r2#1] : !ring
  }
  gpu.return
}

// Where nobody reads one more slot behind the loop, none may be acquired ahead.
// CHECK-LABEL: gpu.func @last
// CHECK-NOT: wg.acquire
// CHECK: scf.for
// CHECK-NEXT: wg.acquire
gpu.func @last(%p: !p, %n: index) kernel attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %vring = wg.alloc : !ring
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %zeros = wg.splat %zero : f32 -> !s
    %to = wg.cursor : !to
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros, %c = %to) -> (!s, !to) {
      %v = wg.acquire %vring[%c] : !ring
      %o0 = wg.mma_async %p, %v, %acc : !p, !tile, !s -> !pend
      %o = wg.wait_mma %o0 : !pend
      wg.release %vring[%c] : !ring
      %next = wg.advance %c : !to
      scf.yield %o, %next : !s, !to
    }
  }
  gpu.return
}
}
}
