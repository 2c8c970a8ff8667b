// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that cannot be made are refused by the op.
// RUN: not fa-opt %s -transform-interpreter -split-input-file 2>&1 | FileCheck %s

// Two query heads of a group of four: the tile would need a part of a key/value head's group.
!q = tensor<2x8x32x64xf16>
!k = tensor<2x2x32x64xf16>

func.func @part_of_a_group(%q: !q, %k: !k, %o: !q) -> !q {
  // CHECK: [[@LINE+1]]:8: error: 'fa.attention' op expects tiles of one head, or of all, where query heads share key/value heads
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%o : !q)
  return %r : !q
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [1, 2, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!p = tensor<?x2x64xf16>
!n = tensor<3xi32>

func.func @packed(%q: !p, %n: !n, %o: !p) -> !p {
  // CHECK: [[@LINE+1]]:8: error: 'fa.attention' op in packed form is tiled by fa-tile only
  %r = fa.attention ins(%q, %q, %q : !p, !p, !p) outs(%o : !p) q_offsets(%n : !n) kv_offsets(%n : !n)
  return %r : !p
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [0, 1, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
