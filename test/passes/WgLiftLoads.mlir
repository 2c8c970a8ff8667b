// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-lift-loads | FileCheck %s

!s = !wg.frag<64x64xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!out = memref<?x64xf32, strided<[?, 1], offset: ?>>

module attributes {fa.stage = "async"} {
gpu.module @m {

// One load in front of the first map serves the loop's map too.
// CHECK-LABEL: gpu.func @slope
// CHECK-SAME: %[[MEM:[a-z0-9]+]]: memref<?xf32>, %[[H:[a-z0-9]+]]: index
// CHECK: %[[SLOPE:.*]] = memref.load %[[MEM]][%[[H]]]
// CHECK-NEXT: wg.map
// CHECK: arith.mulf %{{.*}}, %[[SLOPE]]
// CHECK: scf.for
// CHECK-NOT: memref.load %[[MEM]][%[[H]]]
// CHECK: arith.mulf %{{.*}}, %[[SLOPE]]
// What depends on the element stays.
// CHECK-NEXT: memref.load %[[MEM]][%{{.*}}]
gpu.func @slope(%s: !s, %mem: memref<?xf32>, %h: index, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %slope = memref.load %mem[%h] : memref<?xf32>
    %y = arith.mulf %x, %slope : f32
    wg.yield %y : f32
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%v = %t) -> !s {
    %w = wg.map(%v : !s) -> !s {
    ^bb0(%x: f32, %row: index, %col: index):
      %slope = memref.load %mem[%h] : memref<?xf32>
      %y = arith.mulf %x, %slope : f32
      %other = memref.load %mem[%col] : memref<?xf32>
      %z = arith.addf %y, %other : f32
      wg.yield %z : f32
    }
    scf.yield %w : !s
  }
  gpu.return
}

// Two maps with a store to global memory in the loop: it may change what is read.
// CHECK-LABEL: gpu.func @written
// CHECK: memref.load
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NEXT: wg.map
gpu.func @written(%s: !s, %mem: memref<?xf32>, %h: index, %n: index, %o: !out) kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %slope = memref.load %mem[%h] : memref<?xf32>
    %y = arith.mulf %x, %slope : f32
    wg.yield %y : f32
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%v = %t) -> !s {
    %w = wg.map(%v : !s) -> !s {
    ^bb0(%x: f32, %row: index, %col: index):
      %slope = memref.load %mem[%h] : memref<?xf32>
      %y = arith.mulf %x, %slope : f32
      wg.yield %y : f32
    }
    wg.store %w, %o rows %n : !s, !out
    scf.yield %w : !s
  }
  gpu.return
}
}
}
