// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-store-tma | FileCheck %s

!h = !wg.frag<64x256xf16, acc, warps = 4>
!tensor = memref<?x256xf16, strided<[?, 1]>>
!view = memref<?x256xf16, strided<[?, 1], offset: ?>>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, tma_store = true>

module attributes {fa.stage = "specialized"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// 256 columns leave in two rounds. The rows that are left out stand past the
// end of the tensor.
// CHECK-LABEL: gpu.func @ends
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !wg.tensor_map<64x128xf16, sw128, rank = 2> {fa.param = #fa.param<tensor_map "o"[0]>}
// CHECK: %[[TILES:.*]] = wg.alloc : !wg.ring<2 x 64x128xf16, sw128>
// CHECK: wg.role "consumers"
// CHECK: %[[TILE:.*]] = wg.slot %[[TILES]]
// CHECK: %[[LEFT:.*]] = wg.slice %[[O:.*]] at 0
// CHECK: wg.wait_stores read
// CHECK-NEXT: wg.barrier
// CHECK-NEXT: wg.put %[[LEFT]], %[[TILE]]
// CHECK-NEXT: wg.fence_async
// CHECK-NEXT: wg.barrier
// CHECK-NEXT: wg.tma_store %[[TILE]], %[[MAP]][%[[ROW:.*]], %c0
// CHECK: %[[RIGHT:.*]] = wg.slice %[[O]] at 128
// CHECK: wg.put %[[RIGHT]], %[[TILE]]
// CHECK: wg.tma_store %[[TILE]], %[[MAP]][%[[ROW]], %c128
// CHECK-NOT: wg.store
// CHECK: wg.wait_stores done
gpu.func @ends(%O: memref<f16> {fa.param = #fa.param<pointer "o">}, %n: index, %stride: index, %row: index, %x: f16)
    kernel attributes {fa.kernel, fa.schedule = #schedule} {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %left = arith.subi %n, %row : index
    %rows = arith.minsi %left, %c128 : index
    %first = arith.muli %w, %c64 : index
    %own = arith.subi %rows, %first : index
    %exist = arith.maxsi %own, %c0 : index
    %t = memref.reinterpret_cast %O to offset: [0], sizes: [%n, 256], strides: [%stride, 1] : memref<f16> to !tensor
    %v = memref.subview %t[%row, 0] [%rows, 256] [1, 1] : !tensor to !view
    %part = memref.subview %v[%first, 0] [%exist, 256] [1, 1] : !view to !view
    %o = wg.splat %x : f16 -> !h
    wg.store %o, %part rows %exist : !h, !view
  }
  gpu.return
}

// Rows past the count may be the next sequence's.
// CHECK-LABEL: gpu.func @counts
// CHECK: wg.store
// CHECK-NOT: wg.tma_store
gpu.func @counts(%O: memref<f16> {fa.param = #fa.param<pointer "o">}, %n: index, %stride: index, %rows: index, %x: f16)
    kernel attributes {fa.kernel, fa.schedule = #schedule} {
  wg.role "consumers" warpgroups 1 to 2 registers 240 {
  ^bb0(%w: index):
    %t = memref.reinterpret_cast %O to offset: [0], sizes: [%n, 256], strides: [%stride, 1] : memref<f16> to !tensor
    %v = memref.subview %t[0, 0] [%rows, 256] [1, 1] : !tensor to memref<?x256xf16, strided<[?, 1]>>
    %o = wg.splat %x : f16 -> !h
    wg.store %o, %v rows %rows : !h, memref<?x256xf16, strided<[?, 1]>>
  }
  gpu.return
}
}
}
