// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-expand-gpu-math | FileCheck %s
// RUN: fa-opt %s --fa-nvvm-pipeline --fa-emit-ptx=to=- -o /dev/null | FileCheck %s --check-prefix=PTX
// PTX-NOT: .extern

gpu.module @kernels attributes {fa.target = "sm_80"} {
  // CHECK-LABEL: gpu.func @native
  gpu.func @native(%p: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = memref.load %p[] : memref<f32>
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
    %0 = math.exp2 %x : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
    %1 = math.log2 %0 : f32
    // CHECK: %[[LG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
    // CHECK: arith.mulf %[[LG2]]
    %2 = math.log %1 : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
    %3 = math.sqrt %2 : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
    %4 = math.rsqrt %3 : f32
    // CHECK: llvm.intr.floor
    %5 = math.floor %4 : f32
    // CHECK: llvm.intr.ceil
    %6 = math.ceil %5 : f32
    // CHECK: llvm.intr.roundeven
    %7 = math.roundeven %6 : f32
    // CHECK: llvm.intr.fabs
    %8 = math.absf %7 : f32
    // CHECK: llvm.intr.fma
    %9 = math.fma %8, %x, %x : f32
    // CHECK: llvm.intr.copysign
    %10 = math.copysign %9, %x : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
    %11 = arith.divf %10, %x : f32
    // With arcp, by the reciprocal.
    // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
    // CHECK: arith.mulf %{{.*}}, %[[R]]
    %12 = arith.divf %11, %x fastmath<arcp> : f32
    memref.store %12, %p[] : memref<f32>
    gpu.return
  }

  // PTX-LABEL: .entry expanded(
  // CHECK-LABEL: gpu.func @expanded
  gpu.func @expanded(%p: memref<f32>, %h: memref<f16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = memref.load %p[] : memref<f32>
    // The power, and the correction for what the rounded product lost.
    // CHECK: %[[T:.*]] = arith.mulf %[[X:.*]], %[[LOG2E:.*]] : f32
    // CHECK: %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
    // CHECK: %[[NEG:.*]] = arith.negf %[[T]]
    // CHECK: llvm.intr.fma(%[[X]], %[[LOG2E]], %[[NEG]])
    // CHECK: arith.select %{{.*}}, %{{.*}}, %[[POWER]]
    %0 = math.exp %x : f32
    // CHECK: %[[T:.*]] = arith.mulf
    // CHECK: %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
    // CHECK-NOT: arith.negf
    // CHECK: llvm.intr.copysign
    %1 = math.exp %0 fastmath<afn> : f32
    %2 = math.tanh %1 : f32
    %3 = math.powf %2, %x : f32
    memref.store %3, %p[] : memref<f32>
    // 16-bit floats go through f32.
    // CHECK: arith.extf %{{.*}} : f16 to f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
    // CHECK: arith.truncf %{{.*}} : f32 to f16
    %y = memref.load %h[] : memref<f16>
    %4 = math.exp2 %y : f16
    memref.store %4, %h[] : memref<f16>
    gpu.return
  }

  // Where the absolute error counts, the form for large arguments does for all.
  // CHECK-LABEL: gpu.func @far
  gpu.func @far(%p: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = memref.load %p[] : memref<f32>
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
    // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
    // CHECK: %[[FAR:.*]] = llvm.intr.copysign
    // CHECK-NOT: arith.select
    // CHECK: memref.store %[[FAR]]
    %0 = math.tanh %x fastmath<afn> : f32
    memref.store %0, %p[] : memref<f32>
    gpu.return
  }
}
