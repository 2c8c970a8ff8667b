// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-hold-queries --split-input-file 2>/dev/null | FileCheck %s
// RUN: fa-opt %s --wg-hold-queries --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!qt = !wg.smem<128x64xf16, sw128>
!band = !wg.smem<64x64xf16, sw128, panel = 128>
!tile = !wg.smem<64x64xf16, sw128>
!q = !wg.ring<1 x 128x64xf16, sw128, consumers = 2>
!k = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!s = !wg.frag<64x64xf32, acc, warps = 4>
!pend = !wg.pending<64x64xf32, acc, warps = 4>
!to = !wg.cursor<2, consumer>
!toq = !wg.cursor<1, consumer>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// The first product reads the tile as before; those of the loop take 32 columns from registers, and read on in the tile.
// CHECK-LABEL: gpu.func @part
// CHECK: %[[BAND:.*]] = wg.band
// CHECK-NEXT: %[[Q:.*]] = wg.get %[[BAND]] : {{.*}} -> !wg.frag<64x32xf16, a, warps = 4>
// CHECK: wg.mma_async %[[BAND]], %
// CHECK: scf.for
// CHECK: wg.mma_async %[[BAND]] front(%[[Q]] : {{.*}}), %
// CHECK: wg.release %{{.*}} : !wg.ring<1 x
gpu.func @part(%n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, q_registers = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %qring = wg.alloc : !q
  %kring = wg.alloc : !k
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %cq = wg.cursor : !toq
    %ck = wg.cursor : !to
    %q = wg.acquire %qring[%cq] : !q
    %b = wg.band %q[%w] : !qt -> !band
    %k0 = wg.acquire %kring[%ck] : !k
    %p0 = wg.mma_async %b, %k0 {transpose_b} : !band, !tile -> !pend
    %s0 = wg.wait_mma %p0 : !pend
    wg.release %kring[%ck] : !k
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %ck) -> (!to) {
      %next = wg.advance %c : !to
      %k1 = wg.acquire %kring[%next] : !k
      %p1 = wg.mma_async %b, %k1 {transpose_b} : !band, !tile -> !pend
      %s1 = wg.wait_mma %p1 : !pend
      wg.release %kring[%next] : !k
      scf.yield %next : !to
    }
    wg.release %qring[%cq] : !q
  }
  gpu.return
}

// All columns: the loop does not read the tile, whose slot goes back behind the product in front, when all warps have
// read.
// CHECK-LABEL: gpu.func @all
// CHECK: %[[BAND:.*]] = wg.band
// CHECK-NEXT: %[[Q:.*]] = wg.get %[[BAND]] : {{.*}} -> !wg.frag<64x64xf16, a, warps = 4>
// CHECK: wg.mma_async %[[BAND]], %
// CHECK-NEXT: wg.wait_mma
// CHECK-NEXT: wg.barrier
// CHECK-NEXT: wg.release %{{.*}} : !wg.ring<1 x
// CHECK: scf.for
// CHECK: wg.mma_async %[[Q]], %
// CHECK-NOT: wg.release %{{.*}} : !wg.ring<1 x
gpu.func @all(%n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, q_registers = 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %qring = wg.alloc : !q
  %kring = wg.alloc : !k
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %cq = wg.cursor : !toq
    %ck = wg.cursor : !to
    %q = wg.acquire %qring[%cq] : !q
    %b = wg.band %q[%w] : !qt -> !band
    %k0 = wg.acquire %kring[%ck] : !k
    %p0 = wg.mma_async %b, %k0 {transpose_b} : !band, !tile -> !pend
    %s0 = wg.wait_mma %p0 : !pend
    wg.release %kring[%ck] : !k
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %ck) -> (!to) {
      %next = wg.advance %c : !to
      %k1 = wg.acquire %kring[%next] : !k
      %p1 = wg.mma_async %b, %k1 {transpose_b} : !band, !tile -> !pend
      %s1 = wg.wait_mma %p1 : !pend
      wg.release %kring[%next] : !k
      scf.yield %next : !to
    }
    wg.release %qring[%cq] : !q
  }
  gpu.return
}

