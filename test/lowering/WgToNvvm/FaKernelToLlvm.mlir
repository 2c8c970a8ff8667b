// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-kernel-to-llvm --canonicalize | FileCheck %s

// CHECK: module attributes {fa.stage = "nvvm"}
module attributes {fa.stage = "addressed"} {
  gpu.module @kernels attributes {fa.target = "sm_80"} {
    // CHECK: llvm.func @f(%[[P:.*]]: !llvm.ptr<1>, %[[N:.*]]: i64, %[[X:.*]]: f32, %[[Z:.*]]: f32) attributes
    // CHECK-SAME: nvvm.kernel
    // CHECK-SAME: nvvm.minctasm = 2 : i32
    // CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
    gpu.func @f(%p: memref<f32>, %n: index, %x: f32, %z: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, wg.min_blocks = 2 : i32} {
      // CHECK: %[[GENERIC:.*]] = llvm.addrspacecast %[[P]] : !llvm.ptr<1> to !llvm.ptr
      // CHECK: %[[B:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
      // CHECK: llvm.zext %[[B]] : i32 to i64
      %b = gpu.block_id x
      // CHECK-NOT: __nv_
      // CHECK: llvm.intr.minnum(%[[X]], %[[Z]])
      %y = arith.minnumf %x, %z : f32
      %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
      // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr
      memref.store %y, %m[%b] : memref<?xf32>
      // CHECK: llvm.return
      gpu.return
    }
  }
}
