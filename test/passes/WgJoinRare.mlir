// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-join-rare | FileCheck %s

!s = !wg.frag<64x32xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!max = !wg.rows<64xf32, warps = 4, partial = maximumf>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// One vote, against a bound that is carried: -inf where references are far.
// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[S:[a-z0-9]+]]: !wg.frag<64x32xf32, acc, warps = 4>, %[[M0:[a-z0-9]+]]: !wg.rows<64xf32, warps = 4>, %[[FAR0:[a-z0-9]+]]: i1
// CHECK: %[[BOUND0:.*]] = wg.map(%[[M0]]
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000
// CHECK: arith.select %[[FAR0]], %[[LOWEST]], %[[SUM]]
// CHECK: scf.for {{.*}} iter_args(%[[M:[a-z0-9]+]] = %[[M0]], %[[WAS:[a-z0-9]+]] = %[[FAR0]], %[[BOUND:[a-z0-9]+]] = %[[BOUND0]])
// CHECK: %[[ASKS:.*]] = wg.any(%{{.*}}, %[[BOUND]]
// CHECK: %[[IF:.*]]:4 = scf.if %[[ASKS]]
// What rows are held against one by one is no bound of -inf.
// CHECK-NEXT: %[[OWN:.*]] = wg.map(%[[M]]
// CHECK: %[[MOVED:.*]]:2 = scf.if %[[ASKS]]
// CHECK: wg.map(%[[M]], %{{.*}}, %[[OWN]]
// CHECK: %[[NEXT:.*]] = wg.map(%[[MOVED]]#0
// CHECK: arith.select %[[MOVED]]#1, %{{.*}}, %{{.*}} : f32
// CHECK: %[[T:.*]] = scf.if %[[MOVED]]#1
// CHECK: scf.yield %[[MOVED]]#0, %[[MOVED]]#1, %[[T]], %[[NEXT]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[M]], %[[WAS]], %[[S]], %[[BOUND]]
// CHECK: wg.map(%[[IF]]#2
// CHECK: scf.yield %[[IF]]#0, %[[IF]]#1, %[[IF]]#3
gpu.func @f(%s: !s, %m0: !rows, %far0: i1, %slack: f32, %O: memref<?x32xf32, strided<[?, 1], offset: ?>>, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant 0xFF800000 : f32
  %most = arith.constant 4096.0 : f32
  %lows = wg.splat %ninf : f32 -> !max
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %was = %far0) -> (!rows, i1) {
    %limit = wg.map(%m : !rows) -> !rows {
    ^bb0(%x: f32, %row: index):
      %z = arith.addf %x, %slack : f32
      wg.yield %z : f32
    }
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %asks = wg.any(%mx, %limit : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved:2 = scf.if %asks -> (!rows, i1) {
      %whole = wg.join_rows %mx : !max
      %new = wg.map(%m, %whole, %limit : !rows, !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %l: f32, %row: index):
        %passes = arith.cmpf ogt, %y, %l : f32
        %z = arith.select %passes, %y, %x : f32
        wg.yield %z : f32
      }
      %far = wg.any(%new : !rows) {
      ^bb0(%x: f32):
        %z = arith.cmpf uge, %x, %most : f32
        wg.yield %z : i1
      }
      scf.yield %new, %far : !rows, i1
    } else {
      scf.yield %m, %was : !rows, i1
    }
    %t = scf.if %moved#1 -> (!s) {
      %near = wg.map(%s, %moved#0 : !s, !rows) -> !s {
      ^bb0(%x: f32, %y: f32, %row: index, %col: index):
        %z = arith.subf %x, %y : f32
        wg.yield %z : f32
      }
      scf.yield %near : !s
    } else {
      scf.yield %s : !s
    }
    %p = wg.map(%t : !s) -> !s {
    ^bb0(%x: f32, %row: index, %col: index):
      %z = math.exp2 %x : f32
      wg.yield %z : f32
    }
    wg.store %p, %O rows %n : !s, memref<?x32xf32, strided<[?, 1], offset: ?>>
    scf.yield %moved#0, %moved#1 : !rows, i1
  }
  gpu.return
}
}
}
