// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-persist | FileCheck %s

#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = strided>

// CHECK: grid = ["min", ["mul", 4, ["ceildiv", ["size", "q", 0], 128]], ["units"]]
module attributes {fa.stage = "values", fa.manifest = {kernels = [
    {name = "f", grid = ["mul", 4, ["ceildiv", ["size", "q", 0], 128]]}]}} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[N:[a-z0-9]+]]: index {fa.param = #fa.param<size "q"[0]>}
// CHECK: %[[FIRST:.*]] = gpu.block_id x
// CHECK: %[[TILES:.*]] = arith.ceildivsi %[[N]], %c128
// CHECK: %[[ALL:.*]] = arith.muli %[[TILES]], %c4
// CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
// CHECK: scf.for %[[T:.*]] = %[[FIRST]] to %[[ALL]] step %[[BLOCKS]] {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[T]]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @f(%n: index {fa.param = #fa.param<size "q"[0]>}, %O: memref<?xf32>, %x: f32) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %t = gpu.block_id x
  memref.store %x, %O[%t] : memref<?xf32>
  gpu.return
}
}
}
