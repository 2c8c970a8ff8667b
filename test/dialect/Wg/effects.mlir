// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory effects as upstream's passes see them: what may be joined, moved or
// dropped, and what may not.
// RUN: fa-opt %s -split-input-file -cse -loop-invariant-code-motion -canonicalize | FileCheck %s

!global = memref<?x64xf16, strided<[?, 1], offset: ?>>
!tile = !wg.smem<64x64xf16>
!acc = !wg.frag<64x64xf32, acc, warps = 4>

// Equal loads are one, unless something is stored between them.
// CHECK-LABEL: func.func @loads
// CHECK-COUNT-1: wg.load
// CHECK-NOT: wg.load
// CHECK: wg.store
// CHECK-COUNT-1: wg.load
// CHECK-NOT: wg.load
func.func @loads(%mem: !global, %n: index, %f: !wg.frag<64x64xf16, acc, warps = 4>, %c: !acc) -> (!acc, !acc) {
  %a = wg.load %mem rows %n : !global -> !tile
  %b = wg.load %mem rows %n : !global -> !tile
  %s = wg.mma %a, %b, %c {transpose_b} : !tile, !tile, !acc
  wg.store %f, %mem rows %n : !wg.frag<64x64xf16, acc, warps = 4>, !global
  %d = wg.load %mem rows %n : !global -> !tile
  %t = wg.mma %d, %d, %c {transpose_b} : !tile, !tile, !acc
  return %s, %t : !acc, !acc
}

// A product reads its tiles: equal ones are one, unless a tile is written
// between them. A load that nobody uses goes.
// CHECK-LABEL: func.func @products
// CHECK-NOT: wg.load
// CHECK-COUNT-2: wg.mma
// CHECK-NOT: wg.mma
func.func @products(%a: !tile, %b: !tile, %mem: !global, %n: index, %f: !wg.frag<64x64xf16, acc, warps = 4>, %c: !acc) -> (!acc, !acc, !acc) {
  %unused = wg.load %mem rows %n : !global -> !tile
  %s = wg.mma %a, %b, %c {transpose_b} : !tile, !tile, !acc
  %t = wg.mma %a, %b, %c {transpose_b} : !tile, !tile, !acc
  wg.put %f, %a : !wg.frag<64x64xf16, acc, warps = 4>, !tile
  %u = wg.mma %a, %b, %c {transpose_b} : !tile, !tile, !acc
  return %s, %t, %u : !acc, !acc, !acc
}

// What is pure leaves a loop; two allocations stay two; waits stay in place.
// CHECK-LABEL: func.func @loops
// CHECK: wg.splat
// CHECK: wg.map
// CHECK: scf.for
// CHECK: wg.copy_async
// CHECK-NEXT: wg.commit_copies
// CHECK-NEXT: wg.wait_copies 0
// CHECK-NEXT: wg.barrier
// CHECK-NEXT: wg.mma
// CHECK-NEXT: wg.barrier
func.func @loops(%mem: !global, %n: index, %hi: index, %x: f32) -> !acc {
  %a = wg.alloc : !tile
  %zero = wg.splat %x : f32 -> !acc
  %r = scf.for %i = %n to %hi step %n iter_args(%acc = %zero) -> (!acc) {
    %y = wg.map(%zero : !acc) -> !acc {
    ^bb0(%e: f32, %row: index, %col: index):
      %two = arith.addf %e, %e : f32
      wg.yield %two : f32
    }
    wg.copy_async %mem, %a rows %n : !global, !tile
    wg.commit_copies
    wg.wait_copies 0
    wg.barrier
    %s = wg.mma %a, %a, %y {transpose_b} : !tile, !tile, !acc
    wg.barrier
    scf.yield %s : !acc
  }
  return %r : !acc
}

// CHECK-LABEL: func.func @allocs
// CHECK-COUNT-2: wg.alloc
func.func @allocs(%f: !wg.frag<64x64xf16, acc, warps = 4>, %g: !wg.frag<64x64xf16, acc, warps = 4>, %mem: !global, %n: index) {
  %a = wg.alloc : !tile
  %b = wg.alloc : !tile
  wg.put %f, %a : !wg.frag<64x64xf16, acc, warps = 4>, !tile
  wg.put %g, %b : !wg.frag<64x64xf16, acc, warps = 4>, !tile
  wg.barrier
  wg.copy_out %a, %mem rows %n : !tile, !global
  wg.copy_out %b, %mem rows %n : !tile, !global
  return
}
