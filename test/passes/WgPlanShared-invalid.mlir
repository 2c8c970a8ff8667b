// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt --split-input-file --verify-diagnostics --wg-plan-shared %s

!global = memref<?x128xf16, strided<[?, 1], offset: ?>>

gpu.module @kernels attributes {fa.target = "sm_80"} {
  // expected-error @+1 {{needs 229376 bytes of shared memory, sm_80 has 166912 for a block: smaller tiles or fewer stages may fit}}
  gpu.func @large(%mem: !global, %n: index) kernel attributes {fa.kernel} {
    %a = wg.alloc : !wg.ring<3 x 256x128xf16>
    %b = wg.alloc : !wg.smem<128x128xf16>
    %zero = arith.constant 0 : index
    %s = wg.slot %a[%zero] : !wg.ring<3 x 256x128xf16>
    wg.copy %mem, %s rows %n : !global, !wg.smem<256x128xf16>
    wg.copy %mem, %b rows %n : !global, !wg.smem<128x128xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {fa.target = "sm_1"} {
  // expected-error @+1 {{expects a gpu.module for one of sm_80, sm_86, sm_89, sm_90a, got "sm_1"}}
  gpu.func @unknown() kernel attributes {fa.kernel} {
    gpu.return
  }
}

// -----

// expected-error @+1 {{expects IR at stage pipelined or specialized or async, got values}}
module attributes {fa.stage = "values"} {}
