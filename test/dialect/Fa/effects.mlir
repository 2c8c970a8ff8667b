// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the op's memory effects let other passes do.
// RUN: fa-opt %s -cse -loop-invariant-code-motion | FileCheck %s

!t = tensor<1x2x8x64xf16>
!m = memref<1x2x8x64xf16>

// On tensors the op is pure: equal ones are one, unused ones none, and a loop need not repeat it.
// CHECK-LABEL: func.func @pure
// CHECK: fa.attention
// CHECK-NOT: fa.attention
// CHECK: scf.for
// CHECK-NOT: fa.attention
// CHECK: return
func.func @pure(%q: !t, %o: !t, %n: index, %cap: f32) -> (!t, !t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %unused = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {scale = 2.0 : f32}
  %r0 = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  %r1 = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  %r2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %o) -> !t {
    %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    scf.yield %r : !t
  }
  return %r0, %r1, %r2 : !t, !t, !t
}

// A region that reads memory ties the op to its place.
// CHECK-LABEL: func.func @region_reads
// CHECK: scf.for
// CHECK: fa.attention
// CHECK: memref.store
func.func @region_reads(%q: !t, %o: !t, %n: index, %bias: memref<f32>) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %o) -> !t {
    %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) score {
    ^bb0(%s: f32, %b: index, %h: index, %y: index, %z: index):
      %t = memref.load %bias[] : memref<f32>
      fa.yield %t : f32
    }
    %f = arith.constant 1.0 : f32
    memref.store %f, %bias[] : memref<f32>
    scf.yield %r : !t
  }
  return %r2 : !t
}

// On memrefs it writes: neither removed nor joined nor moved.
// CHECK-LABEL: func.func @memrefs
// CHECK: fa.attention
// CHECK: fa.attention
// CHECK: scf.for
// CHECK-NEXT: fa.attention
func.func @memrefs(%q: !m, %o: !m, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  fa.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m)
  fa.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m)
  scf.for %i = %c0 to %n step %c1 {
    fa.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m)
  }
  return
}
