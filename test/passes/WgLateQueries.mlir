// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-late-queries | FileCheck %s

!rows = memref<?x64xf16, strided<[?, 1], offset: ?>>
!q = !wg.smem<128x64xf16, sw128>
!k = !wg.smem<64x64xf16, sw128>
!s = !wg.frag<128x64xf32, acc, warps = 8>

module attributes {fa.stage = "values"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @one_buffer
// CHECK-NOT: wg.load
// CHECK: scf.if
// CHECK: wg.load %{{.*}} -> !wg.smem<64x64
// CHECK: wg.load %{{.*}} -> !wg.smem<128x64
// CHECK-NEXT: wg.mma
gpu.func @one_buffer(%Q: !rows, %K: !rows, %O: !rows, %n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = wg.splat %zero : f32 -> !s
  %q = wg.load %Q rows %n : !rows -> !q
  %some = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %some -> (!s) {
    %k = wg.load %K rows %n : !rows -> !k
    %s = wg.mma %q, %k, %zeros {transpose_b} : !q, !k, !s
    scf.yield %s : !s
  } else {
    scf.yield %zeros : !s
  }
  gpu.return
}

// With two buffers it is loaded early.
// CHECK-LABEL: gpu.func @two_buffers
// CHECK: wg.load %{{.*}} -> !wg.smem<128x64
// CHECK: scf.if
gpu.func @two_buffers(%Q: !rows, %K: !rows, %n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter, q_buffers = 2>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = wg.splat %zero : f32 -> !s
  %q = wg.load %Q rows %n : !rows -> !q
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    %k = wg.load %K rows %n : !rows -> !k
    %s = wg.mma %q, %k, %zeros {transpose_b} : !q, !k, !s
  }
  gpu.return
}

// Where tiles overlap the next one asks for Q first.
// CHECK-LABEL: gpu.func @overlap
// CHECK: wg.load %{{.*}} -> !wg.smem<128x64
// CHECK: scf.if
gpu.func @overlap(%Q: !rows, %K: !rows, %n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter, overlap_tiles = true>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = wg.splat %zero : f32 -> !s
  %q = wg.load %Q rows %n : !rows -> !q
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    %k = wg.load %K rows %n : !rows -> !k
    %s = wg.mma %q, %k, %zeros {transpose_b} : !q, !k, !s
  }
  gpu.return
}

// A block with one tile waits for nothing.
// CHECK-LABEL: gpu.func @one_tile
// CHECK: wg.load %{{.*}} -> !wg.smem<128x64
// CHECK: scf.if
gpu.func @one_tile(%Q: !rows, %K: !rows, %n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = wg.splat %zero : f32 -> !s
  %q = wg.load %Q rows %n : !rows -> !q
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    %k = wg.load %K rows %n : !rows -> !k
    %s = wg.mma %q, %k, %zeros {transpose_b} : !q, !k, !s
  }
  gpu.return
}

// A user outside of the branch.
// CHECK-LABEL: gpu.func @used_outside
// CHECK: wg.load %{{.*}} -> !wg.smem<128x64
// CHECK: scf.if
gpu.func @used_outside(%Q: !rows, %K: !rows, %n: index) kernel attributes {fa.kernel, fa.tma,
    fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = wg.splat %zero : f32 -> !s
  %q = wg.load %Q rows %n : !rows -> !q
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    %k = wg.load %K rows %n : !rows -> !k
    %s = wg.mma %q, %k, %zeros {transpose_b} : !q, !k, !s
  }
  %k = wg.load %K rows %n : !rows -> !k
  %s = wg.mma %q, %k, %zeros {transpose_b} : !q, !k, !s
  gpu.return
}
}
}
