// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s

gpu.module @kernels attributes {fa.target = "sm_80"} {
  // A from shared memory, B as it lies: 16 keys a read, two products for each.
  // CHECK-LABEL: gpu.func @scores
  gpu.func @scores(%out: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %q = wg.alloc {offset = 0} : !wg.smem<16x16xf16>
    %k = wg.alloc {offset = 512} : !wg.smem<16x16xf16>
    %c = wg.splat %zero : f32 -> !wg.frag<16x16xf32, acc, warps = 1>
    // CHECK: %[[A:.*]] = nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
    // CHECK-COUNT-4: llvm.extractvalue %[[A]]
    // CHECK: %[[B:.*]] = nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
    // CHECK: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
    // CHECK: %[[B1:.*]] = llvm.extractvalue %[[B]][1]
    // CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
    // CHECK: %[[B3:.*]] = llvm.extractvalue %[[B]][3]
    // CHECK-DAG: %[[H0:.*]] = llvm.bitcast %[[B0]] : i32 to vector<2xf16>
    // CHECK-DAG: %[[H1:.*]] = llvm.bitcast %[[B1]] : i32 to vector<2xf16>
    // CHECK: nvvm.mma.sync A[{{.*}}] B[%[[H0]], %[[H1]]] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
    // CHECK-DAG: %[[H2:.*]] = llvm.bitcast %[[B2]] : i32 to vector<2xf16>
    // CHECK-DAG: %[[H3:.*]] = llvm.bitcast %[[B3]] : i32 to vector<2xf16>
    // CHECK: nvvm.mma.sync A[{{.*}}] B[%[[H2]], %[[H3]]] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
    // CHECK-NOT: nvvm.mma.sync
    %s = wg.mma %q, %k, %c {transpose_b} : !wg.smem<16x16xf16>, !wg.smem<16x16xf16>, !wg.frag<16x16xf32, acc, warps = 1>
    %m = memref.reinterpret_cast %out to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32> to memref<16x16xf32, strided<[16, 1]>>
    %mc = memref.cast %m : memref<16x16xf32, strided<[16, 1]>> to memref<?x16xf32, strided<[?, 1], offset: ?>>
    %n = arith.constant 16 : index
    wg.store %s, %mc rows %n : !wg.frag<16x16xf32, acc, warps = 1>, memref<?x16xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // A in registers, bf16, B through the transposing read; an odd 8 of k and an
  // odd 8 of n are left.
  // CHECK-LABEL: gpu.func @values
  // CHECK-NOT: dynamic_smem_size
  gpu.func @values(%out: memref<f32>, %x: bf16) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %v = wg.alloc {offset = 0} : !wg.smem<24x24xbf16>
    %p = wg.splat %x : bf16 -> !wg.frag<32x24xbf16, a, warps = 2>
    %c = wg.splat %zero : f32 -> !wg.frag<32x24xf32, acc, warps = 2>
    // CHECK-COUNT-1: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 4
    // CHECK-COUNT-2: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}}k = 16
    // CHECK-COUNT-1: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 2
    // CHECK-COUNT-1: nvvm.mma.sync {{.*}}k = 16
    // CHECK-COUNT-1: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 2
    // CHECK-COUNT-2: nvvm.mma.sync {{.*}}k = 8
    // CHECK-COUNT-1: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 1
    // CHECK-COUNT-1: nvvm.mma.sync {{.*}}k = 8
    // CHECK-NOT: nvvm.mma.sync
    %o = wg.mma %p, %v, %c : !wg.frag<32x24xbf16, a, warps = 2>, !wg.smem<24x24xbf16>, !wg.frag<32x24xf32, acc, warps = 2>
    %m = memref.reinterpret_cast %out to offset: [0], sizes: [32, 24], strides: [24, 1] : memref<f32> to memref<32x24xf32, strided<[24, 1]>>
    %mc = memref.cast %m : memref<32x24xf32, strided<[24, 1]>> to memref<?x24xf32, strided<[?, 1], offset: ?>>
    %n = arith.constant 32 : index
    wg.store %o, %mc rows %n : !wg.frag<32x24xf32, acc, warps = 2>, memref<?x24xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // 128 accumulators and 64 scores a lane: the product begins a block of its own.
  // CHECK-LABEL: gpu.func @full
  // CHECK: llvm.inline_asm has_side_effects {{.*}}mov.u32 bytes, %dynamic_smem_size;
  // CHECK-COUNT-128: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  gpu.func @full(%out: memref<f32>, %x: f16) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %v = wg.alloc {offset = 0} : !wg.smem<64x128xf16>
    %p = wg.splat %x : f16 -> !wg.frag<128x64xf16, a, warps = 4>
    %c = wg.splat %zero : f32 -> !wg.frag<128x128xf32, acc, warps = 4>
    %o = wg.mma %p, %v, %c : !wg.frag<128x64xf16, a, warps = 4>, !wg.smem<64x128xf16>, !wg.frag<128x128xf32, acc, warps = 4>
    %m = memref.reinterpret_cast %out to offset: [0], sizes: [128, 128], strides: [128, 1] : memref<f32> to memref<128x128xf32, strided<[128, 1]>>
    %mc = memref.cast %m : memref<128x128xf32, strided<[128, 1]>> to memref<?x128xf32, strided<[?, 1], offset: ?>>
    %n = arith.constant 128 : index
    wg.store %o, %mc rows %n : !wg.frag<128x128xf32, acc, warps = 4>, memref<?x128xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}
