// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-outline | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fa-opt %s --fa-outline=chip=sm_80 | FileCheck %s --check-prefixes=CHECK,GPU

// The host's side as data: the grid over the tensors' sizes, what each argument carries, names, types and shapes.
// CHECK: fa.manifest = {
// CPU-SAME: block = 1 : i64
// GPU-SAME: block = 32 : i64
// CHECK-SAME: grid = ["mul", 4, ["ceildiv", ["size", "q", 0], 16]]
// CHECK-SAME: name = "fa_kernel"
// CHECK-SAME: params = {{\[\[}}"pointer", "q"], ["size", "q", 0], ["stride", "q", 0], ["stride", "q", 1], ["pointer", "o"], ["stride", "o", 0], ["stride", "o", 1], ["scalar", "scale"]]
// CHECK-SAME: scalars = [{class = "positive", default = 5.000000e-01 : f32, name = "scale", type = "f32"}]
// CHECK-SAME: tensors = [{dims = ["S", 4, 64], name = "q", role = "in", type = "f16"}, {dims = ["S", 4, 64], name = "o", role = "out", type = "f16"}]
// CHECK-SAME: fa.stage = "outlined"

// The kernel's flat arguments; the extent S, which q and o share, is passed once.
// CPU-LABEL: func.func @fa_kernel(
// GPU: gpu.module @kernel_module attributes {fa.target = "sm_80"}
// GPU-LABEL: gpu.func @fa_kernel(
// CHECK-SAME: %[[Q:[^:]*]]: memref<f16> {fa.param = #fa.param<pointer "q">}
// CHECK-SAME: %[[S:[^:]*]]: index {fa.param = #fa.param<size "q"[0]>}
// CHECK-SAME: %[[Q0:[^:]*]]: index {fa.param = #fa.param<stride "q"[0]>}
// CHECK-SAME: %[[Q1:[^:]*]]: index {fa.param = #fa.param<stride "q"[1]>}
// CHECK-SAME: %[[O:[^:]*]]: memref<f16> {fa.param = #fa.param<pointer "o">}
// CHECK-SAME: %[[O0:[^:]*]]: index
// CHECK-SAME: %[[O1:[^:]*]]: index
// What the launch holds a scalar to is known in the kernel too.
// CHECK-SAME: f32 {fa.class = "positive", fa.param = #fa.param<scalar "scale">}
// CPU-SAME: %[[TILE:[^:]*]]: index) attributes {fa.kernel
// GPU-SAME: kernel attributes {fa.kernel, {{.*}} known_block_size = array<i32: 32, 1, 1>}
// CHECK: memref.reinterpret_cast %[[Q]] {{.*}} sizes: [%[[S]], 4, 64], strides: [%[[Q0]], %[[Q1]], 1]
// CHECK: memref.reinterpret_cast %[[O]] {{.*}} sizes: [%[[S]], 4, 64], strides: [%[[O0]], %[[O1]], 1]
// CHECK: %[[TILES:.*]] = affine.apply
// GPU: %[[TILE:.*]] = gpu.block_id x
// CHECK: %[[T:.*]] = arith.remui %[[TILE]], %[[TILES]]
// CHECK: %[[H:.*]] = arith.divui %[[TILE]], %[[TILES]]
// CHECK: memref.load %{{.*}}[%[[T]], %[[H]],
// CHECK: memref.store
#s = #fa.schedule<query_tile = 16, key_tile = 8, warps = 1>
module attributes {fa.stage = "masked"} {
func.func @kernel(%q: memref<?x4x64xf16, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"q", in, ["S", 4, 64]>},
                  %o: memref<?x4x64xf16, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out, ["S", 4, 64]>},
                  %scale: f32 {fa.name = "scale", fa.default = 0.5 : f32, fa.class = "positive"}) {
  %c0 = arith.constant 0 : index
  %s = memref.dim %q, %c0 : memref<?x4x64xf16, strided<[?, ?, 1], offset: ?>>
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%s]
  scf.forall (%h, %t) in (4, %tiles) {
    %x = memref.load %q[%t, %h, %c0] : memref<?x4x64xf16, strided<[?, ?, 1], offset: ?>>
    memref.store %x, %o[%t, %h, %c0] : memref<?x4x64xf16, strided<[?, ?, 1], offset: ?>>
  } {fa.schedule = #s}
  return
}
}
