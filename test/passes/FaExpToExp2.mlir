// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-exp-to-exp2 | FileCheck %s

#rows = affine_map<(r) -> (r)>

// log2(e) joins a factor that is the same for the whole tile: one product a tile instead of one an element.
// CHECK-LABEL: func.func @uniform_factor(
// CHECK-SAME: %[[S:[^:]*]]: f32
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[FACTOR:.*]] = arith.mulf %[[S]], %[[LOG2E]]
// CHECK: linalg.generic
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK-NEXT: math.exp2 %[[X]]
func.func @uniform_factor(%s: f32, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel"]} outs(%x : tensor<8xf32>) {
  ^bb0(%e: f32):
    %p = arith.mulf %e, %s : f32
    %y = math.exp %p : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @own_factor
// CHECK: linalg.generic
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[X:.*]] = arith.mulf %[[P]], %{{.*}}
// CHECK-NEXT: math.exp2 %[[X]]
func.func @own_factor(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel"]} outs(%x : tensor<8xf32>) {
  ^bb0(%e: f32):
    %p = arith.mulf %e, %e : f32
    %y = math.exp %p : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @other_types
// CHECK: math.exp %{{.*}} : f64
func.func @other_types(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}
