// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt --split-input-file --verify-diagnostics --wg-expand-loads %s

!global = memref<?x128xf16, strided<[?, 1], offset: ?>>
!tile = !wg.smem<64x128xf16>

// The next iteration writes the one place that the tile has.
gpu.module @kernels {
  gpu.func @carried(%q: !global, %n: index) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %step = arith.constant 64 : index
    %first = wg.load %q rows %n : !global -> !tile
    %r = scf.for %i = %zero to %n step %step iter_args(%t = %first) -> (!tile) {
      // expected-error @+1 {{expects a tile that is loaded in a loop to be used in the same iteration only, got a use in 'scf.yield'}}
      %next = wg.load %q rows %n : !global -> !tile
      scf.yield %next : !tile
    }
    gpu.return
  }
}

// -----

// expected-error @+1 {{expects IR at stage values or pipelined, got addressed}}
module attributes {fa.stage = "addressed"} {}
