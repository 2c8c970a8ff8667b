// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-shot bufferisation: in place where nothing else needs the old contents.
// RUN: fa-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -split-input-file | FileCheck %s

!t = tensor<1x2x8x64xf16>
!l = tensor<1x2x8xf32>

// In place: the destinations are written and never copied.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[Q:.*]]: memref<1x2x8x64xf16>, %[[O:[^:]*]]: memref<1x2x8x64xf16>, %[[L:[^:]*]]: memref<1x2x8xf32>)
// CHECK-NOT: memref.copy
// CHECK: fa.attention ins(%[[Q]], %[[Q]], %[[Q]] : {{.*}}) outs(%[[O]], %[[L]] : {{.*}})
// CHECK: return %[[O]], %[[L]]
func.func @in_place(%q: !t, %o: !t {bufferization.writable = true}, %l: !l {bufferization.writable = true}) -> (!t, !l) {
  %r:2 = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %l : !t, !l)
  return %r#0, %r#1 : !t, !l
}

// The old contents of a destination are not read, so a copy of a read-only one is an allocation only.
// CHECK-LABEL: func.func @overwritten
// CHECK: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: fa.attention
func.func @overwritten(%q: !t, %o: !t {bufferization.writable = false}) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// An operand that is input and destination: the write may not meet the reads.
// CHECK-LABEL: func.func @input_is_destination(
// CHECK-SAME: %[[Q:[^:]*]]:
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: fa.attention ins(%[[Q]], %[[Q]], %[[Q]] : {{.*}}) outs(%[[COPY]] :
func.func @input_is_destination(%q: !t {bufferization.writable = true}) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%q : !t)
  return %r : !t
}

// Neither may the reads of a region.
// CHECK-LABEL: func.func @region_reads_destination
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: fa.attention {{.*}} outs(%[[COPY]] :
// CHECK: memref.load
func.func @region_reads_destination(%q: !t, %o: !t {bufferization.writable = true}) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %o[%b, %h, %i, %j] : !t
    %y = arith.extf %x : f16 to f32
    fa.yield %y : f32
  }
  return %r : !t
}

// -----

// Rows at or past the last offset keep what the destination held, so that is read.
!p = tensor<?x2x64xf16>
!n = tensor<3xi32>

// CHECK-LABEL: func.func @packed_keeps_the_rest(
// CHECK-SAME: %[[Q:[^:]*]]: {{.*}}, %[[O:[^:]*]]: memref<?x2x64xf16>
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %[[O]], %[[COPY]]
// CHECK: fa.attention {{.*}} outs(%[[COPY]] :
func.func @packed_keeps_the_rest(%q: !p, %n: !n, %o: !p {bufferization.writable = false}) -> !p {
  %r = fa.attention ins(%q, %q, %q : !p, !p, !p) outs(%o : !p) q_offsets(%n : !n) kv_offsets(%n : !n)
  return %r : !p
}
