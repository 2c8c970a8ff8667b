// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles as tensors become tiles in registers and shared memory, op for op, whatever they are for: this kernel is no
// attention. 32 rows by 2 warps; the memref's rows may be fewer.
// RUN: fa-opt %s --fa-to-wg --canonicalize | FileCheck %s

#s = #fa.schedule<query_tile = 32, key_tile = 16, warps = 2>
#tile = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
!rows = memref<?x64xf16, strided<[?, 1], offset: ?>>

// CHECK: fa.stage = "values"
module attributes {fa.stage = "outlined"} {
gpu.module @m {
  // CHECK-LABEL: gpu.func @kernel(
  // CHECK-SAME: %[[A:[^:]*]]: memref<?x64xf16, {{.*}}>, %[[B:[^:]*]]: memref<?x64xf16, {{.*}}>, %[[C:[^:]*]]: memref<?x16xf32>, %[[R:[^:]*]]: memref<?xf32>
  gpu.func @kernel(%a: !rows, %b: !rows, %c: memref<?x16xf32>, %r: memref<?xf32>, %n: index, %x: f32)
      kernel attributes {fa.kernel, fa.schedule = #s} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0.0 : f16
    %lowest = arith.constant 0xFF800000 : f32
    // CHECK: %[[AT:.*]] = wg.load %[[A]] rows %{{.*}} {bytes = 2 : i64} : {{.*}} -> !wg.smem<32x64xf16>
    %as = bufferization.to_tensor %a restrict : !rows to tensor<?x64xf16>
    %rows = memref.dim %a, %c0 : !rows
    %high = arith.subi %c32, %rows : index
    %at = tensor.pad %as low[0, 0] high[%high, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %none : f16
    } : tensor<?x64xf16> to tensor<32x64xf16>
    // CHECK: %[[M0:.*]] = wg.splat %{{.*}} : f32 -> !wg.rows<32xf32, warps = 2>
    %me = tensor.empty() : tensor<32xf32>
    %m0 = linalg.fill ins(%lowest : f32) outs(%me : tensor<32xf32>) -> tensor<32xf32>
    // CHECK: %[[S0:.*]] = wg.splat %{{.*}} : f32 -> !wg.frag<32x16xf32, acc, warps = 2>
    %se = tensor.empty() : tensor<32x16xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
    // CHECK: %[[L:.*]]:2 = scf.for {{.*}} iter_args(%[[M:.*]] = %[[M0]], %[[S:.*]] = %[[S0]]) -> (!wg.rows<32xf32, warps = 2>, !wg.frag<32x16xf32, acc, warps = 2>)
    %l:2 = scf.for %j = %c0 to %n step %c16 iter_args(%m = %m0, %s = %s0) -> (tensor<32xf32>, tensor<32x16xf32>) {
      // CHECK: %[[BT:.*]] = wg.load %{{.*}} -> !wg.smem<16x64xf16>
      %bv = memref.subview %b[%j, 0] [16, 64] [1, 1] : !rows to memref<16x64xf16, strided<[?, 1], offset: ?>>
      %bt = bufferization.to_tensor %bv restrict : memref<16x64xf16, strided<[?, 1], offset: ?>> to tensor<16x64xf16>
      // CHECK: %[[S1:.*]] = wg.mma %[[AT]], %[[BT]], %[[S]] {transpose_b}
      %s1 = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%at, %bt : tensor<32x64xf16>, tensor<16x64xf16>)
        outs(%s : tensor<32x16xf32>) -> tensor<32x16xf32>
      // CHECK: %[[S2:.*]] = wg.map(%[[M]], %[[S1]] : {{.*}}) -> !wg.frag<32x16xf32, acc, warps = 2> {
      // CHECK: ^bb0(%[[ME:.*]]: f32, %[[SE:.*]]: f32, %[[ROW:.*]]: index, %{{.*}}: index):
      // CHECK: math.absf %[[SE]]
      // CHECK: arith.index_cast %[[ROW]]
      // CHECK: wg.yield
      %s2 = linalg.generic {indexing_maps = [#row, #tile], iterator_types = ["parallel", "parallel"]}
          ins(%m : tensor<32xf32>) outs(%s1 : tensor<32x16xf32>) {
      ^bb0(%me1: f32, %e: f32):
        %y = math.absf %e : f32
        %row = linalg.index 0 : index
        %int = arith.index_cast %row : index to i32
        %float = arith.sitofp %int : i32 to f32
        %z = arith.addf %y, %float : f32
        %w = arith.addf %z, %me1 : f32
        linalg.yield %w : f32
      } -> tensor<32x16xf32>
      // CHECK: %[[M1:.*]] = wg.reduce_rows maximumf %[[S2]], %[[M]]
      %m1 = linalg.generic {indexing_maps = [#tile, #row], iterator_types = ["parallel", "reduction"]}
          ins(%s2 : tensor<32x16xf32>) outs(%m : tensor<32xf32>) {
      ^bb0(%e: f32, %o: f32):
        %y = arith.maximumf %e, %o : f32
        linalg.yield %y : f32
      } -> tensor<32xf32>
      // CHECK: scf.yield %[[M1]], %[[S2]]
      scf.yield %m1, %s2 : tensor<32xf32>, tensor<32x16xf32>
    }
    // CHECK: wg.store %[[L]]#1, %[[C]] rows %{{.*}} {bytes = 4 : i64}
    %out = memref.dim %c, %c0 : memref<?x16xf32>
    %cs = tensor.extract_slice %l#1[0, 0] [%out, 16] [1, 1] : tensor<32x16xf32> to tensor<?x16xf32>
    bufferization.materialize_in_destination %cs in restrict writable %c : (tensor<?x16xf32>, memref<?x16xf32>) -> ()
    // CHECK: wg.store_rows %[[L]]#0, %[[R]] rows
    %rs = tensor.extract_slice %l#0[0] [%out] [1] : tensor<32xf32> to tensor<?xf32>
    bufferization.materialize_in_destination %rs in restrict writable %r : (tensor<?xf32>, memref<?xf32>) -> ()
    gpu.return
  }

  // Rows that all exist: what a pad by nothing is folded to.
  // CHECK-LABEL: gpu.func @whole(
  // CHECK-SAME: %[[A:[^:]*]]: memref<?x64xf16, {{.*}}>
  // CHECK: %[[AT:.*]] = wg.load %[[A]] rows %{{.*}} {bytes = 2 : i64} : {{.*}} -> !wg.smem<32x64xf16>
  // CHECK: wg.mma %[[AT]], %[[AT]]
  gpu.func @whole(%a: !rows, %c: memref<?x32xf32>) kernel attributes {fa.kernel, fa.schedule = #s} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %as = bufferization.to_tensor %a restrict : !rows to tensor<?x64xf16>
    %at = tensor.cast %as : tensor<?x64xf16> to tensor<32x64xf16>
    %se = tensor.empty() : tensor<32x32xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s1 = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%at, %at : tensor<32x64xf16>, tensor<32x64xf16>)
      outs(%s0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %out = memref.dim %c, %c0 : memref<?x32xf32>
    %cs = tensor.extract_slice %s1[0, 0] [%out, 32] [1, 1] : tensor<32x32xf32> to tensor<?x32xf32>
    bufferization.materialize_in_destination %cs in restrict writable %c : (tensor<?x32xf32>, memref<?x32xf32>) -> ()
    gpu.return
  }

  // As many rows as are known to exist say nothing about the tile, where they are padded.
  // CHECK-LABEL: gpu.func @known(
  // CHECK: %[[AT:.*]] = wg.load %{{.*}} {bytes = 2 : i64} : memref<20x64xf16, {{.*}}> -> !wg.smem<32x64xf16>
  // CHECK-NOT: wg.load
  // CHECK: wg.mma %[[AT]], %[[AT]]
  gpu.func @known(%a: memref<20x64xf16, strided<[?, 1], offset: ?>>, %c: memref<?x32xf32>) kernel
      attributes {fa.kernel, fa.schedule = #s} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %nothing = arith.constant 0.0 : f16
    %as = bufferization.to_tensor %a restrict
      : memref<20x64xf16, strided<[?, 1], offset: ?>> to tensor<20x64xf16>
    %at = tensor.pad %as low[0, 0] high[12, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %nothing : f16
    } : tensor<20x64xf16> to tensor<32x64xf16>
    %se = tensor.empty() : tensor<32x32xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s1 = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%at, %at : tensor<32x64xf16>, tensor<32x64xf16>)
      outs(%s0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %out = memref.dim %c, %c0 : memref<?x32xf32>
    %cs = tensor.extract_slice %s1[0, 0] [%out, 32] [1, 1] : tensor<32x32xf32> to tensor<?x32xf32>
    bufferization.materialize_in_destination %cs in restrict writable %c : (tensor<?x32xf32>, memref<?x32xf32>) -> ()
    gpu.return
  }
}
}
