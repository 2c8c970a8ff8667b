// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-specialize --canonicalize --cse | FileCheck %s
// RUN: sed 's/fa.kernel,/fa.kernel, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>,/' %s | \
// RUN:   fa-opt --wg-specialize | FileCheck %s --check-prefix=STAYS

// A producer of blocks that stay has more to keep.
// STAYS: wg.role "producer" warpgroups 0 to 1 registers 40
// STAYS: wg.role "consumers" warpgroups 1 to 3 registers 232

!qtile = !wg.smem<128x64xf16, sw128>
!ktile = !wg.smem<64x64xf16, sw128>
!qring = !wg.ring<1 x 128x64xf16, sw128, consumers = 2>
!kring = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!qmap = !wg.tensor_map<128x64xf16, sw128, rank = 2>
!kmap = !wg.tensor_map<64x64xf16, sw128, rank = 2>
!s = !wg.frag<128x64xf32, acc, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>
!from = !wg.cursor<2, producer>
!to = !wg.cursor<2, consumer>
!out = memref<?xf32, strided<[?], offset: ?>>

module attributes {fa.stage = "pipelined"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @divided
// CHECK-SAME: %[[Q:[a-z0-9]+]]: !wg.tensor_map<128x64xf16, sw128, rank = 2>, %[[K:[a-z0-9]+]]:
// CHECK-SAME: known_block_size = array<i32: 384, 1, 1>
// CHECK: %[[QRING:.*]] = wg.alloc
// CHECK: %[[KRING:.*]] = wg.alloc
// CHECK: wg.init %[[QRING]], %[[KRING]]

// One thread does the loads and carries what they need.
// CHECK: wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
// CHECK-NOT: wg.acquire
// CHECK: wg.tma_load %[[Q]]
// CHECK: scf.for %{{.*}} iter_args(%[[FROM:.*]] = %{{.*}}) -> (!wg.cursor<2, producer>) {
// CHECK-NEXT: wg.tma_load %[[K]][%{{.*}}], %[[KRING]][%[[FROM]]]
// CHECK-NEXT: %[[NEXT:.*]] = wg.advance %[[FROM]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: }

// Each consumer has 64 of the 128 rows.
// CHECK: wg.role "consumers" warpgroups 1 to 3 registers 240 {
// CHECK-NEXT: ^bb0(%[[W:.*]]: index):
// CHECK: %[[FIRST:.*]] = arith.muli %[[W]], %c64
// CHECK-NOT: wg.tma_load
// CHECK: %[[QT:.*]] = wg.acquire %[[QRING]]
// CHECK: scf.for %{{.*}} -> (!wg.rows<64xf32, warps = 4>, !wg.cursor<2, consumer>) {
// CHECK: %[[KT:.*]] = wg.acquire %[[KRING]]
// CHECK: %[[BAND:.*]] = wg.band %[[QT]][%[[W]]] : !wg.smem<128x64xf16, sw128> -> !wg.smem<64x64xf16, sw128, panel = 128>
// CHECK: wg.mma %[[BAND]], %[[KT]], %{{.*}} {transpose_b} : {{.*}}, !wg.frag<64x64xf32, acc, warps = 4>
// CHECK: wg.release %[[KRING]]
// The region of a map counts rows from the block's first one.
// CHECK: wg.map
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[R:.*]]: index, %{{.*}}: index):
// CHECK-NEXT: arith.addi %[[R]], %[[FIRST]]
// CHECK: wg.release %[[QRING]]
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]]
// CHECK: %[[EXIST:.*]] = arith.maxsi %[[LEFT]], %c0
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[%[[FIRST]]] [%[[EXIST]]] [1]
// CHECK: wg.store_rows %{{.*}}, %[[PART]] rows %[[EXIST]]
gpu.func @divided(%Q: !qmap, %K: !kmap, %O: !out, %n: index, %keys: index) kernel
    attributes {fa.kernel, known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %qring = wg.alloc : !qring
  %kring = wg.alloc : !kring
  wg.init %qring, %kring : !qring, !kring
  %qfrom = wg.cursor : !wg.cursor<1, producer>
  %qto = wg.cursor : !wg.cursor<1, consumer>
  %from0 = wg.cursor : !from
  %to0 = wg.cursor : !to
  wg.tma_load %Q[%c0, %c0], %qring[%qfrom] : !qmap, !qring
  %q = wg.acquire %qring[%qto] : !qring
  %zeros = wg.splat %zero : f32 -> !s
  %none = wg.splat %zero : f32 -> !rows
  %sum:3 = scf.for %j = %c0 to %keys step %c64 iter_args(%l = %none, %from = %from0, %to = %to0) -> (!rows, !from, !to) {
    wg.tma_load %K[%j, %c0], %kring[%from] : !kmap, !kring
    %fromN = wg.advance %from : !from
    %k = wg.acquire %kring[%to] : !kring
    %toN = wg.advance %to : !to
    %s = wg.mma %q, %k, %zeros {transpose_b} : !qtile, !ktile, !s
    wg.release %kring[%to] : !kring
    %kept = wg.map(%s : !s) -> !s {
    ^bb0(%x: f32, %r: index, %c: index):
      %keep = arith.cmpi sle, %c, %r : index
      %y = arith.select %keep, %x, %zero : f32
      wg.yield %y : f32
    }
    %l1 = wg.reduce_rows addf %kept, %l : !s, !rows
    scf.yield %l1, %fromN, %toN : !rows, !from, !to
  }
  wg.release %qring[%qto] : !qring
  wg.store_rows %sum#0, %O rows %n : !rows, !out
  gpu.return
}

// CHECK-LABEL: gpu.func @others
// CHECK-NOT: wg.role
gpu.func @others(%O: !out, %x: f32, %n: index) kernel attributes {fa.kernel, known_block_size = array<i32: 256, 1, 1>} {
  %r = wg.splat %x : f32 -> !rows
  wg.store_rows %r, %O rows %n : !rows, !out
  gpu.return
}
}
}
