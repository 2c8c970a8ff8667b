// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-exp-to-exp2 | FileCheck %s

#rows = affine_map<(r) -> (r)>

// log2(e) joins a factor that is the same for the whole tile: one product a tile instead of one an element. It stays
// finite: times the difference of 0, which the largest score of a row has, an infinite one would be NaN.
// CHECK-LABEL: func.func @uniform_factor(
// CHECK-SAME: %[[S:[^:]*]]: f32
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK-DAG: arith.constant 3.40282347E+38 : f32
// CHECK-DAG: arith.constant -3.40282347E+38 : f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[S]], %[[LOG2E]]
// CHECK: %[[BELOW:.*]] = arith.minimumf %[[PRODUCT]], %{{.*}}
// CHECK: %[[FACTOR:.*]] = arith.maximumf %[[BELOW]], %{{.*}}
// CHECK: linalg.generic
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK-NEXT: math.exp2 %[[X]]
func.func @uniform_factor(%s: f32, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel"]} outs(%x : tensor<8xf32>) {
  ^bb0(%e: f32):
    %p = arith.mulf %e, %s : f32
    %y = math.exp %p fastmath<afn> : f32
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
    %y = math.exp %p fastmath<afn> : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @other_types
// CHECK: math.exp %{{.*}} fastmath<afn> : f64
func.func @other_types(%x: f64) -> f64 {
  %y = math.exp %x fastmath<afn> : f64
  return %y : f64
}

// What a region computes is not approximated.
// CHECK-LABEL: func.func @exact
// CHECK: math.exp %{{.*}} : f32
func.func @exact(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}
