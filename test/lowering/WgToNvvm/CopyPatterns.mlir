// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s

gpu.module @kernels attributes {fa.target = "sm_80"} {
  // 32 rows of 8 chunks for 64 threads: 8 lanes a row, 8 rows a pass, 4 passes.
  // CHECK-LABEL: gpu.func @async
  // CHECK-SAME: %[[P:.*]]: memref<f16>, %[[N:.*]]: index, %[[STRIDE:.*]]: index)
  gpu.func @async(%p: memref<f16>, %n: index, %stride: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 64], strides: [%stride, 1] : memref<f16> to memref<?x64xf16, strided<[?, 1]>>
    %mc = memref.cast %m : memref<?x64xf16, strided<[?, 1]>> to memref<?x64xf16, strided<[?, 1], offset: ?>>
    %t = wg.alloc {offset = 256} : !wg.smem<32x64xf16>
    // The lane's row and chunk; its chunk's place is exchanged by the row.
    // CHECK: %[[TID:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %tid.x;", "=r,~{memory}"
    // CHECK: %[[ROW:.*]] = arith.divui %[[TID]], %c8_i32
    // CHECK: %[[CHUNK:.*]] = arith.remui %[[TID]], %c8_i32
    // CHECK: %[[F:.*]] = arith.remui %[[ROW]], %c8_i32
    // CHECK: arith.xori %[[CHUNK]], %[[F]]
    // Whole tiles read all 16 bytes of each chunk, row by row from the last
    // pass's address on.
    // CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %[[N]], %c32 : index
    // CHECK: scf.if %[[WHOLE]] {
    // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "cp.async.cg.shared.global.L2::128B [$0], [$1], 16, $2;", "r,l,r,~{memory}" %{{.*}}, %[[FIRST:.*]], %c16_i32
    // CHECK: arith.addi {{.*}} : index
    // CHECK: arith.index_cast
    // CHECK-COUNT-3: cp.async.cg
    // Others read nothing of the rows that do not exist.
    // CHECK: } else {
    // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}} : i32
    // CHECK: %[[SIZE:.*]] = arith.select %[[EXISTS]], %c16_i32, %c0_i32
    // CHECK: cp.async.cg{{.*}} %[[SIZE]] :
    // CHECK-COUNT-3: cp.async.cg
    // CHECK-NOT: cp.async.cg
    wg.copy_async %mc, %t rows %n : memref<?x64xf16, strided<[?, 1], offset: ?>>, !wg.smem<32x64xf16>
    // CHECK: nvvm.cp.async.commit.group
    // CHECK: nvvm.cp.async.wait.group 1
    // CHECK: nvvm.barrier
    wg.commit_copies
    wg.wait_copies 1
    wg.barrier
    gpu.return
  }

  // 8-byte addresses: two copies a chunk.
  // CHECK-LABEL: gpu.func @narrow
  // CHECK-COUNT-2: cp.async.ca.shared.global [$0], [$1], 8, $2;
  gpu.func @narrow(%m: memref<f16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = memref.reinterpret_cast %m to offset: [0], sizes: [%n, 8], strides: [12, 1] : memref<f16> to memref<?x8xf16, strided<[12, 1]>>
    %rc = memref.cast %r : memref<?x8xf16, strided<[12, 1]>> to memref<?x8xf16, strided<[?, 1], offset: ?>>
    %t = wg.alloc {offset = 0} : !wg.smem<32x8xf16>
    wg.copy_async %rc, %t rows %n {bytes = 8 : i64} : memref<?x8xf16, strided<[?, 1], offset: ?>>, !wg.smem<32x8xf16>
    gpu.return
  }

  // Plain loads of single elements, in a branch for the rows that exist; zeros
  // for the others. The tile has fewer rows than the block has threads.
  // CHECK-LABEL: gpu.func @plain
  gpu.func @plain(%m: memref<f16>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %r = memref.reinterpret_cast %m to offset: [0], sizes: [%n, 8], strides: [9, 1] : memref<f16> to memref<?x8xf16, strided<[9, 1]>>
    %rc = memref.cast %r : memref<?x8xf16, strided<[9, 1]>> to memref<?x8xf16, strided<[?, 1], offset: ?>>
    %t = wg.alloc {offset = 0} : !wg.smem<32x8xf16>
    // CHECK: %[[MINE:.*]] = arith.cmpi slt, %{{.*}}, %c32_i32 : i32
    // CHECK: scf.if %[[MINE]] {
    // CHECK: %[[CHUNK:.*]] = scf.if %{{.*}} -> (vector<4xi32>) {
    // CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
    // CHECK: } else {
    // CHECK: scf.yield %cst
    // CHECK: llvm.store %[[CHUNK]], %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    wg.copy %rc, %t rows %n {bytes = 2 : i64} : memref<?x8xf16, strided<[?, 1], offset: ?>>, !wg.smem<32x8xf16>
    gpu.return
  }

  // A slot is an address: the ring's plus a multiple of the tile's size.
  // CHECK-LABEL: gpu.func @slot
  // CHECK: %[[RING:.*]] = llvm.ptrtoint
  // CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[I]], %c512_i32
  // CHECK: arith.addi %[[RING]], %[[OFFSET]]
  gpu.func @slot(%m: memref<f16>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = memref.reinterpret_cast %m to offset: [0], sizes: [32, 8], strides: [8, 1] : memref<f16> to memref<32x8xf16, strided<[8, 1]>>
    %rc = memref.cast %r : memref<32x8xf16, strided<[8, 1]>> to memref<?x8xf16, strided<[?, 1], offset: ?>>
    %ring = wg.alloc {offset = 0} : !wg.ring<2 x 32x8xf16>
    %t = wg.slot %ring[%i] : !wg.ring<2 x 32x8xf16>
    wg.copy_out %t, %rc rows %i : !wg.smem<32x8xf16>, memref<?x8xf16, strided<[?, 1], offset: ?>>
    gpu.return
  }
}
