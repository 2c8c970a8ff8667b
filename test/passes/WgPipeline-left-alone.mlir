// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that wg-pipeline leaves to wg-expand-loads.
// RUN: fa-opt --wg-pipeline=stages=2 %s | FileCheck %s
// RUN: fa-opt --wg-pipeline %s | FileCheck %s

!all = memref<?x128xf16, strided<[?, 1], offset: ?>>
!tile = !wg.smem<64x128xf16>
!p = !wg.frag<64x64xf16, a, warps = 4>
!s = !wg.frag<64x64xf32, acc, warps = 4>
!o = !wg.frag<64x128xf32, acc, warps = 4>

// CHECK-NOT: wg.ring
// CHECK-NOT: wg.copy_async
gpu.module @kernels {
  // cp.async moves 4 bytes at least.
  gpu.func @narrow(%k: !all, %n: index, %p: !p, %o0: !o) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %r = scf.for %j = %zero to %n step %c64 iter_args(%o = %o0) -> (!o) {
      %kt = wg.load %k rows %n {bytes = 2 : i64} : !all -> !tile
      %t = wg.mma %p, %kt, %o : !p, !tile, !o
      scf.yield %t : !o
    }
    gpu.return
  }

  // Which rows come next is known only when this iteration has run, or stands
  // in memory.
  gpu.func @carried(%k: !all, %table: memref<?xindex>, %n: index, %p: !p, %o0: !o) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %r:2 = scf.for %j = %zero to %n step %c64 iter_args(%o = %o0, %at = %zero) -> (!o, index) {
      %ks = memref.subview %k[%at, 0] [%n, 128] [1, 1] : !all to !all
      %kt = wg.load %ks rows %n : !all -> !tile
      %t = wg.mma %p, %kt, %o : !p, !tile, !o
      %page = memref.load %table[%j] : memref<?xindex>
      %vs = memref.subview %k[%page, 0] [%n, 128] [1, 1] : !all to !all
      %vt = wg.load %vs rows %n : !all -> !tile
      %u = wg.mma %p, %vt, %t : !p, !tile, !o
      scf.yield %u, %page : !o, index
    }
    gpu.return
  }

  // The loop writes what it may load later.
  gpu.func @writes(%k: !all, %n: index, %p: !p, %o: !o) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %j = %zero to %n step %c64 {
      %ks = memref.subview %k[%j, 0] [%n, 128] [1, 1] : !all to !all
      %kt = wg.load %ks rows %n : !all -> !tile
      %t = wg.mma %p, %kt, %o : !p, !tile, !o
      %h = wg.map(%t : !o) -> !wg.frag<64x128xf16, acc, warps = 4> {
      ^bb0(%e: f32, %row: index, %col: index):
        %x = arith.truncf %e : f32 to f16
        wg.yield %x : f16
      }
      wg.store %h, %ks rows %n : !wg.frag<64x128xf16, acc, warps = 4>, !all
    }
    gpu.return
  }

  // The first tile is still read when the second is needed.
  gpu.func @both(%q: !all, %k: !all, %n: index, %s0: !s) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %r = scf.for %j = %zero to %n step %c64 iter_args(%s = %s0) -> (!s) {
      %qs = memref.subview %q[%j, 0] [%n, 128] [1, 1] : !all to !all
      %ks = memref.subview %k[%j, 0] [%n, 128] [1, 1] : !all to !all
      %qt = wg.load %qs rows %n : !all -> !tile
      %kt = wg.load %ks rows %n : !all -> !tile
      %t = wg.mma %qt, %kt, %s {transpose_b} : !tile, !tile, !s
      scf.yield %t : !s
    }
    gpu.return
  }

  // A load in front of the loop that is also used behind it waits for itself.
  gpu.func @behind(%q: !all, %n: index, %s0: !s) kernel attributes {fa.kernel} {
    %qt = wg.load %q rows %n : !all -> !tile
    %s = wg.mma %qt, %qt, %s0 {transpose_b} : !tile, !tile, !s
    gpu.return
  }
}
