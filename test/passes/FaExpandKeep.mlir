// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa.keep as 32-bit comparisons against limits that are computed once a tile; mask-tiles-exhaustive.test proves them.
// RUN: fa-opt %s --fa-expand-keep --canonicalize | FileCheck %s

#tile = affine_map<(r, c) -> (r, c)>

// CHECK-LABEL: func.func @tile(
// CHECK-SAME: %[[I0:[^:]*]]: index, %[[J0:[^:]*]]: index, %[[SQ:[^:]*]]: index, %[[SK:[^:]*]]: index
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[SK]], %[[J0]]
// CHECK-DAG: %[[D:.*]] = arith.subi %[[I0]], %[[J0]]
// CHECK-DAG: %[[OFF:.*]] = arith.subi %[[SK]], %[[SQ]]
// CHECK: arith.addi %[[D]], %[[OFF]]
// CHECK: linalg.generic
// CHECK-NOT: index_cast %[[SK]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: %[[DISTANCE:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: arith.cmpi sle, %[[DISTANCE]], %{{.*}} : i32
// CHECK: arith.cmpi sge, %[[DISTANCE]], %{{.*}} : i32
// CHECK-NOT: fa.keep
func.func @tile(%i0: index, %j0: index, %sq: index, %sk: index, %s: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %r = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%s : tensor<4x8xi1>) {
  ^bb0(%e: i1):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %i = arith.addi %i0, %row : index
    %j = arith.addi %j0, %column : index
    %kept = fa.keep #fa.mask<bottom_right, window = [5, 3]>(%i, %j) of (%sq, %sk)
    linalg.yield %kept : i1
  } -> tensor<4x8xi1>
  return %r : tensor<4x8xi1>
}

// Coordinates that are computed otherwise are taken as they are, where they are.
// CHECK-LABEL: func.func @other_coordinates
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = arith.muli
// CHECK: arith.subi %[[I]],
// CHECK-NOT: fa.keep
func.func @other_coordinates(%j0: index, %sq: index, %sk: index, %s: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %c2 = arith.constant 2 : index
  %r = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%s : tensor<4x8xi1>) {
  ^bb0(%e: i1):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %i = arith.muli %row, %c2 : index
    %j = arith.addi %j0, %column : index
    %kept = fa.keep #fa.mask<top_left, causal>(%i, %j) of (%sq, %sk)
    linalg.yield %kept : i1
  } -> tensor<4x8xi1>
  return %r : tensor<4x8xi1>
}

// Outside of any tile.
// CHECK-LABEL: func.func @scalar
// CHECK: arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: fa.keep
func.func @scalar(%i: index, %j: index, %sq: index, %sk: index) -> i1 {
  %kept = fa.keep #fa.mask<top_left>(%i, %j) of (%sq, %sk)
  return %kept : i1
}
