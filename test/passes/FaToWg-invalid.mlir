// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-to-wg -split-input-file -verify-diagnostics

gpu.module @m {
  // expected-error @below {{expects the attribute fa.schedule, which says how many warps share a tile}}
  gpu.func @no_schedule() kernel attributes {fa.kernel} {
        gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @ragged() kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<24x16xf32>
    // expected-error @below {{expects a tile of static shape, its rows a multiple of 16 for each of the 2 warps and its columns of 8 (or a vector of f32), got 'tensor<24x16xf32>'}}
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x16xf32>) -> tensor<24x16xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @doubles() kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %zero = arith.constant 0.0 : f64
    %e = tensor.empty() : tensor<32x16xf64>
    // expected-error @below {{expects f16 or bf16, or f32 in layout acc, got 'f64' in layout acc}}
    %f = linalg.fill ins(%zero : f64) outs(%e : tensor<32x16xf64>) -> tensor<32x16xf64>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @padding(%m: memref<?x64xf16>) kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %c8 = arith.constant 8 : index
    %one = arith.constant 1.0 : f16
    %t = bufferization.to_tensor %m restrict : memref<?x64xf16> to tensor<?x64xf16>
    // expected-error @below {{expects zeros after the rows of a tile, and a static shape}}
    %p = tensor.pad %t low[0, 0] high[%c8, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %one : f16
    } : tensor<?x64xf16> to tensor<32x64xf16>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @permuted() kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    // expected-error @below {{expects a result indexed as the tile, got affine_map<(d0, d1) -> (d1, d0)>}}
    %r = linalg.generic {indexing_maps = [affine_map<(r, c) -> (c, r)>], iterator_types = ["parallel", "parallel"]}
        outs(%f : tensor<32x32xf32>) {
    ^bb0(%x: f32):
      %row = linalg.index 0 : index
      %i = arith.index_cast %row : index to i32
      %y = arith.sitofp %i : i32 to f32
      linalg.yield %y : f32
    } -> tensor<32x32xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @reduction() kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
    %re = tensor.empty() : tensor<32xf32>
    %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<32xf32>) -> tensor<32xf32>
    // expected-error @below {{expects a sum (arith.addf) or a maximum (arith.maximumf) along the rows of one tile}}
    %r = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%f : tensor<32x16xf32>) outs(%rz : tensor<32xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.mulf %x, %o : f32
      linalg.yield %y : f32
    } -> tensor<32xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @left_of_f32(%m: memref<16x16xf16>) kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
    %t = bufferization.to_tensor %m restrict : memref<16x16xf16> to tensor<16x16xf16>
    // expected-error @below {{expects a left operand of f16 or bf16, got 'tensor<32x16xf32>'}}
    %r = linalg.matmul ins(%f, %t : tensor<32x16xf32>, tensor<16x16xf16>) outs(%f : tensor<32x16xf32>) -> tensor<32x16xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @carried_empty() kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %e = tensor.empty() : tensor<32x16xf32>
    // expected-error @below {{expects an operand that was computed in the kernel}}
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %e) -> tensor<32x16xf32> {
      scf.yield %x : tensor<32x16xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @nested_tensors(%b: i1) kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>} {
    // expected-error @below {{'scf.while' op on tensors has no form at stage values}}
    scf.while : () -> () {
      %e = tensor.empty() : tensor<32x16xf32>
      scf.condition(%b)
    } do {
      scf.yield
    }
    gpu.return
  }
}

// -----

// expected-error @below {{expects IR at stage outlined, got online}}
module attributes {fa.stage = "online"} {
}

// -----

#tile = affine_map<(r, c) -> (r, c)>

gpu.module @m attributes {fa.target = "sm_80"} {
  // expected-error @below {{needs 512 registers a thread for its tiles, sm_80 has 255 for each of 32 threads: smaller tiles, or more warps for a query tile, may fit}}
  gpu.func @registers() kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 128, warps = 1>,
      known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<128x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
    %r = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<128x128xf32>) {
    ^bb0(%x: f32):
      %y = arith.negf %x : f32
      linalg.yield %y : f32
    } -> tensor<128x128xf32>
    gpu.return
  }
}

// -----

#tile = affine_map<(r, c) -> (r, c)>

gpu.module @m attributes {fa.target = "sm_80"} {
  // Carried by the loop while the other is in it.
  // expected-error @below {{needs 320 registers a thread for its tiles, sm_80 has 255 for each of 128 threads}}
  gpu.func @carried(%n: index) kernel attributes {fa.kernel, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 128, warps = 4>,
      known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<128x256xf32>
    %d = tensor.empty() : tensor<128x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> tensor<128x256xf32> {
      %s = linalg.fill ins(%zero : f32) outs(%d : tensor<128x64xf32>) -> tensor<128x64xf32>
      %t = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%s : tensor<128x64xf32>) {
      ^bb0(%x: f32):
        %y = arith.negf %x : f32
        linalg.yield %y : f32
      } -> tensor<128x64xf32>
      scf.yield %acc : tensor<128x256xf32>
    }
    gpu.return
  }
}
