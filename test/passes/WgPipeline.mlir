// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a loop become rings that are filled ahead.
// RUN: fa-opt --wg-pipeline %s | FileCheck %s --check-prefixes=CHECK,S2
// RUN: fa-opt --wg-pipeline=stages=1 %s | FileCheck %s --check-prefixes=CHECK,S1
// RUN: fa-opt --wg-pipeline=stages=3 %s | FileCheck %s --check-prefix=S3

!all = memref<?x128xf16, strided<[?, 1], offset: ?>>
!tile = !wg.smem<64x128xf16>
!q = !wg.smem<128x128xf16>
!s = !wg.frag<128x64xf32, acc, warps = 4>
!p = !wg.frag<128x64xf16, a, warps = 4>
!o = !wg.frag<128x128xf32, acc, warps = 4>

#schedule = #fa.schedule<query_tile = 128, key_tile = 64, stages = 2>

module attributes {fa.stage = "values"} {
gpu.module @kernels {
  // K and V: the ring of each has the schedule's stages. Everything of one
  // iteration less than the stages is under way before the loop, but for the
  // last of V, and Q before all of it without a wait of its own.
  // CHECK-LABEL: gpu.func @two
  // CHECK-SAME: %[[Q:.*]]: memref<?x128xf16, strided{{[^%]*}}, %[[K:.*]]: memref{{[^%]*}}, %[[V:.*]]: memref{{[^%]*}}, %[[N:.*]]: index,
  gpu.func @two(%q: !all, %k: !all, %v: !all, %n: index, %f: f32, %pt: !p) kernel attributes {fa.kernel, fa.schedule = #schedule} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // CHECK: %[[QT:.*]] = wg.alloc : !wg.smem<128x128xf16>
    // CHECK-NEXT: wg.copy_async %[[Q]], %[[QT]]
    // CHECK-NEXT: wg.commit_copies
    %qt = wg.load %q rows %n : !all -> !q
    // CHECK-NEXT: wg.splat
    %o0 = wg.splat %f : f32 -> !o
    %s0 = wg.splat %f : f32 -> !s
    // S1: %[[RK:.*]] = wg.alloc : !wg.ring<1 x 64x128xf16>
    // S1-NOT: wg.wait_copies
    // S1: wg.copy_async {{.*}} {bytes = 8 : i64}
    // S1: wg.commit_copies
    // S1-NOT: commit_copies
    // S1: scf.for

    // S2: %[[RK:.*]] = wg.alloc : !wg.ring<2 x 64x128xf16>
    // S2: %[[RV:.*]] = wg.alloc : !wg.ring<2 x 64x128xf16>
    // S2-NOT: wg.wait_copies
    // S2: wg.slot %[[RK]][%[[C0:.*]]]
    // S2-NEXT: wg.copy_async
    // S2: wg.commit_copies
    // S2: wg.slot %[[RV]][%{{.*}}]
    // S2-NEXT: wg.copy_async
    // S2: wg.commit_copies
    // S2: arith.cmpi slt, %{{.*}}, %[[N]] : index
    // S2-NEXT: scf.if
    // S2: wg.slot %[[RK]][%{{.*}}]
    // S2-NEXT: wg.copy_async
    // S2: wg.commit_copies
    // S2-NOT: wg.commit_copies
    // S2: scf.for %[[J:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}) -> (!wg.frag<128x128xf32, acc, warps = 4>, index, index)

    // S3: scf.for
    %r = scf.for %j = %zero to %n step %c64 iter_args(%o = %o0) -> (!o) {
      %left = arith.subi %n, %j : index
      %ks = memref.subview %k[%j, 0] [%left, 128] [1, 1] : !all to !all
      // S1: wg.wait_copies 0
      // S1-NEXT: wg.barrier
      // S1-NEXT: arith.subi
      // S1-NEXT: memref.subview %[[V]][
      // S1-NEXT: wg.slot
      // S1-NEXT: wg.copy_async
      // S1-NEXT: wg.commit_copies
      // S1-NEXT: %[[KT:.*]] = wg.slot %[[RK]]
      // S1-NEXT: wg.mma %[[QT]], %[[KT]],
      // The next copy waits until the scores' registers are free.
      // S1: "softmax"
      // S1-NEXT: wg.wait_copies 0
      // S1-NEXT: wg.barrier

      // S2: wg.wait_copies 2
      // S2-NEXT: wg.barrier
      // S2: %[[NEXT:.*]] = arith.addi %[[J]], %{{.*}} : index
      // S2: arith.cmpi slt, %[[NEXT]], %[[N]] : index
      // S2-NEXT: scf.if
      // S2-NEXT: arith.subi %[[N]], %[[NEXT]] : index
      // S2-NEXT: memref.subview %[[V]][%[[NEXT]], 0]
      // S2-NEXT: wg.slot %[[RV]][%[[BEFORE]]]
      // S2-NEXT: wg.copy_async
      // S2-NEXT: }
      // S2-NEXT: wg.commit_copies
      // S2-NEXT: %[[KT:.*]] = wg.slot %[[RK]][%[[SLOT]]]
      // S2-NEXT: wg.mma %[[QT]], %[[KT]],

      // S3: wg.wait_copies 4
      // S3: wg.wait_copies 4
      %kt = wg.load %ks rows %left {bytes = 8 : i64} : !all -> !tile
      %s = wg.mma %qt, %kt, %s0 {transpose_b} : !q, !tile, !s
      %vs = memref.subview %v[%j, 0] [%left, 128] [1, 1] : !all to !all
      %vt = wg.load %vs rows %left : !all -> !tile
      // S1: wg.copy_async {{.*}} {bytes = 8 : i64}
      // S1: wg.commit_copies

      // S2: "softmax"
      // S2: wg.wait_copies 2
      // S2-NEXT: wg.barrier
      // S2: scf.if
      // S2: memref.subview %[[K]][
      // S2-NEXT: wg.slot %[[RK]][%[[SLOT]]]
      // S2-NEXT: wg.copy_async
      // S2: wg.commit_copies
      // S2-NEXT: %[[VT:.*]] = wg.slot %[[RV]][%[[SLOT]]]
      // S2-NEXT: wg.mma %{{.*}}, %[[VT]],
      %x = arith.constant {note = "softmax"} 0 : index
      %t = wg.mma %pt, %vt, %o : !p, !tile, !o
      // S2: arith.select
      // S2: scf.yield %{{.*}}, %{{.*}}, %[[SLOT]] :
      scf.yield %t : !o
    }
    // S1: wg.wait_copies 0
    // S2: wg.wait_copies 0
    // CHECK-NEXT: gpu.return
    gpu.return
  }

  // The branch may write what Q's copy has not read yet: Q waits for itself.
  // CHECK-LABEL: gpu.func @branch
  // CHECK: wg.load
  // CHECK: wg.store
  gpu.func @branch(%q: !all, %k: !all, %v: !all, %n: index, %c: i1, %s0: !s, %o: !o, %p: !p, %h: !wg.frag<128x128xf16, acc, warps = 4>) kernel attributes {fa.kernel, fa.schedule = #schedule} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %qt = wg.load %q rows %n : !all -> !q
    scf.if %c {
      wg.store %h, %q rows %n : !wg.frag<128x128xf16, acc, warps = 4>, !all
      %r = scf.for %j = %zero to %n step %c64 iter_args(%s = %s0) -> (!s) {
        %kt = wg.load %k rows %n : !all -> !tile
        %t = wg.mma %qt, %kt, %s {transpose_b} : !q, !tile, !s
        scf.yield %t : !s
      }
    }
    gpu.return
  }

  // One load: the only tile of a ring of one cannot be filled while it is read.
  // A second loop over it starts behind all readers of the first.
  // CHECK-LABEL: gpu.func @one
  // S1: wg.load
  // S1: wg.load
  // S2: wg.alloc : !wg.ring<2 x 64x128xf16>
  // S2-NOT: wg.barrier
  // S2: scf.for
  // S2: wg.wait_copies 0
  // S2-NEXT: wg.barrier
  // S2: wg.copy_async
  // S2: wg.wait_copies 0
  // S2: wg.alloc : !wg.ring<2 x 64x128xf16>
  // S2-NEXT: wg.barrier
  // S2: scf.if
  // S2: wg.commit_copies
  // S2: scf.for
  gpu.func @one(%k: !all, %n: index, %pt: !p, %f: f32) kernel attributes {fa.kernel, fa.schedule = #schedule} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %o0 = wg.splat %f : f32 -> !o
    %r = scf.for %j = %zero to %n step %c64 iter_args(%o = %o0) -> (!o) {
      %ks = memref.subview %k[%j, 0] [%n, 128] [1, 1] : !all to !all
      %kt = wg.load %ks rows %n : !all -> !tile
      %t = wg.mma %pt, %kt, %o : !p, !tile, !o
      scf.yield %t : !o
    }
    %r2 = scf.for %j = %n to %n step %c64 iter_args(%o = %r) -> (!o) {
      %ks = memref.subview %k[%j, 0] [%n, 128] [1, 1] : !all to !all
      %kt = wg.load %ks rows %n : !all -> !tile
      %t = wg.mma %pt, %kt, %o : !p, !tile, !o
      scf.yield %t : !o
    }
    gpu.return
  }
}
}
