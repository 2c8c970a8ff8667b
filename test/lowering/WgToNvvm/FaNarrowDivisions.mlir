// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-narrow-divisions --cse | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @tile
  // CHECK-SAME: (%[[TILES:.*]]: index, %[[HEADS:.*]]: index,
  gpu.func @tile(%tiles: index, %heads: index, %p: memref<index>, %q: memref<index>, %r: memref<index>) kernel {
    // CHECK: %[[ID:.*]] = gpu.block_id x
    // CHECK: %[[MOST:.*]] = arith.constant 2147483647 : index
    // CHECK: %[[N:.*]] = arith.minui %[[TILES]], %[[MOST]] : index
    // CHECK-DAG: %[[ID32:.*]] = arith.index_castui %[[ID]] : index to i32
    // CHECK-DAG: %[[N32:.*]] = arith.index_castui %[[N]] : index to i32
    // CHECK: %[[BH32:.*]] = arith.divui %[[ID32]], %[[N32]] : i32
    // CHECK: %[[BH:.*]] = arith.index_castui %[[BH32]] : i32 to index
    %id = gpu.block_id x
    %bh = arith.divui %id, %tiles : index
    // CHECK: arith.remui %[[ID32]], %[[N32]] : i32
    %t = arith.remui %id, %tiles : index
    // CHECK: arith.minui %[[HEADS]], %[[MOST]]
    // CHECK: arith.divui %{{.*}}, %{{.*}} : i32
    %b = arith.divui %bh, %heads : index
    // Not a block's number.
    // CHECK: arith.divui %[[TILES]], %[[HEADS]] : index
    %x = arith.divui %tiles, %heads : index
    %y = arith.addi %b, %x : index
    memref.store %bh, %p[] : memref<index>
    memref.store %t, %q[] : memref<index>
    memref.store %y, %r[] : memref<index>
    gpu.return
  }
}
