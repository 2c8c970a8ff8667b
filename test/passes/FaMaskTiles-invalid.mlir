// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that are left alone, with a remark, and texts that are refused.
// RUN: fa-opt %s --fa-mask-tiles=style=split -split-input-file -verify-diagnostics | FileCheck %s
// RUN: not fa-opt %s --fa-mask-tiles=style=some -split-input-file 2>&1 | FileCheck %s --check-prefix=STYLE
// STYLE: error: expects style every, guard or split, got 'some'

#tile = affine_map<(r, c) -> (r, c)>

// An op more in the mask's body: it may not be left out, so every tile goes through it.
// CHECK-LABEL: func.func @edited
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %arg2
// CHECK-NOT: scf.for
// CHECK: fa.keep
func.func @edited(%first: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %m: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.for %j0 = %c0 to %sk step %c8 {
    %masked = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
        outs(%s : tensor<4x8xf32>) {
    ^bb0(%e: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.addi %first, %row : index
      %j = arith.addi %j0, %column : index
      // expected-remark @below {{this mask is not of the form that lets key tiles be told apart}}
      %kept = fa.keep #fa.mask<top_left, causal>(%i, %j) of (%sq, %sk)
      %twice = arith.addf %e, %e : f32
      %y = arith.select %kept, %twice, %lowest : f32
      linalg.yield %y : f32
    } -> tensor<4x8xf32>
    bufferization.materialize_in_destination %masked in restrict writable %m : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  }
  return
}

// -----

#tile = affine_map<(r, c) -> (r, c)>

// Two masks in one loop: both bound it, both are guarded.
// CHECK-LABEL: func.func @two_masks
// CHECK-COUNT-1: scf.for
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NOT: scf.for
func.func @two_masks(%first: index, %sq: index, %sk: index, %s: tensor<4x8xf32>, %m: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  scf.for %j0 = %c0 to %sk step %c8 {
    %one = linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]}
        outs(%s : tensor<4x8xf32>) {
    ^bb0(%e: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.addi %first, %row : index
      %j = arith.addi %j0, %column : index
      // expected-remark @below {{guarded: a loop with 2 masks is not split}}
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
      // expected-remark @below {{guarded: a loop with 2 masks is not split}}
      %kept = fa.keep #fa.mask<bottom_right, window = [8, none]>(%i, %j) of (%sq, %sk)
      %y = arith.select %kept, %e, %lowest : f32
      linalg.yield %y : f32
    } -> tensor<4x8xf32>
    bufferization.materialize_in_destination %two in restrict writable %m : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  }
  return
}

// -----

// expected-error @below {{expects IR at stage online, got tiled}}
module attributes {fa.stage = "tiled"} {
}