// A product in front that another iteration of the loop over query tiles has waited for, as wg-overlap-tiles has it.
// CHECK-LABEL: gpu.func @peeked
// CHECK: wg.get
// CHECK-NEXT: wg.barrier
// CHECK-NEXT: wg.release %{{.*}} : !wg.ring<1 x
// CHECK: scf.for
gpu.func @peeked(%n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, q_registers = 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %qring = wg.alloc : !q
  %kring = wg.alloc : !k
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %cq = wg.cursor : !toq
    %ck = wg.cursor : !to
    %q = wg.peek %qring[%cq] : !q
    %b = wg.band %q[%w] : !qt -> !band
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %ck) -> (!to) {
      %next = wg.advance %c : !to
      %k1 = wg.acquire %kring[%next] : !k
      %p1 = wg.mma_async %b, %k1 {transpose_b} : !band, !tile -> !pend
      %s1 = wg.wait_mma %p1 : !pend
      wg.release %kring[%next] : !k
      scf.yield %next : !to
    }
    wg.release %qring[%cq] : !q
  }
  gpu.return
}

// A band that a loop takes for itself moves in front of it.
// CHECK-LABEL: gpu.func @band_in_loop
// CHECK: wg.band
// CHECK-NEXT: wg.get
// CHECK: scf.for
// CHECK-NOT: wg.band
// CHECK: scf.yield
gpu.func @band_in_loop(%n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, q_registers = 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %qring = wg.alloc : !q
  %kring = wg.alloc : !k
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %cq = wg.cursor : !toq
    %ck = wg.cursor : !to
    %q = wg.acquire %qring[%cq] : !q
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %ck) -> (!to) {
      %b = wg.band %q[%w] : !qt -> !band
      %next = wg.advance %c : !to
      %k1 = wg.acquire %kring[%next] : !k
      %p1 = wg.mma_async %b, %k1 {transpose_b} : !band, !tile -> !pend
      %s1 = wg.wait_mma %p1 : !pend
      wg.release %kring[%next] : !k
      scf.yield %next : !to
    }
    wg.release %qring[%cq] : !q
  }
  gpu.return
}

// Another loop reads other rows of the tile: the slot stays.
// CHECK-LABEL: gpu.func @read_on
// CHECK-COUNT-2: scf.for
// CHECK: wg.wait_mma
// CHECK-NEXT: }
// CHECK-NEXT: wg.release %{{.*}} : !wg.ring<1 x
gpu.func @read_on(%n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, q_registers = 256>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %qring = wg.alloc : !q
  %kring = wg.alloc : !k
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %cq = wg.cursor : !toq
    %ck = wg.cursor : !to
    %q = wg.acquire %qring[%cq] : !q
    %b = wg.band %q[%w] : !qt -> !band
    %k0 = wg.acquire %kring[%ck] : !k
    %p0 = wg.mma_async %b, %k0 {transpose_b} : !band, !tile -> !pend
    %s0 = wg.wait_mma %p0 : !pend
    wg.release %kring[%ck] : !k
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %ck) -> (!to) {
      %next = wg.advance %c : !to
      %k1 = wg.acquire %kring[%next] : !k
      %p1 = wg.mma_async %b, %k1 {transpose_b} : !band, !tile -> !pend
      %s1 = wg.wait_mma %p1 : !pend
      wg.release %kring[%next] : !k
      scf.yield %next : !to
    }
    scf.for %j = %c0 to %n step %c1 {
      %half = wg.band %q[%j] : !qt -> !band
      %last = wg.mma_async %half, %k0 {transpose_b} : !band, !tile -> !pend
      %t = wg.wait_mma %last : !pend
    }
    wg.release %qring[%cq] : !q
  }
  gpu.return
}
}
}

// -----

// A loop that reads a tile of its own in each iteration, and no other.
// REMARK: remark: no columns of Q are held in registers
!tile = !wg.smem<64x64xf16, sw128>
!k = !wg.ring<2 x 64x64xf16, sw128, consumers = 1>
!pend = !wg.pending<64x64xf32, acc, warps = 4>
!to = !wg.cursor<2, consumer>
module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {
gpu.func @none(%n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 64, key_tile = 64, warps = 4, q_registers = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kring = wg.alloc : !k
  wg.role "consumers" warpgroups 1 to 2 registers 240 {
  ^bb0(%w: index):
    %ck = wg.cursor : !to
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %ck) -> (!to) {
      %next = wg.advance %c : !to
      %k = wg.acquire %kring[%c] : !k
      %p = wg.mma_async %k, %k {transpose_b} : !tile, !tile -> !pend
      %s = wg.wait_mma %p : !pend
      wg.release %kring[%c] : !k
      scf.yield %next : !to
    }
  }
  gpu.return
}
}
}
