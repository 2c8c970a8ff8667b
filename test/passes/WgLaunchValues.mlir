// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-launch-values --canonicalize | FileCheck %s

#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>

// The manifest says what the host computes.
// CHECK: params = {{\[\[}}"size", "q", 0], ["pointer", "o"], ["scalar", "x"], ["expr", ["ceildiv", ["size", "q", 0], 128]],
// CHECK-SAME: ["expr", ["floordiv", ["max", ["sub", ["size", "q", 0], 1], 0], 64]]
// CHECK-SAME: ["expr", ["floordiv", ["size", "q", 0], ["max", ["size", "q", 1], 1]]]]
module attributes {fa.stage = "specialized", fa.manifest = {kernels = [{name = "f"}]}} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[S:[a-z0-9]+]]: index {fa.param = #fa.param<size "q"[0]>}
// CHECK-SAME: %[[TILES:[a-z0-9]+]]: index {fa.param = ["expr", ["ceildiv"
// CHECK-SAME: %[[LAST:[a-z0-9]+]]: index {fa.param = ["expr", ["floordiv", ["max"
// CHECK-SAME: %[[RATIO:[a-z0-9]+]]: index {fa.param = ["expr", ["floordiv", ["size"
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// One argument for what two ops compute.
// CHECK-DAG: memref.store %{{.*}}, %{{.*}}[%[[TILES]], %[[TILES]]]
// CHECK-DAG: memref.store %{{.*}}, %{{.*}}[%[[LAST]], %[[BLOCK]]]
// A part of what depends on the block.
// CHECK-DAG: affine.apply {{.*}}()[%[[BLOCK]], %[[RATIO]]]
// What does not divide is cheap, and a negative dividend rounds up.
// CHECK-DAG: arith.addi %[[S]], %c1
// CHECK-DAG: arith.divsi %{{.*}}, %c64
gpu.func @f(%s: index {fa.param = #fa.param<size "q"[0]>}, %h: index {fa.param = #fa.param<size "q"[1]>},
            %O: memref<?x?xf32> {fa.param = #fa.param<pointer "o">}, %x: f32 {fa.param = #fa.param<scalar "x">}) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %block = gpu.block_id x
  %t0 = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%s]
  %t1 = arith.ceildivsi %s, %c128 : index
  memref.store %x, %O[%t0, %t1] : memref<?x?xf32>
  %less = arith.subi %s, %c1 : index
  %last = arith.divsi %less, %c64 : index
  memref.store %x, %O[%last, %block] : memref<?x?xf32>
  %head = affine.apply affine_map<()[s0, s1, s2] -> (s0 floordiv (s1 floordiv s2))>()[%block, %s, %h]
  memref.store %x, %O[%head, %block] : memref<?x?xf32>
  %more = arith.addi %s, %c1 : index
  %below = arith.subi %s, %c128 : index
  %up = arith.divsi %below, %c64 : index
  memref.store %x, %O[%more, %up] : memref<?x?xf32>
  gpu.return
}

// CHECK-LABEL: gpu.func @blocks
// CHECK: arith.ceildivsi
gpu.func @blocks(%s: index {fa.param = #fa.param<size "q"[0]>}, %O: memref<?xf32>, %x: f32) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8>} {
  %c128 = arith.constant 128 : index
  %t = arith.ceildivsi %s, %c128 : index
  memref.store %x, %O[%t] : memref<?xf32>
  gpu.return
}
}
}
