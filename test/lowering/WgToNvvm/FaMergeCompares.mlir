// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-merge-compares --canonicalize | FileCheck %s

gpu.module @kernels {
  // %x <= c and %y < c + 3: four elements share the larger of %x and %y - 2.
  // CHECK-LABEL: gpu.func @merged
  // CHECK: %[[MOVED:.*]] = arith.subi %{{.*}}, %c2_i32
  // CHECK-NEXT: %[[BOTH:.*]] = arith.maxsi %{{.*}}, %[[MOVED]] : i32
  // CHECK-DAG: arith.cmpi sle, %[[BOTH]], %c-1_i32 : i32
  // CHECK-DAG: arith.cmpi sle, %[[BOTH]], %c-2_i32 : i32
  // CHECK-DAG: arith.cmpi sle, %[[BOTH]], %c-9_i32 : i32
  // CHECK-DAG: arith.cmpi sle, %[[BOTH]], %c-10_i32 : i32
  // CHECK-NOT: arith.cmpi
  // CHECK: gpu.return
  gpu.func @merged(%xi: i16, %yi: i16, %m: memref<4xi1>) kernel {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %x = arith.extsi %xi : i16 to i32
    %y = arith.extsi %yi : i16 to i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c7 = arith.constant -7 : i32
    %c6 = arith.constant -6 : i32
    %d1 = arith.constant -1 : i32
    %d2 = arith.constant -2 : i32
    %d9 = arith.constant -9 : i32
    %d10 = arith.constant -10 : i32
    %a0 = arith.cmpi sle, %x, %d1 : i32
    %b0 = arith.cmpi slt, %y, %c2 : i32
    %k0 = arith.andi %a0, %b0 : i1
    memref.store %k0, %m[%i0] : memref<4xi1>
    %a1 = arith.cmpi sle, %x, %d2 : i32
    %b1 = arith.cmpi slt, %y, %c1 : i32
    %k1 = arith.andi %a1, %b1 : i1
    memref.store %k1, %m[%i1] : memref<4xi1>
    %a2 = arith.cmpi sle, %x, %d9 : i32
    %b2 = arith.cmpi slt, %y, %c6 : i32
    %k2 = arith.andi %a2, %b2 : i1
    memref.store %k2, %m[%i2] : memref<4xi1>
    %a3 = arith.cmpi sle, %x, %d10 : i32
    %b3 = arith.cmpi slt, %y, %c7 : i32
    %k3 = arith.andi %a3, %b3 : i1
    memref.store %k3, %m[%i3] : memref<4xi1>
    gpu.return
  }

  // Nothing is known of %y: moved by 2 it might wrap.
  // CHECK-LABEL: gpu.func @wraps
  // CHECK-NOT: arith.maxsi
  // CHECK: gpu.return
  gpu.func @wraps(%x: i32, %y: i32, %m: memref<4xi1>) kernel {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %a0 = arith.cmpi sle, %x, %c0 : i32
    %b0 = arith.cmpi sle, %y, %c2 : i32
    %k0 = arith.andi %a0, %b0 : i1
    memref.store %k0, %m[%i0] : memref<4xi1>
    %a1 = arith.cmpi sle, %x, %c1 : i32
    %b1 = arith.cmpi sle, %y, %c3 : i32
    %k1 = arith.andi %a1, %b1 : i1
    memref.store %k1, %m[%i1] : memref<4xi1>
    %a2 = arith.cmpi sle, %x, %c2 : i32
    %b2 = arith.cmpi sle, %y, %c4 : i32
    %k2 = arith.andi %a2, %b2 : i1
    memref.store %k2, %m[%i2] : memref<4xi1>
    %a3 = arith.cmpi sle, %x, %c3 : i32
    %b3 = arith.cmpi sle, %y, %c5 : i32
    %k3 = arith.andi %a3, %b3 : i1
    memref.store %k3, %m[%i3] : memref<4xi1>
    gpu.return
  }
}
