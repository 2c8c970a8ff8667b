// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-canonicalize-scalars | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f
  // CHECK-SAME: (%[[X:.*]]: i32, %[[N:.*]]: index, %[[P:.*]]: memref<i32>)
  gpu.func @f(%x: i32, %n: index, %p: memref<i32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %a = arith.addi %x, %one : i32
    %b = arith.addi %a, %two : i32
    // CHECK: %[[B:.*]] = arith.addi %[[X]], %c3_i32 : i32
    // The second value that the loop carries is the first: the canonicalizer
    // would take it out.
    // CHECK: scf.for {{.*}} iter_args(%[[R:.*]] = %[[B]], %[[S:.*]] = %[[B]])
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%r = %b, %s = %b) -> (i32, i32) {
      // CHECK: %[[T:.*]] = arith.addi %[[R]], %[[S]]
      %t = arith.addi %r, %s : i32
      // CHECK: scf.yield %[[T]], %[[T]]
      scf.yield %t, %t : i32, i32
    }
    %u = arith.addi %r#0, %r#1 : i32
    memref.store %u, %p[] : memref<i32>
    gpu.return
  }
}
