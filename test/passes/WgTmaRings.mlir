// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-tma-rings | FileCheck %s
// RUN: fa-opt %s --wg-tma-rings --wg-expand-loads | fa-opt -o /dev/null

!qtile = !wg.smem<128x64xf16, sw128>
!ktile = !wg.smem<64x64xf16, sw128>
!s = !wg.frag<128x64xf32, acc, warps = 8>
!tensor = memref<?x?x64xf16, strided<[?, ?, 1]>>
!tile = memref<?x64xf16, strided<[?, 1], offset: ?>>

module attributes {fa.stage = "values"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// Q once for the loop, K through a ring of two. K's rows end where the tensor
// ends, so that TMA brings the zeros; Q's are as many as the caller says.
// CHECK-LABEL: gpu.func @rings
// CHECK-SAME: %[[QMAP:[a-z0-9]+]]: !wg.tensor_map<128x64xf16, sw128, rank = 3> {fa.param = #fa.param<tensor_map "q"[0]>}
// CHECK-SAME: %[[KMAP:[a-z0-9]+]]: !wg.tensor_map<64x64xf16, sw128, rank = 3> {fa.param = #fa.param<tensor_map "k"[1]>}
// CHECK-NOT: pointer "q"
// CHECK: %[[QRING:.*]] = wg.alloc : !wg.ring<1 x 128x64xf16, sw128, consumers = 2>
// CHECK: %[[KRING:.*]] = wg.alloc : !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
// CHECK: wg.init %[[QRING]], %[[KRING]]
// CHECK: %[[QFROM:.*]] = wg.cursor : !wg.cursor<1, producer>
// CHECK: %[[QTO:.*]] = wg.cursor : !wg.cursor<1, consumer>
// CHECK: %[[FROM0:.*]] = wg.cursor : !wg.cursor<2, producer>
// CHECK: %[[TO0:.*]] = wg.cursor : !wg.cursor<2, consumer>
// The heads are the outer coordinate, the rows the last but one.
// CHECK: wg.tma_load %[[QMAP]][%[[HEAD:[a-z0-9]+]], %[[ROW:[a-z0-9]+]], %{{.*}}], %[[QRING]][%[[QFROM]]]
// CHECK: %[[Q:.*]] = wg.acquire %[[QRING]][%[[QTO]]]
// CHECK: scf.if
// CHECK-NEXT: wg.zero_rows %[[Q]] from %[[N:[a-z0-9]+]]
// CHECK-NEXT: wg.fence_async
// CHECK-NEXT: wg.barrier
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[FROM:.*]] = %[[FROM0]], %[[TO:.*]] = %[[TO0]])
// CHECK: wg.tma_load %[[KMAP]][%[[HEAD]], %{{.*}}, %{{.*}}], %[[KRING]][%[[FROM]]]
// CHECK-NEXT: %[[FROMN:.*]] = wg.advance %[[FROM]]
// CHECK-NEXT: %[[K:.*]] = wg.acquire %[[KRING]][%[[TO]]]
// CHECK-NOT: wg.zero_rows
// CHECK: %[[TON:.*]] = wg.advance %[[TO]]
// CHECK: wg.mma %[[Q]], %[[K]]
// CHECK-NEXT: wg.release %[[KRING]][%[[TO]]]
// CHECK: scf.yield %{{.*}}, %[[FROMN]], %[[TON]]
// CHECK: wg.release %[[QRING]][%[[QTO]]]
gpu.func @rings(%Q: memref<f16> {fa.param = #fa.param<pointer "q">},
                %qs: index {fa.param = #fa.param<stride "q"[0]>},
                %qh: index {fa.param = #fa.param<stride "q"[1]>},
                %K: memref<f16> {fa.param = #fa.param<pointer "k">},
                %H: index {fa.param = #fa.param<size "k"[0]>},
                %Sk: index {fa.param = #fa.param<size "k"[1]>},
                %kh: index {fa.param = #fa.param<stride "k"[0]>},
                %ks: index {fa.param = #fa.param<stride "k"[1]>},
                %head: index, %row: index, %n: index) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8>,
                known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // [rows, heads, 64] and [heads, keys, 64].
  %q = memref.reinterpret_cast %Q to offset: [0], sizes: [%Sk, %H, 64], strides: [%qs, %qh, 1] : memref<f16> to !tensor
  %k = memref.reinterpret_cast %K to offset: [0], sizes: [%H, %Sk, 64], strides: [%kh, %ks, 1] : memref<f16> to !tensor
  %qv = memref.subview %q[%row, %head, 0] [%n, 1, 64] [1, 1, 1] : !tensor to !tile
  %qt = wg.load %qv rows %n : !tile -> !qtile
  %zeros = wg.splat %zero : f32 -> !s
  %sum = scf.for %j = %c0 to %Sk step %c64 iter_args(%acc = %zeros) -> (!s) {
    %left = arith.subi %Sk, %j : index
    %kn = arith.minsi %left, %c64 : index
    %kv = memref.subview %k[%head, %j, 0] [1, %kn, 64] [1, 1, 1] : !tensor to !tile
    %kt = wg.load %kv rows %kn : !tile -> !ktile
    %s = wg.mma %qt, %kt, %acc {transpose_b} : !qtile, !ktile, !s
    scf.yield %s : !s
  }
  gpu.return
}

// A branch carries the cursors out, its other side as they were.
// CHECK-LABEL: gpu.func @branch
// CHECK: %[[AFTER:.*]]:2 = scf.if %{{.*}} -> (!wg.cursor<1, producer>, !wg.cursor<1, consumer>) {
// CHECK: wg.tma_load %{{.*}}, %[[RING:[a-z0-9]+]][%[[FROM:[a-z0-9]+]]]
// CHECK: %[[FROMN:.*]] = wg.advance %[[FROM]]
// CHECK: wg.acquire %[[RING]][%[[TO:[a-z0-9]+]]]
// CHECK: %[[TON:.*]] = wg.advance %[[TO]]
// CHECK: wg.release %[[RING]][%[[TO]]]
// CHECK: scf.yield %[[FROMN]], %[[TON]]
// CHECK: else
// CHECK: scf.yield %[[FROM]], %[[TO]]
// CHECK: wg.tma_load %{{.*}}, %[[RING]][%[[AFTER]]#0]
// CHECK: wg.acquire %[[RING]][%[[AFTER]]#1]
gpu.func @branch(%K: memref<f16> {fa.param = #fa.param<pointer "k">}, %H: index, %Sk: index, %kh: index, %ks: index,
                 %b: i1, %q: !qtile) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8>,
                known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %k = memref.reinterpret_cast %K to offset: [0], sizes: [%H, %Sk, 64], strides: [%kh, %ks, 1] : memref<f16> to !tensor
  %kv = memref.subview %k[0, 0, 0] [1, 64, 64] [1, 1, 1] : !tensor to memref<64x64xf16, strided<[?, 1]>>
  %zeros = wg.splat %zero : f32 -> !s
  scf.if %b {
    %t = wg.load %kv rows %c64 : memref<64x64xf16, strided<[?, 1]>> -> !ktile
    %s = wg.mma %q, %t, %zeros {transpose_b} : !qtile, !ktile, !s
  }
  %t = wg.load %kv rows %c64 : memref<64x64xf16, strided<[?, 1]>> -> !ktile
  %s = wg.mma %q, %t, %zeros {transpose_b} : !qtile, !ktile, !s
  gpu.return
}

// What a branch reads last it gives back itself, in front of what it does
// behind that; the other side gives back as well.
// CHECK-LABEL: gpu.func @early
// CHECK: wg.acquire %[[RING:[a-z0-9]+]][%[[TO:[a-z0-9]+]]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: wg.mma
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: wg.release %[[RING]][%[[TO]]]
// CHECK: wg.store_rows
// CHECK: } else {
// CHECK-NEXT: wg.release %[[RING]][%[[TO]]]
// CHECK-NOT: wg.release
// CHECK: gpu.return
gpu.func @early(%K: memref<f16> {fa.param = #fa.param<pointer "k">}, %H: index, %Sk: index, %kh: index, %ks: index,
                %b: i1, %q: !qtile, %O: memref<?xf32>) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8>,
                known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %k = memref.reinterpret_cast %K to offset: [0], sizes: [%H, %Sk, 64], strides: [%kh, %ks, 1] : memref<f16> to !tensor
  %kv = memref.subview %k[0, 0, 0] [1, 64, 64] [1, 1, 1] : !tensor to memref<64x64xf16, strided<[?, 1]>>
  %zeros = wg.splat %zero : f32 -> !s
  %none = wg.splat %zero : f32 -> !wg.rows<128xf32, warps = 8>
  %t = wg.load %kv rows %c64 : memref<64x64xf16, strided<[?, 1]>> -> !ktile
  scf.if %b {
    %sum = scf.for %j = %c0 to %Sk step %c64 iter_args(%acc = %zeros) -> (!s) {
      %s = wg.mma %q, %t, %acc {transpose_b} : !qtile, !ktile, !s
      scf.yield %s : !s
    }
    %l = wg.reduce_rows addf %sum, %none : !s, !wg.rows<128xf32, warps = 8>
    wg.store_rows %l, %O rows %Sk : !wg.rows<128xf32, warps = 8>, memref<?xf32>
  }
  gpu.return
}

// Only kernels that ask for it.
// CHECK-LABEL: gpu.func @others
// CHECK: wg.load
// CHECK-NOT: wg.tma_load
gpu.func @others(%K: memref<?x64xf16, strided<[?, 1], offset: ?>>, %n: index) kernel attributes {fa.kernel} {
  %t = wg.load %K rows %n : !tile -> !ktile
  gpu.return
}
}
}
