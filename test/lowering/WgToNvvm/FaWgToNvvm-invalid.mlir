// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-wg-to-nvvm

// expected-error @+1 {{expects IR at stage addressed, got pipelined}}
module attributes {fa.stage = "pipelined"} {}

// -----

gpu.module @no_block_size {
  // expected-error @+1 {{'gpu.func' op expects the attribute 'known_block_size', since it decides what a thread does}}
  gpu.func @f() kernel {
    gpu.return
  }
}

// -----

gpu.module @no_offset {
  gpu.func @f(%p: memref<f16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @+2 {{'wg.alloc' op expects an offset, as it has from stage 'addressed' on}}
    // expected-error @+1 {{failed to legalize operation 'wg.alloc'}}
    %t = wg.alloc : !wg.smem<16x16xf16>
    gpu.return
  }
}

// -----

gpu.module @load_left {
  gpu.func @f(%p: memref<f16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 16], strides: [16, 1] : memref<f16> to memref<?x16xf16, strided<[16, 1]>>
    %mc = memref.cast %m : memref<?x16xf16, strided<[16, 1]>> to memref<?x16xf16, strided<[?, 1], offset: ?>>
    // expected-error @+1 {{failed to legalize operation 'wg.load' that was explicitly marked illegal}}
    %t = wg.load %mc rows %n : memref<?x16xf16, strided<[?, 1], offset: ?>> -> !wg.smem<16x16xf16>
    gpu.return
  }
}
