// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-async | FileCheck %s

!qband = !wg.smem<64x64xf16, sw128, panel = 128>
!tile = !wg.smem<64x64xf16, sw128>
!ring = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!s = !wg.frag<64x64xf32, acc, warps = 4>
!p = !wg.frag<64x64xf16, a, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!to = !wg.cursor<2, consumer>

module attributes {fa.stage = "specialized"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// The scores are waited for where they are read, the other product at the end
// of the iteration; each slot is given back behind the wait.
// CHECK-LABEL: gpu.func @overlap
// CHECK: scf.for
// CHECK: %[[S:.*]] = wg.mma_async %{{.*}}, %{{.*}} {transpose_b} : !wg.smem<64x64xf16, sw128, panel = 128>, !wg.smem<64x64xf16, sw128> -> !wg.pending
// CHECK-NOT: wg.wait_mma
// CHECK-NOT: wg.release
// CHECK: wg.acquire
// CHECK-NEXT: %[[O:.*]] = wg.mma_async %{{.*}}, %{{.*}}, %[[ACC:[a-z0-9]+]] :
// CHECK-NEXT: %[[SDONE:.*]], %[[STILL:.*]] = wg.wait_mma %[[S]] keep(%[[O]] :
// CHECK-NEXT: wg.release %[[KRING:[a-z0-9]+]][
// CHECK-NEXT: wg.reduce_rows maximumf %[[SDONE]]
// CHECK: %[[ODONE:.*]] = wg.wait_mma %[[STILL]]
// CHECK-NEXT: wg.release %[[VRING:[a-z0-9]+]][
// CHECK-NEXT: scf.yield %[[ODONE]]
gpu.func @overlap(%q: !qband, %p: !p, %n: index) kernel attributes {fa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %kring = wg.alloc : !ring
  %vring = wg.alloc : !ring
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %zeros = wg.splat %zero : f32 -> !s
    %low = wg.splat %zero : f32 -> !rows
    %to = wg.cursor : !to
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros, %m = %low) -> (!s, !rows) {
      %k = wg.acquire %kring[%to] : !ring
      %s = wg.mma %q, %k, %zeros {transpose_b} : !qband, !tile, !s
      wg.release %kring[%to] : !ring
      %v = wg.acquire %vring[%to] : !ring
      %o = wg.mma %p, %v, %acc : !p, !tile, !s
      wg.release %vring[%to] : !ring
      %m1 = wg.reduce_rows maximumf %s, %m : !s, !rows
      scf.yield %o, %m1 : !s, !rows
    }
  }
  gpu.return
}

// A loop with products of its own starts with none in flight.
// CHECK-LABEL: gpu.func @inner
// CHECK: %[[S:.*]] = wg.mma_async
// CHECK: wg.wait_mma %[[S]]
// CHECK-NEXT: wg.release
// CHECK-NEXT: scf.for
// CHECK: wg.mma_async
gpu.func @inner(%q: !qband, %n: index) kernel attributes {fa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %kring = wg.alloc : !ring
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %zeros = wg.splat %zero : f32 -> !s
    %low = wg.splat %zero : f32 -> !rows
    %to = wg.cursor : !to
    %k = wg.acquire %kring[%to] : !ring
    %s = wg.mma %q, %k, %zeros {transpose_b} : !qband, !tile, !s
    wg.release %kring[%to] : !ring
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%m = %low) -> (!rows) {
      %k1 = wg.acquire %kring[%to] : !ring
      %s1 = wg.mma %q, %k1, %zeros {transpose_b} : !qband, !tile, !s
      wg.release %kring[%to] : !ring
      %m1 = wg.reduce_rows maximumf %s1, %m : !s, !rows
      scf.yield %m1 : !rows
    }
    %m2 = wg.reduce_rows maximumf %s, %r : !s, !rows
  }
  gpu.return
}
}
}
