// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-overlap-tiles --split-input-file 2>/dev/null | FileCheck %s
// RUN: fa-opt %s --wg-overlap-tiles --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!q = !wg.ring<2 x 128x64xf16, sw128, consumers = 2>
!k = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!mail = !wg.ring<2 x 1x4xi32, consumers = 2>
!tile = !wg.smem<128x64xf16, sw128>
!band = !wg.smem<64x64xf16, sw128, panel = 128>
!ktile = !wg.smem<64x64xf16, sw128>
!s = !wg.frag<64x64xf32, acc, warps = 4>
!pend = !wg.pending<64x64xf32, acc, warps = 4>
!to = !wg.cursor<2, consumer>
!out = memref<?x64xf32, strided<[?, 1], offset: ?>>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter, overlap_tiles = true>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// The first tile's scores are there in front of the loop, where there is a tile, and it has keys.
// CHECK: %[[FIRST:.*]]:2 = wg.receive
// CHECK: %[[EXISTS:.*]] = arith.cmpi ne, %[[FIRST]]#0
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[FIRST]]#1
// CHECK: %[[BOTH:.*]] = arith.andi %[[EXISTS]], %[[SOME]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK-NEXT: wg.acquire %[[Q:.*]][%[[C:.*]]] : !wg.ring<2 x 128x64xf16
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: wg.acquire %[[K:.*]][%[[C]]] : !wg.ring<2 x 64x64xf16
// CHECK: %[[QT:.*]] = wg.peek %[[Q]][%[[C]]]
// CHECK: %[[KT:.*]] = wg.peek %[[K]][%[[C]]]
// CHECK: %[[BAND:.*]] = wg.band %[[QT]]
// CHECK: %[[P0:.*]] = wg.mma_async %[[BAND]], %[[KT]]
// CHECK: %[[S0:.*]] = wg.wait_mma %[[P0]]
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: wg.release %[[K]][%[[C]]]
// CHECK: scf.while ({{.*}} = %[[S0]])
// CHECK: ^bb0(%{{.*}}: index, %[[QC:[a-z0-9]+]]: !wg.cursor<2, consumer>, {{.*}}: index, %[[S:[a-z0-9]+]]: !wg.frag
// This tile goes on from them: no product, no acquisition.
// CHECK: wg.peek %[[Q]][%[[QC]]]
// CHECK: %[[IF:.*]]:2 = scf.if
// CHECK-NOT: wg.mma_async
// CHECK: scf.yield %[[S]],
// The next one's are on their way while this one's are stored.
// CHECK: %[[NEXT:.*]]:2 = wg.receive
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[NEXT]]#0
// CHECK: wg.peek %[[K]][%[[IF]]#1]
// CHECK: %[[P:.*]] = wg.mma_async
// CHECK: wg.store %[[IF]]#0
// CHECK: %[[S1:.*]] = wg.wait_mma %[[P]]
// CHECK: wg.release %[[K]][%[[IF]]#1]
// CHECK: scf.yield %[[NEXT]]#0, {{.*}}, %[[S1]] :
gpu.func @f(%O: !out, %n: index) kernel attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : index
  %qring = wg.alloc : !q
  %kring = wg.alloc : !k
  %mail = wg.alloc : !mail
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %c = wg.cursor : !to
    %first:2 = wg.receive %mail[%c] : !mail -> index, index
    %c1 = wg.advance %c : !to
    %end:5 = scf.while (%t = %first#0, %x = %first#1, %qc = %c, %kc = %c, %mc = %c1)
        : (index, index, !to, !to, !to) -> (index, !to, !to, !to, index) {
      %exists = arith.cmpi ne, %t, %none : index
      scf.condition(%exists) %x, %qc, %kc, %mc, %t : index, !to, !to, !to, index
    } do {
    ^bb0(%x: index, %qc: !to, %kc: !to, %mc: !to, %t: index):
      %q = wg.acquire %qring[%qc] : !q
      %qn = wg.advance %qc : !to
      %some = arith.cmpi sgt, %x, %c0 : index
      %r:2 = scf.if %some -> (!s, !to) {
        %k = wg.acquire %kring[%kc] : !k
        %kn = wg.advance %kc : !to
        %b = wg.band %q[%w] : !tile -> !band
        %p = wg.mma_async %b, %k {transpose_b} : !band, !ktile -> !pend
        %s = wg.wait_mma %p : !pend
        wg.release %kring[%kc] : !k
        wg.release %qring[%qc] : !q
        scf.yield %s, %kn : !s, !to
      } else {
        %zeros = wg.splat %zero : f32 -> !s
        wg.release %qring[%qc] : !q
        scf.yield %zeros, %kc : !s, !to
      }
      wg.store %r#0, %O rows %n : !s, !out
      %next:2 = wg.receive %mail[%mc] : !mail -> index, index
      %mn = wg.advance %mc : !to
      scf.yield %next#0, %next#1, %qn, %r#1, %mn : index, index, !to, !to, !to
    }
  }
  gpu.return
}
}
}

// -----

// REMARK: remark: tiles do not overlap
module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {
gpu.func @alone() kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, overlap_tiles = true>} {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    wg.barrier
  }
  gpu.return
}
}
}
