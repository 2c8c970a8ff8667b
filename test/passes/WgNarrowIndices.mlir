// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-narrow-indices --canonicalize | FileCheck %s

#stays = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, grid = counter>
#blocks = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// Loops and what they carry have 32 bits, what comes from strides 64.
// CHECK-LABEL: gpu.func @stays
// CHECK-SAME: %[[N:[a-z0-9]+]]: index {fa.param = #fa.param<size "q"[0]>}, %[[S:[a-z0-9]+]]: index
// CHECK: wg.role "consumers"
// CHECK-DAG: %[[N32:.*]] = arith.index_cast %[[N]] : index to i32
// CHECK: %[[END:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[N32]] step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (i32) : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[I]] : i32
// CHECK: scf.yield %[[SUM]] : i32
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[END]] : i32 to index
// CHECK: %[[AT:.*]] = arith.muli %[[WIDE]], %[[S]] : index
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[AT]]]
gpu.func @stays(%n: index {fa.param = #fa.param<size "q"[0]>}, %s: index {fa.param = #fa.param<stride "q"[0]>},
                %O: memref<?xf32> {fa.param = #fa.param<pointer "o">}, %x: f32 {fa.param = #fa.param<scalar "x">})
    kernel attributes {fa.kernel, fa.tma, fa.schedule = #stays} {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %c1 = arith.constant 1 : index
    %end = scf.for %i = %w to %n step %c1 iter_args(%a = %n) -> (index) {
      %b = arith.addi %a, %i : index
      scf.yield %b : index
    }
    %at = arith.muli %end, %s : index
    memref.store %x, %O[%at] : memref<?xf32>
  }
  gpu.return
}

// CHECK-LABEL: gpu.func @blocks
// CHECK: arith.addi %{{.*}}, %{{.*}} : index
gpu.func @blocks(%n: index {fa.param = #fa.param<size "q"[0]>}, %O: memref<?xf32> {fa.param = #fa.param<pointer "o">},
                 %x: f32 {fa.param = #fa.param<scalar "x">}) kernel attributes {fa.kernel, fa.tma, fa.schedule = #blocks} {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %at = arith.addi %w, %n : index
    memref.store %x, %O[%at] : memref<?xf32>
  }
  gpu.return
}
}
}
