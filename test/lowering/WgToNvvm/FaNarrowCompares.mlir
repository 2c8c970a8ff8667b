// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-narrow-compares --cse | FileCheck %s

// CHECK-LABEL: gpu.func @causal
gpu.module @kernels {
  gpu.func @causal(%i0: index, %j0: index, %p: memref<i1>, %q: memref<i1>) kernel {
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %quad = arith.divui %tid, %c4 : i32
    %pair = arith.remui %tid, %c4 : i32
    %row = arith.index_castui %quad : i32 to index
    %col = arith.index_castui %pair : i32 to index
    // One difference for all elements, one comparison with a constant for each.
    // CHECK-DAG: %[[QUAD:.*]] = arith.divui
    // CHECK-DAG: %[[PAIR:.*]] = arith.remui
    // CHECK: %[[D:.*]] = arith.subi %arg1, %arg0 : index
    // CHECK: %[[LOW:.*]] = arith.minsi %[[D]], %{{.*}} : index
    // CHECK: %[[CLAMPED:.*]] = arith.maxsi %[[LOW]], %{{.*}} : index
    // CHECK: %[[D32:.*]] = arith.index_cast %[[CLAMPED]] : index to i32
    // CHECK: %[[C:.*]] = arith.addi %[[D32]], %[[PAIR]] : i32
    // CHECK: %[[E:.*]] = arith.subi %[[C]], %[[QUAD]] : i32
    // CHECK: arith.cmpi sle, %[[E]], %c8_i32 : i32
    // CHECK: arith.cmpi sle, %[[E]], %c-1_i32 : i32
    %i = arith.addi %i0, %row : index
    %i8 = arith.addi %i, %c8 : index
    %j = arith.addi %j0, %col : index
    %j9 = arith.addi %j, %c9 : index
    %k0 = arith.cmpi sle, %j, %i8 : index
    %k1 = arith.cmpi sle, %j9, %i8 : index
    memref.store %k0, %p[] : memref<i1>
    memref.store %k1, %q[] : memref<i1>
    gpu.return
  }

  // Nothing small, unsigned, or small only by chance: left as they are.
  // CHECK-LABEL: gpu.func @others
  gpu.func @others(%a: index, %b: index, %x: i32, %p: memref<i1>, %q: memref<i1>, %r: memref<i1>) kernel {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %t = arith.index_castui %tid : i32 to index
    %y = arith.index_castui %x : i32 to index
    // CHECK-COUNT-3: arith.cmpi {{.*}} : index
    %0 = arith.cmpi slt, %a, %b : index
    %1 = arith.cmpi ult, %t, %b : index
    %2 = arith.cmpi slt, %y, %b : index
    memref.store %0, %p[] : memref<i1>
    memref.store %1, %q[] : memref<i1>
    memref.store %2, %r[] : memref<i1>
    gpu.return
  }

  // The row of a warpgroup's band: the warpgroup's number, bounded, times 64.
  // CHECK-LABEL: gpu.func @band
  gpu.func @band(%w: i32, %limit: index, %p: memref<i1>) kernel {
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : index
    %low = arith.constant -1048576 : index
    %high = arith.constant 1048576 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %c4 : i32
    %bounded = arith.minui %w, %c1 : i32
    %group = arith.index_castui %bounded : i32 to index
    %first = arith.muli %group, %c64 : index
    %first32 = arith.index_cast %first : index to i32
    %least = arith.minsi %limit, %high : index
    %clamped = arith.maxsi %least, %low : index
    %limit32 = arith.index_cast %clamped : index to i32
    // CHECK: %[[FIRST:.*]] = arith.index_cast %{{.*}} : index to i32
    // CHECK: %[[LIMIT:.*]] = arith.index_cast %{{.*}} : index to i32
    // CHECK: %[[REST:.*]] = arith.subi %c0_i32, %[[LIMIT]]
    // CHECK: %[[A:.*]] = arith.addi %[[REST]], %{{.*}} : i32
    // CHECK: %[[B:.*]] = arith.subi %[[A]], %[[FIRST]] : i32
    // CHECK: arith.cmpi sle, %[[B]], %c0_i32
    %d = arith.subi %pair, %first32 : i32
    %k = arith.cmpi sle, %d, %limit32 : i32
    memref.store %k, %p[] : memref<i1>
    gpu.return
  }

  // The same where all is counted in 32 bits.
  // CHECK-LABEL: gpu.func @counted
  gpu.func @counted(%w: i32, %limit: i32, %p: memref<i1>) kernel {
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %low = arith.constant -1048576 : i32
    %high = arith.constant 1048576 : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %c4 : i32
    %col = arith.index_castui %pair : i32 to index
    %bounded = arith.minui %w, %c1 : i32
    %first = arith.muli %bounded, %c64 : i32
    %row = arith.index_cast %first : i32 to index
    %least = arith.minsi %limit, %high : i32
    %clamped = arith.maxsi %least, %low : i32
    // CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c64_i32 : i32
    // CHECK: %[[LIMIT:.*]] = arith.maxsi
    // CHECK: %[[REST:.*]] = arith.subi %c0_i32, %[[LIMIT]]
    // CHECK: %[[A:.*]] = arith.addi %[[REST]], %{{.*}} : i32
    // CHECK: %[[B:.*]] = arith.subi %[[A]], %[[FIRST]] : i32
    // CHECK: arith.cmpi sle, %[[B]], %c-8_i32
    %row32 = arith.index_cast %row : index to i32
    %col8 = arith.addi %col, %c8 : index
    %col32 = arith.index_cast %col8 : index to i32
    %d = arith.subi %col32, %row32 : i32
    %k = arith.cmpi sle, %d, %clamped : i32
    memref.store %k, %p[] : memref<i1>
    gpu.return
  }
}
