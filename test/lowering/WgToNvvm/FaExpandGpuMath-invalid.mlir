// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-expand-gpu-math

gpu.module @kernels {
  gpu.func @sine(%x: f32, %p: memref<f32>) kernel {
    // expected-error @+1 {{'math.sin' op is not supported in a kernel on 'f32': supported are absf, ceil, copysign, exp, exp2, floor, fma, log, log2, powf, roundeven, rsqrt, sqrt and tanh on f16, bf16 and f32}}
    %0 = math.sin %x : f32
    memref.store %0, %p[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wide(%x: f64, %p: memref<f64>) kernel {
    // expected-error @+1 {{'math.exp' op is not supported in a kernel on 'f64'}}
    %0 = math.exp %x : f64
    memref.store %0, %p[] : memref<f64>
    gpu.return
  }
}
