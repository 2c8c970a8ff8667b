// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop bounds from the mask, and masks told apart by a guard or by split loops; mask-tiles-exhaustive.test proves the
// numbers.
// RUN: fa-opt %s --fa-mask-tiles=style=every -split-input-file | FileCheck %s --check-prefixes=CHECK,EVERY
// RUN: fa-opt %s --fa-mask-tiles -split-input-file | FileCheck %s --check-prefixes=CHECK,GUARD
// RUN: fa-opt %s --fa-mask-tiles=style=split --canonicalize -split-input-file | FileCheck %s --check-prefixes=CHECK,SPLIT

// CHECK: fa.stage = "masked"
module attributes {fa.stage = "online"} {
// Key tiles of 8 for 4 queries from %first on: the last of them bounds the loop, the first tells the full tiles.
// CHECK-LABEL: func.func @causal
// CHECK-SAME: %[[FIRST:.*]]: index, %[[SQ:.*]]: index, %[[SK:.*]]: index, %[[S:.*]]: tensor<4x8xf32>
// EVERY: %[[END:.*]] = arith.minsi %{{.*}}, %[[SK]]
// EVERY: scf.for %{{.*}} = %c0{{.*}} to %[[END]]
// EVERY-NOT: scf.if
// EVERY: fa.keep
// GUARD: %[[END:.*]] = arith.minsi %{{.*}}, %[[SK]]
// GUARD: %[[FULL:.*]] = arith.minsi %{{.*}}, %[[SK]]
// GUARD: scf.for %[[J:.*]] = %c0{{.*}} to %[[END]]
// GUARD: %[[NEXT:.*]] = arith.addi %[[J]], %c8
// GUARD: %[[EDGE:.*]] = arith.cmpi sgt, %[[NEXT]], %[[FULL]]
// GUARD: scf.if
// GUARD: fa.keep
// GUARD: else
// GUARD-NEXT: scf.yield %{{.*}} : tensor<4x8xf32>
// SPLIT: %[[FULL:.*]]:2 = scf.for %{{.*}} = %c0 to %[[MIDDLE:.*]] step %c8
// SPLIT-NOT: fa.keep
// SPLIT: scf.for %{{.*}} = %[[MIDDLE]] to %{{.*}} step %c8 iter_args(%{{.*}} = %[[FULL]]#0
// SPLIT: fa.keep
// SPLIT-NOT: scf.for
func.func @causal(%first: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %l: tensor<4xf32>)
    -> (tensor<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  %r:2 = scf.for %j0 = %c0 to %sk step %c8 iter_args(%x = %l, %n = %c0) -> (tensor<4xf32>, index) {
    %masked = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
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
    %sum = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
                           iterator_types = ["parallel", "reduction"]} ins(%masked : tensor<4x8xf32>)
        outs(%x : tensor<4xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %e, %a : f32
      linalg.yield %y : f32
    } -> tensor<4xf32>
    %n1 = arith.addi %n, %c1 : index
    scf.yield %sum, %n1 : tensor<4xf32>, index
  }
  return %r#0, %r#1 : tensor<4xf32>, index
}
}

// -----

// All is static: a query at the last of 16 keys, a window of 8. Two tiles are visited, and neither needs the mask.
// CHECK-LABEL: func.func @static
// CHECK: scf.for %{{.*}} = %c8{{.*}} to %c16{{.*}} step
// CHECK-NOT: fa.keep
// CHECK: return
func.func @static(%s: tensor<1x4xf32>, %m: memref<1x4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.for %j0 = %c0 to %c16 step %c4 {
    %masked = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
        outs(%s : tensor<1x4xf32>) {
    ^bb0(%e: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %j = arith.addi %j0, %column : index
      %kept = fa.keep #fa.mask<bottom_right, window = [7, none]>(%row, %j) of (%c1, %c16)
      %y = arith.select %kept, %e, %lowest : f32
      linalg.yield %y : f32
    } -> tensor<1x4xf32>
    bufferization.materialize_in_destination %masked in restrict writable %m : (tensor<1x4xf32>, memref<1x4xf32>) -> ()
  }
  return
}

// -----

// Backward, with two masks: the loop is turned around once, and both guards look at the key, not at the counter.
#tile = affine_map<(r, c) -> (r, c)>

// CHECK-LABEL: func.func @backward
// GUARD: scf.for %[[COUNTER:.*]] = %
// GUARD: %[[KEY:.*]] = arith.subi %{{.*}}, %[[COUNTER]]
// GUARD-NOT: %[[COUNTER]]
// GUARD: arith.addi %[[KEY]], %c8
// GUARD: arith.addi %[[KEY]], %c8
// GUARD-NOT: %[[COUNTER]]
// GUARD: return
func.func @backward(%first: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %m: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.forall (%once) in (2) {
    scf.for %j0 = %c0 to %sk step %c8 {
      %one = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
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
      %two = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
          outs(%one : tensor<4x8xf32>) {
      ^bb0(%e: f32):
        %row = linalg.index 0 : index
        %column = linalg.index 1 : index
        %i = arith.addi %first, %row : index
        %j = arith.addi %j0, %column : index
        %kept = fa.keep #fa.mask<bottom_right, causal>(%i, %j) of (%sq, %sk)
        %y = arith.select %kept, %e, %lowest : f32
        linalg.yield %y : f32
      } -> tensor<4x8xf32>
      bufferization.materialize_in_destination %two in restrict writable %m : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
    }
  } {fa.schedule = #fa.schedule<query_tile = 4, key_tile = 8, walk = backward>}
  return
}

// -----

// A region that reads memory takes keys up to the last one: in tiles that need no mask all are.
// SPLIT-LABEL: func.func @clamped
// SPLIT: scf.for %[[J0:.*]] = %c0 to %[[MIDDLE:.*]] step %c8
// SPLIT: %[[J:.*]] = arith.addi %[[J0]], %{{.*}} : index
// SPLIT-NOT: arith.minsi
// SPLIT: memref.load %{{.*}}[%[[J]]]
// SPLIT: scf.for %{{.*}} = %[[MIDDLE]]
// SPLIT: %[[CLAMPED:.*]] = arith.minsi
// SPLIT: memref.load %{{.*}}[%[[CLAMPED]]]
func.func @clamped(%first: index, %sq: index, %sk: index, %m: memref<?xf32>, %s: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  %last = arith.subi %sk, %c1 : index
  %r = scf.for %j0 = %c0 to %sk step %c8 iter_args(%x = %s) -> (tensor<4x8xf32>) {
    %scores = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
        outs(%x : tensor<4x8xf32>) {
    ^bb0(%e: f32):
      %column = linalg.index 1 : index
      %j = arith.addi %j0, %column : index
      %place = arith.minsi %j, %last : index
      %bias = memref.load %m[%place] : memref<?xf32>
      %y = arith.addf %e, %bias : f32
      linalg.yield %y : f32
    } -> tensor<4x8xf32>
    %masked = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
        outs(%scores : tensor<4x8xf32>) {
    ^bb0(%e: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.addi %first, %row : index
      %j = arith.addi %j0, %column : index
      %kept = fa.keep #fa.mask<top_left>(%i, %j) of (%sq, %sk)
      %y = arith.select %kept, %e, %lowest : f32
      linalg.yield %y : f32
    } -> tensor<4x8xf32>
    scf.yield %masked : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
