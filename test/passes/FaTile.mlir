// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-tile --canonicalize --cse -split-input-file | FileCheck %s

#s = #fa.schedule<query_tile = 64, key_tile = 32>
!q = memref<2x100x8x64xf16>
!k = memref<2x?x2x64xf16>

// CHECK: #[[$FIRST:.*]] = affine_map<()[s0] -> (s0 * 64)>
// CHECK: #[[$ROWS:.*]] = affine_map<()[s0] -> (s0 * -64 + 100, 64)>
// CHECK: #[[$GROUP:.*]] = affine_map<(d0) -> (d0 floordiv 4)>
// CHECK: fa.stage = "tiled"
// CHECK-LABEL: func.func @batched(
// CHECK-SAME: %[[Q:[^:]*]]: memref<2x100x8x64xf16>, %[[K:[^:]*]]:
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[T:.*]]) in (2, 8, 2) {
// CHECK-DAG: %[[I:.*]] = affine.apply #[[$FIRST]]()[%[[T]]]
// CHECK-DAG: %[[N:.*]] = affine.min #[[$ROWS]]()[%[[T]]]
// CHECK-DAG: %[[HK:.*]] = affine.apply #[[$GROUP]](%[[H]])
// CHECK-DAG: memref.subview %[[Q]][%[[B]], %[[I]], %[[H]], 0] [1, %[[N]], 1, 64]
// CHECK-DAG: memref.subview %[[K]][%[[B]], 0, %[[HK]], 0] [1, %{{.*}}, 1, 64]
// CHECK: fa.attention {{.*}} at(%[[B]], %[[H]], %[[I]] of %c100)
// CHECK: } {fa.schedule = #fa.schedule<query_tile = 64, key_tile = 32>, mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
func.func @batched(%q: !q, %k: !k, %v: !k, %o: !q) {
  fa.attention ins(%q, %k, %v : !q, !k, !k) outs(%o : !q) {layout = #fa.layout<bshd>, schedule = #s}
  return
}

// -----

// A single iteration is a loop all the same: the kernel's boundary to come.
!t = memref<1x1x1x8xf16>

// CHECK-LABEL: func.func @single
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 1, 1)
func.func @single(%q: !t, %k: !t, %o: !t) {
  fa.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t) {schedule = #fa.schedule<query_tile = 64, key_tile = 32>}
  return
}

// -----

// Tiles of later queries first: number 2 - t of three.
!t = memref<1x1x192x8xf16>

// CHECK: #[[$FIRST:.*]] = affine_map<()[s0] -> (s0 * -64 + 128)>
// CHECK-LABEL: func.func @heaviest_first
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %[[T:.*]]) in (1, 1, 3)
// CHECK: affine.apply #[[$FIRST]]()[%[[T]]]
func.func @heaviest_first(%q: !t, %k: !t, %o: !t) {
  fa.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
    {schedule = #fa.schedule<query_tile = 64, key_tile = 32, order = heaviest_first>}
  return
}

// -----

// The packed form: Tq / 64 + B tiles a head are enough for any lengths. Each looks for its sequence; offsets are data
// and clamped into the tensor before they address it.
!p = memref<?x8x64xf16>
!n = memref<?xi32>

// CHECK: #[[$TILES:.*]] = affine_map<()[s0, s1] -> (s1 + s0 floordiv 64 - 1)>
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[Q:[^:]*]]: memref<?x8x64xf16>, %[[K:[^:]*]]: memref<?x8x64xf16>, %[[N:[^:]*]]: memref<?xi32>
// CHECK: %[[COUNT:.*]] = affine.apply #[[$TILES]]
// CHECK: scf.forall (%[[H:.*]], %[[T:.*]]) in (8, %[[COUNT]])
// CHECK: %[[FOUND:.*]]:2 = scf.for
// CHECK: memref.load %[[N]]
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: %[[EXISTS:.*]] = arith.cmpi ne, %[[FOUND]]#0, %c-1
// CHECK: scf.if %[[EXISTS]]
// CHECK: fa.attention {{.*}} at(%[[FOUND]]#0, %[[H]], %{{.*}} of %[[LENGTH:.*]]) {layout = #fa.layout<bshd>
func.func @packed(%q: !p, %k: !p, %n: !n, %o: !p) {
  fa.attention ins(%q, %k, %k : !p, !p, !p) outs(%o : !p) q_offsets(%n : !n) kv_offsets(%n : !n)
    {schedule = #fa.schedule<query_tile = 64, key_tile = 32>}
  return
}
