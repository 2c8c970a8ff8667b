// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where loops are to be rotated, the last key tile stands in front of those over the others;
// mask-tiles-exhaustive.test proves the numbers.
// RUN: fa-opt %s --fa-mask-tiles -split-input-file | FileCheck %s

#tile = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#schedule = #fa.schedule<query_tile = 4, key_tile = 8, mask = split, walk = backward, rotate = true>

// Without a mask only the last tile can reach past the last key, and most often it does not.
// CHECK-LABEL: func.func @none
// CHECK-SAME: %{{.*}}: index, %{{.*}}: index, %[[SK:.*]]: index, %[[S:.*]]: tensor<4x8xf32>
// CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
// CHECK: %[[LAST:.*]] = arith.muli
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %c8
// CHECK: %[[PAST:.*]] = arith.cmpi sgt, %[[END]], %[[SK]]
// CHECK: %[[MASKED:.*]] = scf.if %[[PAST]]
// CHECK: fa.keep
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[S]]
// CHECK: linalg.generic {{.*}} ins(%[[MASKED]]
// CHECK: scf.for
// CHECK-NOT: fa.keep
// CHECK-NOT: scf.for
func.func @none(%first: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %l: tensor<4xf32>, %m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.forall (%once) in (2) {
    %r = scf.for %j0 = %c0 to %sk step %c8 iter_args(%x = %l) -> (tensor<4xf32>) {
      %masked = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
          outs(%s : tensor<4x8xf32>) {
      ^bb0(%e: f32):
        %row = linalg.index 0 : index
        %column = linalg.index 1 : index
        %i = arith.addi %first, %row : index
        %j = arith.addi %j0, %column : index
        %kept = fa.keep #fa.mask<top_left>(%i, %j) of (%sq, %sk)
        %y = arith.select %kept, %e, %lowest : f32
        linalg.yield %y : f32
      } -> tensor<4x8xf32>
      %sum = linalg.generic {indexing_maps = [#tile, #row], iterator_types = ["parallel", "reduction"]}
          ins(%masked : tensor<4x8xf32>) outs(%x : tensor<4xf32>) {
      ^bb0(%e: f32, %a: f32):
        %y = arith.addf %e, %a : f32
        linalg.yield %y : f32
      } -> tensor<4xf32>
      scf.yield %sum : tensor<4xf32>
    }
    bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  } {fa.schedule = #schedule}
  return
}

// -----

#tile = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#schedule = #fa.schedule<query_tile = 4, key_tile = 8, mask = split, walk = backward, rotate = true>

// The diagonal may cross several tiles: a loop of masked ones behind the first, which is always masked.
// CHECK-LABEL: func.func @causal
// CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
// CHECK-NOT: scf.if
// CHECK: fa.keep
// CHECK: %[[R:.*]] = scf.for
// CHECK: fa.keep
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[R]])
// CHECK-NOT: fa.keep
func.func @causal(%first: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %l: tensor<4xf32>, %m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.forall (%once) in (2) {
    %r = scf.for %j0 = %c0 to %sk step %c8 iter_args(%x = %l) -> (tensor<4xf32>) {
      %masked = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
          outs(%s : tensor<4x8xf32>) {
      ^bb0(%e: f32):
        %row = linalg.index 0 : index
        %column = linalg.index 1 : index
        %i = arith.addi %first, %row : index
        %j = arith.addi %j0, %column : index
        %kept = fa.keep #fa.mask<top_left, causal>(%i, %j) of (%sq, %sk)
        %y = arith.select %kept, %e, %lowest : f32
        linalg.yield %y : f32
      } -> tensor<4x8xf32>
      %sum = linalg.generic {indexing_maps = [#tile, #row], iterator_types = ["parallel", "reduction"]}
          ins(%masked : tensor<4x8xf32>) outs(%x : tensor<4xf32>) {
      ^bb0(%e: f32, %a: f32):
        %y = arith.addf %e, %a : f32
        linalg.yield %y : f32
      } -> tensor<4xf32>
      scf.yield %sum : tensor<4xf32>
    }
    bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  } {fa.schedule = #schedule}
  return
}

// -----

#tile = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#schedule = #fa.schedule<query_tile = 4, key_tile = 8, mask = split, walk = backward, rotate = true>

// Queries that start where a key tile does, and are no more, have the diagonal in the last tile alone.
// CHECK-LABEL: func.func @aligned
// CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
// CHECK: fa.keep
// CHECK: scf.for
// CHECK-NOT: fa.keep
// CHECK-NOT: scf.for
func.func @aligned(%number: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %l: tensor<4xf32>, %m: memref<4xf32>) {
  %first = affine.apply affine_map<()[n] -> (n * -8 + 64)>()[%number]
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.forall (%once) in (2) {
    %r = scf.for %j0 = %c0 to %sk step %c8 iter_args(%x = %l) -> (tensor<4xf32>) {
      %masked = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
          outs(%s : tensor<4x8xf32>) {
      ^bb0(%e: f32):
        %row = linalg.index 0 : index
        %column = linalg.index 1 : index
        %i = arith.addi %first, %row : index
        %j = arith.addi %j0, %column : index
        %kept = fa.keep #fa.mask<top_left, causal>(%i, %j) of (%sq, %sk)
        %y = arith.select %kept, %e, %lowest : f32
        linalg.yield %y : f32
      } -> tensor<4x8xf32>
      %sum = linalg.generic {indexing_maps = [#tile, #row], iterator_types = ["parallel", "reduction"]}
          ins(%masked : tensor<4x8xf32>) outs(%x : tensor<4xf32>) {
      ^bb0(%e: f32, %a: f32):
        %y = arith.addf %e, %a : f32
        linalg.yield %y : f32
      } -> tensor<4xf32>
      scf.yield %sum : tensor<4xf32>
    }
    bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  } {fa.schedule = #schedule}
  return
}
