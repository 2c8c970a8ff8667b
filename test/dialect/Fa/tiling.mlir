// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's tiling through TilingInterface. A tile is the same op on slices; `at` says where it stands.
// RUN: fa-opt %s -transform-interpreter -canonicalize -cse -split-input-file | FileCheck %s

!q = tensor<2x8x96x64xf16>
!k = tensor<2x2x32x64xf16>
!l = tensor<2x8x96xf32>

// One head a tile, whose key/value head is h / 4; 64 queries a tile, less at the end.
// CHECK-LABEL: func.func @grouped_heads(
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]:
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[T:.*]]) in (2, 8, 2) shared_outs(%[[O:.*]] = {{.*}}, %[[LSE:.*]] = {{.*}})
// CHECK-DAG: %[[I:.*]] = affine.apply #{{.*}}(%[[T]])
// CHECK-DAG: %[[N:.*]] = affine.min #{{.*}}(%[[T]])
// CHECK-DAG: %[[HK:.*]] = affine.apply #{{.*}}(%[[H]])
// CHECK-DAG: tensor.extract_slice %[[Q]][%[[B]], %[[H]], %[[I]], 0] [1, 1, %[[N]], 64]
// CHECK-DAG: tensor.extract_slice %[[K]][%[[B]], %[[HK]], 0, 0] [1, 1, 32, 64]
// CHECK-DAG: tensor.extract_slice %[[O]][%[[B]], %[[H]], %[[I]], 0] [1, 1, %[[N]], 64]
// CHECK-DAG: tensor.extract_slice %[[LSE]][%[[B]], %[[H]], %[[I]]] [1, 1, %[[N]]]
// CHECK: fa.attention {{.*}} kv_lengths(%{{.*}} : tensor<1xi32>) sink(%{{.*}} : tensor<1xf32>)
// CHECK-SAME: at(%[[B]], %[[H]], %[[I]] of %c96) {mask = #fa.mask<top_left, causal>} score {
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[B]], %[[H]], %[[I]], 0] [1, 1, %[[N]], 64]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[LSE]][%[[B]], %[[H]], %[[I]]] [1, 1, %[[N]]]
func.func @grouped_heads(%q: !q, %k: !k, %v: !k, %o: !q, %l: !l, %n: tensor<2xi32>, %s: tensor<8xf32>) -> (!q, !l) {
  %r:2 = fa.attention ins(%q, %k, %v : !q, !k, !k) outs(%o, %l : !q, !l)
    kv_lengths(%n : tensor<2xi32>) sink(%s : tensor<8xf32>) {mask = #fa.mask<top_left, causal>} score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    %y = math.tanh %x : f32
    fa.yield %y : f32
  }
  return %r#0, %r#1 : !q, !l
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [1, 1, 64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Where each query head has a key/value head, a tile may hold several; the other order of dimensions.
!t = tensor<4x?x8x64xf16>

// CHECK-LABEL: func.func @heads_in_bshd(
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[K:[^:]*]]:
// CHECK: %[[S:.*]] = tensor.dim %[[Q]], %c1
// CHECK: scf.forall (%[[U:.*]], %[[V:.*]]) in (2, 2)
// CHECK-DAG: %[[B:.*]] = affine.apply #{{.*}}(%[[U]])
// CHECK-DAG: %[[H:.*]] = affine.apply #{{.*}}(%[[V]])
// CHECK-DAG: %[[SK:.*]] = tensor.dim %[[K]], %c1
// CHECK-DAG: tensor.extract_slice %[[Q]][%[[B]], 0, %[[H]], 0] [2, %[[S]], 4, 64]
// CHECK-DAG: tensor.extract_slice %[[K]][%[[B]], 0, %[[H]], 0] [2, %[[SK]], 4, 64]
// CHECK: fa.attention {{.*}} at(%[[B]], %[[H]], %c0 of %[[S]]) {layout = #fa.layout<bshd>}
func.func @heads_in_bshd(%q: !t, %k: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t) {layout = #fa.layout<bshd>}
  return %r : !t
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [2, 4, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of a tile stands at the sum of both; the extent of the whole stays.
!t = tensor<1x2x128x64xf16>

// CHECK-LABEL: func.func @nested
// CHECK: scf.forall (%[[H:.*]], %[[T:.*]]) in (2, 2)
// CHECK: %[[OUTER:.*]] = affine.apply #{{.*}}(%[[T]])
// CHECK: scf.forall (%[[U:.*]]) in (4)
// CHECK: %[[I:.*]] = affine.apply #{{.*}}(%[[T]], %[[U]])
// CHECK: fa.attention {{.*}} at(%c0, %[[H]], %[[I]] of %c128)
func.func @nested(%q: !t, %k: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [0, 1, 64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %again, %inner = transform.structured.tile_using_forall %tiled tile_sizes [0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Dynamic numbers of heads: which key/value head a query head reads is computed from both.
!q = tensor<?x?x?x64xf16>

// CHECK: #[[$GROUP:.*]] = affine_map<(d0)[s0, s1] -> (d0 floordiv (s0 floordiv s1))>
// CHECK-LABEL: func.func @dynamic_heads
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]]) in
// CHECK: affine.apply #[[$GROUP]](%[[H]])[%{{.*}}, %{{.*}}]
// CHECK: fa.attention
func.func @dynamic_heads(%q: !q, %k: !q, %o: !q) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !q, !q) outs(%o : !q)
  return %r : !q
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [1, 1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
