// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extents of a result are those of its destination, so who asks for one need not wait for the op.
// RUN: fa-opt %s -resolve-ranked-shaped-type-result-dims | FileCheck %s

!q = tensor<?x8x?x64xf16>
!lse = tensor<?x8x?xf32>

// CHECK-LABEL: func.func @dims(
// CHECK-SAME: %[[Q:[^:]*]]: {{[^,]*}}, %[[O:[^:]*]]: {{[^,]*}}, %[[LSE:[^:]*]]:
// CHECK-NOT: fa.attention
// CHECK-DAG: %[[QUERIES:.*]] = tensor.dim %[[O]], %c2
// CHECK-DAG: %[[BATCH:.*]] = tensor.dim %[[LSE]], %c0
// CHECK: return %[[QUERIES]], %[[BATCH]]
func.func @dims(%q: !q, %o: !q, %lse: !lse) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r:2 = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%o, %lse : !q, !lse)
  %queries = tensor.dim %r#0, %c2 : !q
  %batch = tensor.dim %r#1, %c0 : !lse
  return %queries, %batch : index, index
}
