// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in flight: one inline assembly for all k steps and the commit, and
// waits that hold the accumulators.
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s

!q = !wg.smem<64x64xf16, sw128, panel = 128>
!k = !wg.smem<8x64xf16, sw128>
!acc = !wg.frag<64x8xf32, acc, warps = 4>
!pend = !wg.pending<64x8xf32, acc, warps = 4>

gpu.module @kernels attributes {fa.target = "sm_90a"} {
  // A and B by descriptor, from zero: the accumulator is an output only, and the
  // first of the four k steps does not add. 16 columns of K are 32 bytes.
  // CHECK-LABEL: gpu.func @scores
  // K-major: 1024 bytes between groups of 8 rows, 128-byte swizzle; then the
  // address in units of 16 bytes: 512 is band 1, 1024 where K lies.
  // CHECK-DAG: %[[QBITS:.*]] = arith.constant 4611686293305360896 : i64
  // CHECK-DAG: %[[KBITS:.*]] = arith.constant 4611686293305361408 : i64
  // CHECK: %[[UNITS:.*]] = arith.shrui %{{.*}} : i32
  // CHECK: %[[BASE:.*]] = arith.extui %[[UNITS]] : i32 to i64
  // CHECK: %[[QD:.*]] = arith.addi %[[BASE]], %[[QBITS]]
  // CHECK: %[[KD:.*]] = arith.addi %[[BASE]], %[[KBITS]]
  // CHECK: llvm.inline_asm has_side_effects {{.*}}mov.b64 {low, high}, $4;\0Awgmma.fence.sync.aligned;\0A
  // CHECK-SAME: add.u32 moved, low, 0;\0Amov.b64 da, {moved, high};\0Aadd.s64 db, $5, 0;\0Awgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, da, db, first, 1, 1, 0, 0;\0A
  // CHECK-SAME: add.u32 moved, low, 2;\0Amov.b64 da, {moved, high};\0Aadd.s64 db, $5, 2;\0Awgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, da, db, others, 1, 1, 0, 0;\0A
  // CHECK-SAME: add.u32 moved, low, 6;\0Amov.b64 da, {moved, high};\0Aadd.s64 db, $5, 6;\0Awgmma
  // CHECK-SAME: wgmma.commit_group.sync.aligned;
  // CHECK-SAME: "=f,=f,=f,=f,l,l,~{memory}" %[[QD]], %[[KD]] : (i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  gpu.func @scores(%out: memref<f32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %q = wg.alloc {offset = 0} : !wg.smem<128x64xf16, sw128>
    %c1 = arith.constant 1 : index
    %qw = wg.band %q[%c1] : !wg.smem<128x64xf16, sw128> -> !q
    %k = wg.alloc {offset = 16384} : !k
    %s0 = wg.mma_async %qw, %k {transpose_b} : !q, !k -> !pend
    %s = wg.wait_mma %s0 : !pend
    %m = memref.reinterpret_cast %out to offset: [0], sizes: [64, 8], strides: [8, 1] : memref<f32> to memref<64x8xf32, strided<[8, 1]>>
    %mc = memref.cast %m : memref<64x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %n = arith.constant 64 : index
    wg.store %s, %mc rows %n : !acc, memref<?x8xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // A in registers, B transposed by its descriptor, the accumulator tied; the
  // first wait keeps the second product in flight and holds its registers.
  // CHECK-LABEL: gpu.func @values
  // CHECK: llvm.inline_asm has_side_effects {{.*}}m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, db, first, 1, 1, 1;
  // CHECK-SAME: "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}m64n8k16
  // CHECK: "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}"
  // CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  gpu.func @values(%out: memref<f32>, %x: bf16, %y: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %v = wg.alloc {offset = 0} : !wg.smem<16x8xbf16, sw128>
    %p = wg.splat %x : bf16 -> !wg.frag<64x16xbf16, a, warps = 4>
    %c = wg.splat %y : f32 -> !acc
    %o0 = wg.mma_async %p, %v, %c : !wg.frag<64x16xbf16, a, warps = 4>, !wg.smem<16x8xbf16, sw128>, !acc -> !pend
    %s0 = wg.mma_async %p, %v : !wg.frag<64x16xbf16, a, warps = 4>, !wg.smem<16x8xbf16, sw128> -> !pend
    %o, %s1 = wg.wait_mma %o0 keep(%s0 : !pend) : !pend
    %s = wg.wait_mma %s1 : !pend
    %m = memref.reinterpret_cast %out to offset: [0], sizes: [64, 8], strides: [8, 1] : memref<f32> to memref<64x8xf32, strided<[8, 1]>>
    %mc = memref.cast %m : memref<64x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %n = arith.constant 64 : index
    wg.store %o, %mc rows %n : !acc, memref<?x8xf32, strided<[?, 1], offset: ?>>
    wg.store %s, %mc rows %n : !acc, memref<?x8xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // The first half of A in registers, which ldmatrix fills (rows of warp w from 16 w on), the rest by descriptor.
  // CHECK-LABEL: gpu.func @front
  // CHECK-COUNT-2: nvvm.ldmatrix %{{.*}} {{.*}}num = 4 : i32
  // CHECK: llvm.inline_asm has_side_effects {{.*}}mov.b64 {low, high}, $12;\0A
  // CHECK-SAME: {$0, $1, $2, $3}, {$4, $5, $6, $7}, db, first, 1, 1, 0;
  // CHECK-SAME: {$0, $1, $2, $3}, {$8, $9, $10, $11}, db, others, 1, 1, 0;
  // CHECK-SAME: add.u32 moved, low, 4;\0Amov.b64 da, {moved, high};\0Aadd.s64 db, $13, 4;\0Awgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, da, db, others, 1, 1, 0, 0;
  // CHECK-SAME: "=f,=f,=f,=f,r,r,r,r,r,r,r,r,l,l,~{memory}"
  gpu.func @front(%out: memref<f32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %q = wg.alloc {offset = 0} : !wg.smem<64x64xf16, sw128>
    %k = wg.alloc {offset = 8192} : !k
    %f = wg.get %q : !wg.smem<64x64xf16, sw128> -> !wg.frag<64x32xf16, a, warps = 4>
    %s0 = wg.mma_async %q front(%f : !wg.frag<64x32xf16, a, warps = 4>), %k {transpose_b} : !wg.smem<64x64xf16, sw128>, !k -> !pend
    %s = wg.wait_mma %s0 : !pend
    %m = memref.reinterpret_cast %out to offset: [0], sizes: [64, 8], strides: [8, 1] : memref<f32> to memref<64x8xf32, strided<[8, 1]>>
    %mc = memref.cast %m : memref<64x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %n = arith.constant 64 : index
    wg.store %s, %mc rows %n : !acc, memref<?x8xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}
