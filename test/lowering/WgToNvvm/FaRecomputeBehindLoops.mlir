// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-recompute-behind-loops | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @tile
  // CHECK-SAME: (%[[N:.*]]: index, %[[P:.*]]: memref<?xindex>
  gpu.func @tile(%n: index, %p: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %block = gpu.block_id x
    // CHECK: %[[SIZE:.*]] = arith.muli %[[N]], %{{.*}} : index
    %size = arith.muli %n, %c128 : index
    // CHECK: %[[ROW:.*]] = arith.muli
    %row = arith.muli %block, %c128 : index
    // CHECK: %[[READ:.*]] = memref.load
    %read = memref.load %p[%row] : memref<?xindex>
    %left = arith.subi %size, %row : index
    // What the loop uses stays in front of it.
    // CHECK: scf.for
    // CHECK-NEXT: memref.store %[[ROW]]
    scf.for %i = %c0 to %n step %c1 {
      memref.store %row, %p[%i] : memref<?xindex>
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[BLOCK:.*]] = gpu.block_id x
    // CHECK-NEXT: %[[ZERO32:.*]] = llvm.inline_asm has_side_effects {{.*}}%dynamic_smem_size
    // CHECK-NEXT: %[[ZERO:.*]] = arith.index_castui %[[ZERO32]]
    // CHECK-NEXT: %[[AGAIN:.*]] = arith.addi %[[BLOCK]], %[[ZERO]]
    // CHECK-NEXT: %[[ROW1:.*]] = arith.muli %[[AGAIN]]
    // What the block's number has no part in is not computed again.
    // CHECK-NEXT: %[[LEFT1:.*]] = arith.subi %[[SIZE]], %[[ROW1]]
    // CHECK: scf.if
    // CHECK-NEXT: memref.store %[[LEFT1]], %[[P]][%[[ROW1]]]
    %some = arith.cmpi sgt, %n, %c1 : index
    scf.if %some {
      memref.store %left, %p[%row] : memref<?xindex>
    }
    // Nor is memory read again.
    // CHECK: memref.store %[[READ]], %[[P]][%[[SIZE]]]
    memref.store %read, %p[%size] : memref<?xindex>
    gpu.return
  }

  // The same for a thread, also one whose number is read behind the loop alone.
  // CHECK-LABEL: gpu.func @thread
  gpu.func @thread(%n: index, %p: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    // CHECK: scf.for
    scf.for %i = %c0 to %n step %c1 {
      memref.store %thread, %p[%i] : memref<?xi32>
    }
    // CHECK: %[[HERE:.*]] = nvvm.read.ptx.sreg.tid.x
    // CHECK-NEXT: %[[ZERO:.*]] = llvm.inline_asm
    // CHECK-NEXT: %[[AGAIN:.*]] = arith.addi %[[HERE]], %[[ZERO]]
    // CHECK: memref.store %[[AGAIN]]
    memref.store %thread, %p[%n] : memref<?xi32>
    // CHECK: %[[HERE:.*]] = llvm.inline_asm {{.*}}%tid.x
    // CHECK-NEXT: %[[ZERO:.*]] = llvm.inline_asm
    // CHECK-NEXT: %[[AGAIN:.*]] = arith.addi %[[HERE]], %[[ZERO]]
    // CHECK-NEXT: memref.store %[[AGAIN]]
    %here = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %tid.x;", "=r,~{memory}" : () -> i32
    memref.store %here, %p[%n] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @no_loop
  // CHECK-NOT: llvm.inline_asm
  gpu.func @no_loop(%p: memref<?xindex>) kernel {
    %block = gpu.block_id x
    memref.store %block, %p[%block] : memref<?xindex>
    gpu.return
  }
}
