// RUN: fa-opt %s --fa-cpu-bufferize --canonicalize --cse --canonicalize | FileCheck %s

// The guard around the mask survives, and what is written in place is not copied.
// CHECK-LABEL: func @guard(
// CHECK:         scf.for
// CHECK-NOT:       memref.copy
// CHECK:           scf.if
// CHECK-NEXT:        linalg.generic {{.*}} outs(%[[S:.+]] : memref<8x8xf32>)
// CHECK:           linalg.generic {{.*}} outs(%[[S]] : memref<8x8xf32>)
// CHECK-NOT:       {{memref|linalg}}.copy
// CHECK:         memref.copy %[[S]]
// CHECK-NEXT:    return
func.func @guard(%edge: i1, %n: index, %out: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> tensor<8x8xf32> {
    %m = scf.if %edge -> tensor<8x8xf32> {
      %k = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%s : tensor<8x8xf32>) {
      ^bb0(%x: f32):
        linalg.yield %zero : f32
      } -> tensor<8x8xf32>
      scf.yield %k : tensor<8x8xf32>
    } else {
      scf.yield %s : tensor<8x8xf32>
    }
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%m : tensor<8x8xf32>) {
    ^bb0(%x: f32):
      %y = arith.addf %x, %x : f32
      linalg.yield %y : f32
    } -> tensor<8x8xf32>
    scf.yield %p : tensor<8x8xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  return
}

// A carried tile whose next value stands in a buffer of its own is copied back.
// CHECK-LABEL: func @carried(
// CHECK:         %[[M:.+]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} ins(%[[M]] : memref<8xf32>) outs(%[[N:.+]] : memref<8xf32>)
// CHECK:           linalg.generic {{.*}} ins(%[[M]], %[[N]]
// CHECK:           linalg.copy ins(%[[N]] : memref<8xf32>) outs(%[[M]] : memref<8xf32>)
func.func @carried(%n: index, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %m0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %m0, %l = %l0) -> (tensor<8xf32>, tensor<8xf32>) {
    %en = tensor.empty() : tensor<8xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m : tensor<8xf32>) outs(%en : tensor<8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.addf %x, %x : f32
      linalg.yield %y : f32
    } -> tensor<8xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
      ins(%m, %next : tensor<8xf32>, tensor<8xf32>) outs(%l : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %z = arith.subf %x, %y : f32
      %w = arith.addf %z, %o : f32
      linalg.yield %w : f32
    } -> tensor<8xf32>
    scf.yield %next, %sum : tensor<8xf32>, tensor<8xf32>
  }
  bufferization.materialize_in_destination %r#1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
