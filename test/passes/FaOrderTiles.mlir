// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-order-tiles | FileCheck %s

!t = memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
#grouped = #fa.schedule<query_tile = 128, key_tile = 128, order = heaviest_first, head_group = 32>
#plain = #fa.schedule<query_tile = 128, key_tile = 128, order = heaviest_first>

module attributes {fa.stage = "masked"} {

// 32 MiB are 131072 rows of K and V of 64 columns. Four query heads share a key
// head, so they go together.
// CHECK-LABEL: func.func @grouped
// CHECK-SAME: %[[B:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %[[T:[a-z0-9]+]]: index
// CHECK: %[[SK:.*]] = memref.dim %{{.*}}, %c2
// CHECK: %[[KEYS:.*]] = arith.maxsi %[[SK]], %c1
// CHECK: %[[FIT:.*]] = arith.divui %c131072{{.*}}, %[[KEYS]]
// CHECK: %[[SOME:.*]] = arith.maxsi %[[FIT]], %c1
// CHECK: %[[MOST:.*]] = arith.minsi %[[SOME]],
// CHECK: %[[SHARED:.*]] = arith.divui %[[H]],
// CHECK: %[[GROUP:.*]] = arith.muli %[[MOST]], %[[SHARED]]
// CHECK: %[[ALL:.*]] = affine.apply {{.*}}()[%[[B]], %[[H]], %[[T]]]
// CHECK: scf.forall (%[[N:.*]]) in (%[[ALL]]) {
// CHECK: %[[GT:.*]] = arith.muli %[[GROUP]], %[[T]]
// CHECK: %[[BH:.*]] = arith.muli %[[B]], %[[H]]
// CHECK: %[[G:.*]] = arith.divui %[[N]], %[[GT]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[G]], %[[GROUP]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[BH]], %[[FIRST]]
// CHECK: %[[SIZE:.*]] = arith.minsi %[[LEFT]], %[[GROUP]]
// CHECK: %[[IN:.*]] = arith.remui %[[N]], %[[GT]]
// CHECK: %[[FAST:.*]] = arith.remui %[[IN]], %[[SIZE]]
// CHECK: %[[HEAD:.*]] = arith.addi %[[FIRST]], %[[FAST]]
// CHECK-DAG: %[[BATCH:.*]] = arith.divui %[[HEAD]], %[[H]]
// CHECK-DAG: %[[H1:.*]] = arith.remui %[[HEAD]], %[[H]]
// CHECK-DAG: %[[TILE:.*]] = arith.divui %[[IN]], %[[SIZE]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[BATCH]], %[[H1]], %[[TILE]]]
// CHECK: mapping = [#gpu.block<x>]
func.func @grouped(%b: index, %h: index, %t: index, %x: f32, %lse: memref<?x?x?xf32>,
                   %k: !t {fa.tensor = #fa.tensor<"k", in, ["B", "Hkv", "Sk", 64]>},
                   %v: !t {fa.tensor = #fa.tensor<"v", in, ["B", "Hkv", "Sk", 64]>})
    attributes {fa.problem = {layout = "bhsd"}} {
  scf.forall (%i, %j, %n) in (%b, %h, %t) {
    memref.store %x, %lse[%i, %j, %n] : memref<?x?x?xf32>
  } {fa.schedule = #grouped, mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  return
}

// CHECK-LABEL: func.func @plain
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in
func.func @plain(%b: index, %h: index, %t: index, %x: f32, %lse: memref<?x?x?xf32>,
                 %k: !t {fa.tensor = #fa.tensor<"k", in, ["B", "Hkv", "Sk", 64]>},
                 %v: !t {fa.tensor = #fa.tensor<"v", in, ["B", "Hkv", "Sk", 64]>})
    attributes {fa.problem = {layout = "bhsd"}} {
  scf.forall (%i, %j, %n) in (%b, %h, %t) {
    memref.store %x, %lse[%i, %j, %n] : memref<?x?x?xf32>
  } {fa.schedule = #plain, mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  return
}
}
