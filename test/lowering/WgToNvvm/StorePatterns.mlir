// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s

gpu.module @kernels attributes {fa.target = "sm_80"} {
  // Pairs of elements go to the swizzled tile, chunks of 16 bytes from there to
  // the rows that exist.
  // CHECK-LABEL: gpu.func @through_shared
  gpu.func @through_shared(%p: memref<f16>, %n: index, %x: f16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %f = wg.splat %x : f16 -> !wg.frag<16x16xf16, acc, warps = 1>
    %t = wg.alloc {offset = 0} : !wg.smem<16x16xf16>
    // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
    wg.put %f, %t : !wg.frag<16x16xf16, acc, warps = 1>, !wg.smem<16x16xf16>
    // CHECK: nvvm.barrier
    wg.barrier
    // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
    // CHECK: scf.if %[[EXISTS]] {
    // CHECK: %[[CHUNK:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    // CHECK: llvm.store %[[CHUNK]], %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 16], strides: [16, 1] : memref<f16> to memref<?x16xf16, strided<[16, 1]>>
    %mc = memref.cast %m : memref<?x16xf16, strided<[16, 1]>> to memref<?x16xf16, strided<[?, 1], offset: ?>>
    wg.copy_out %t, %mc rows %n : !wg.smem<16x16xf16>, memref<?x16xf16, strided<[?, 1], offset: ?>>
    // Rows that are aligned to an element only.
    // CHECK: scf.if
    // CHECK-COUNT-8: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
    wg.copy_out %t, %mc rows %n {bytes = 2 : i64} : !wg.smem<16x16xf16>, memref<?x16xf16, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // Straight from the registers: two rows a lane, each with a test of its own.
  // CHECK-LABEL: gpu.func @direct
  gpu.func @direct(%p: memref<f16>, %n: index, %x: f16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %f = wg.splat %x : f16 -> !wg.frag<16x16xf16, acc, warps = 1>
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 16], strides: [16, 1] : memref<f16> to memref<?x16xf16, strided<[16, 1]>>
    %mc = memref.cast %m : memref<?x16xf16, strided<[16, 1]>> to memref<?x16xf16, strided<[?, 1], offset: ?>>
    // CHECK: scf.if
    // CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
    // CHECK: }
    // CHECK: scf.if
    // CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
    // CHECK: }
    wg.store %f, %mc rows %n : !wg.frag<16x16xf16, acc, warps = 1>, memref<?x16xf16, strided<[?, 1], offset: ?>>
    // CHECK-COUNT-8: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<1>
    wg.store %f, %mc rows %n {bytes = 2 : i64} : !wg.frag<16x16xf16, acc, warps = 1>, memref<?x16xf16, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // Rows: the first lane of each quad stores.
  // CHECK-LABEL: gpu.func @rows
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt
  // CHECK: %[[MINE:.*]] = arith.andi %[[FIRST]], %[[EXISTS]] : i1
  // CHECK: scf.if %[[MINE]] {
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
  gpu.func @rows(%p: memref<f32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = wg.splat %x : f32 -> !wg.rows<16xf32, warps = 1>
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
    %mc = memref.cast %m : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[?], offset: ?>>
    wg.store_rows %r, %mc rows %n : !wg.rows<16xf32, warps = 1>, memref<?xf32, strided<[?], offset: ?>>
    gpu.return
  }
}
