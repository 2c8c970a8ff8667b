// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-fetch-tiles --split-input-file 2>&1 | FileCheck %s

!ring = !wg.ring<1 x 128x64xf16, sw128, consumers = 2>
!map = !wg.tensor_map<128x64xf16, sw128, rank = 3>
!from = !wg.cursor<1, producer>
!to = !wg.cursor<1, consumer>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>

// CHECK: scratch = [{bytes = 4 : i64, init = 0 : i64, name = "counter", owner = "stream"}]
module attributes {fa.stage = "specialized", fa.manifest = {kernels = [{name = "f", scratch = []}]}} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[HEADS:[a-z0-9]+]]: index {{.*}}, %[[TILES:[a-z0-9]+]]: index
// CHECK-SAME: %[[COUNTER:[a-z0-9]+]]: memref<i32> {fa.param = #fa.param<scratch "counter">}
// CHECK: %[[Q:.*]] = wg.alloc : !wg.ring<1 x 128x64xf16
// CHECK: %[[MAIL:.*]] = wg.alloc : !wg.ring<2 x 1x4xi32, consumers = 2>
// CHECK: wg.init %[[Q]], %[[MAIL]]

// The producer divides for the consumers, who need the head (not what it is
// made of), and says when there is no tile any more.
// CHECK: wg.role "producer"
// CHECK: scf.while (%[[T:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[AT:.*]] = %
// CHECK: %[[LAST:.*]] = arith.subi %[[TILES]], %c1
// CHECK: %[[KNOWN:.*]] = arith.minsi %[[T]], %[[LAST]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[T]], %[[TILES]]
// CHECK: %[[WORD:.*]] = arith.select %[[EXISTS]], %[[T]], %c-1
// CHECK: %[[REM:.*]] = arith.remui %[[KNOWN]], %[[TILES]]
// CHECK: %[[HEAD:.*]] = arith.divui %[[REM]], %[[HEADS]]
// CHECK: wg.send %[[WORD]], %[[HEAD]] to %[[MAIL]][%[[AT]]]
// Its own loads ask for the same place, which is computed once.
// CHECK: %[[ROW:.*]] = arith.divui %[[KNOWN]], %[[HEADS]]
// CHECK: scf.condition(%[[EXISTS]]) %[[KNOWN]], %[[ROW]]
// CHECK: ^bb0(%{{.*}}: index, %[[ROW:.*]]: index
// CHECK: wg.tma_load %{{.*}}[%[[ROW]], %c0, %c0]
// Behind its loads it asks for the next.
// CHECK: %[[NEXT:.*]] = wg.fetch_tile %[[COUNTER]] of %[[TILES]]
// CHECK: scf.yield %[[NEXT]]

// CHECK: wg.role "consumers"
// CHECK: %[[FIRST:.*]]:2 = wg.receive %[[MAIL]]
// CHECK: scf.while (%[[T:.*]] = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[T]], %c-1
// CHECK: scf.condition(%[[MORE]])
// CHECK: ^bb0(%{{.*}}: index, %[[HEAD:.*]]: index
// CHECK: wg.acquire
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[HEAD]]]
// CHECK: %[[NEXT:.*]]:2 = wg.receive %[[MAIL]]
// CHECK: scf.yield %[[NEXT]]#0, %[[NEXT]]#1
gpu.func @f(%heads: index {fa.param = #fa.param<size "q"[1]>}, %tiles: index {fa.param = #fa.param<size "q"[0]>},
            %Q: !map {fa.param = #fa.param<tensor_map "q"[1]>}, %O: memref<?xf32> {fa.param = #fa.param<pointer "o">},
            %x: f32 {fa.param = #fa.param<scalar "x">}) kernel attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %q = wg.alloc : !ring
  wg.init %q : !ring
  wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
  ^bb0(%w: index):
    %c0 = arith.constant 0 : index
    %from = wg.cursor : !from
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %end = scf.for %t = %block to %tiles step %blocks iter_args(%f = %from) -> (!from) {
      %row = arith.divui %t, %heads : index
      wg.tma_load %Q[%row, %c0, %c0], %q[%f] : !map, !ring
      %n = wg.advance %f : !from
      scf.yield %n : !from
    }
  }
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %to = wg.cursor : !to
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %end = scf.for %t = %block to %tiles step %blocks iter_args(%f = %to) -> (!to) {
      %rest = arith.remui %t, %tiles : index
      %head = arith.divui %rest, %heads : index
      %s = wg.acquire %q[%f] : !ring
      wg.release %q[%f] : !ring
      memref.store %x, %O[%head] : memref<?xf32>
      %n = wg.advance %f : !to
      scf.yield %n : !to
    }
  }
  gpu.return
}
}
}

// -----

// CHECK: remark: tiles with a fixed stride
module attributes {fa.stage = "specialized"} {
gpu.module @m attributes {fa.target = "sm_90a"} {
gpu.func @alone() kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>} {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    wg.barrier
  }
  gpu.return
}
}
}
