// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads become storage, a copy that is waited for, and barriers.
// RUN: fa-opt --wg-expand-loads %s | FileCheck %s

!global = memref<?x128xf16, strided<[?, 1], offset: ?>>
!tile = !wg.smem<64x128xf16>
!acc = !wg.frag<64x64xf32, acc, warps = 4>

// CHECK: fa.stage = "pipelined"
module attributes {fa.stage = "values"} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @wide
  gpu.func @wide(%q: !global, %k: !global, %n: index, %f: f32) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %step = arith.constant 64 : index
    // Nobody has read Q's place before: no barrier in front.
    // CHECK: %[[Q:.*]] = wg.alloc : !wg.smem<64x128xf16>
    // CHECK-NEXT: wg.copy_async %{{.*}}, %[[Q]] rows %{{.*}} : memref
    // CHECK-NEXT: wg.commit_copies
    // CHECK-NEXT: wg.wait_copies 0
    // CHECK-NEXT: wg.barrier
    %qt = wg.load %q rows %n : !global -> !tile
    %s0 = wg.splat %f : f32 -> !acc
    // CHECK: %[[K:.*]] = wg.alloc : !wg.smem<64x128xf16>
    // CHECK-NEXT: scf.for
    %r = scf.for %i = %zero to %n step %step iter_args(%s = %s0) -> (!acc) {
      // CHECK: wg.barrier
      // CHECK-NEXT: wg.copy_async %{{.*}}, %[[K]] rows %{{.*}} {bytes = 4 : i64}
      // CHECK-NEXT: wg.commit_copies
      // CHECK-NEXT: wg.wait_copies 0
      // CHECK-NEXT: wg.barrier
      %kt = wg.load %k rows %n {bytes = 4 : i64} : !global -> !tile
      // CHECK-NEXT: wg.mma %[[Q]], %[[K]],
      %t = wg.mma %qt, %kt, %s {transpose_b} : !tile, !tile, !acc
      scf.yield %t : !acc
    }
    gpu.return
  }

  // cp.async cannot move 2 bytes.
  // CHECK-LABEL: gpu.func @plain
  gpu.func @plain(%q: !global, %n: index, %f: f32) kernel attributes {fa.kernel} {
    // CHECK: %[[Q:.*]] = wg.alloc : !wg.smem<64x128xf16>
    // CHECK-NEXT: wg.copy %{{.*}}, %[[Q]] rows %{{.*}} {bytes = 2 : i64}
    // CHECK-NEXT: wg.barrier
    // CHECK-NEXT: wg.splat
    %qt = wg.load %q rows %n {bytes = 2 : i64} : !global -> !tile
    %s0 = wg.splat %f : f32 -> !acc
    %s = wg.mma %qt, %qt, %s0 {transpose_b} : !tile, !tile, !acc
    gpu.return
  }

  // What is no kernel stays as it is.
  // CHECK-LABEL: gpu.func @other
  // CHECK: wg.load
  gpu.func @other(%q: !global, %n: index) {
    %qt = wg.load %q rows %n : !global -> !tile
    gpu.return
  }

// A barrier between loops ends the first one's use of its tile, so that the
// second one's may have its place.
// CHECK-LABEL: gpu.func @two_loops
// CHECK: %[[A:.*]] = wg.alloc
// CHECK-NEXT: scf.for
// CHECK: wg.copy_async %{{.*}}, %[[A]]
// CHECK: wg.mma {{.*}}
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: wg.barrier
// CHECK-NEXT: %[[B:.*]] = wg.alloc
// CHECK-NEXT: scf.for
// CHECK: wg.copy_async %{{.*}}, %[[B]]
gpu.func @two_loops(%K: memref<?x64xf16, strided<[?, 1], offset: ?>>, %n: index, %q: !wg.smem<64x64xf16>,
                    %zeros: !wg.frag<64x64xf32, acc, warps = 4>) kernel attributes {fa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %k = wg.load %K rows %n : memref<?x64xf16, strided<[?, 1], offset: ?>> -> !wg.smem<64x64xf16>
    %s = wg.mma %q, %k, %zeros {transpose_b} : !wg.smem<64x64xf16>, !wg.smem<64x64xf16>, !wg.frag<64x64xf32, acc, warps = 4>
  }
  scf.for %j = %c0 to %n step %c1 {
    %k = wg.load %K rows %n : memref<?x64xf16, strided<[?, 1], offset: ?>> -> !wg.smem<64x64xf16>
    %s = wg.mma %q, %k, %zeros {transpose_b} : !wg.smem<64x64xf16>, !wg.smem<64x64xf16>, !wg.frag<64x64xf32, acc, warps = 4>
  }
  gpu.return
}
}
}
