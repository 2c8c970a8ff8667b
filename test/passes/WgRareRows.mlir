// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-rare-rows --split-input-file | FileCheck %s

!s = !wg.frag<64x32xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!sum = !wg.rows<64xf32, warps = 4, partial = addf>
!out = memref<?xf32, strided<[?], offset: ?>>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// What the loop carries at first: -(m * c) and whether a factor is not 1.
// CHECK-LABEL: gpu.func @f
// CHECK: wg.map(%[[M0:[a-z0-9_]+]]
// CHECK: arith.select
// CHECK: %[[N0:.*]] = wg.map(%[[M0]] : !wg.rows<64xf32, warps = 4>)
// CHECK: arith.negf
// CHECK: %[[LATE0:.*]] = wg.any(%[[A0:.*]] : !wg.rows
// CHECK: scf.for {{.*}} iter_args(%[[M:[a-z0-9]+]] = %[[M0]], %[[L:[a-z0-9]+]] = %{{.*}}, %{{.*}} = %[[A0]], %[[N:[a-z0-9_]+]] = %[[N0]], %[[LATE:[a-z0-9_]+]] = %[[LATE0]])
// The rescale of the tile before asks a bit.
// CHECK: scf.if %[[LATE]]
// CHECK: %[[IF:.*]]:5 = scf.if %{{.*}} -> (!wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4, partial = addf>, i1)
// CHECK: %[[M1:.*]] = wg.map(%[[M]], %{{.*}} : !wg.rows
// CHECK: %[[FINITE:.*]] = wg.map(%[[M1]]
// CHECK: arith.select
// CHECK: %[[N1:.*]] = wg.map(%[[M1]]
// CHECK: arith.negf
// CHECK: %[[A1:.*]] = wg.map(%[[M]], %[[FINITE]]
// CHECK: math.exp2
// CHECK: %[[L1:.*]] = wg.map(%[[L]], %[[A1]]
// CHECK: %[[ASKS:.*]] = wg.any(%[[A1]]
// CHECK: scf.yield %[[M1]], %[[N1]], %[[A1]], %[[L1]], %[[ASKS]]
// CHECK: } else {
// CHECK: %[[ONES:.*]] = wg.splat
// CHECK: %[[FALSE:[a-z0-9_]+]] = arith.constant false
// CHECK: scf.yield %[[M]], %[[N]], %[[ONES]], %[[L]], %[[FALSE]] :
// CHECK: wg.map(%{{.*}}, %[[IF]]#1
// CHECK: wg.reduce_rows addf %{{.*}}, %[[IF]]#3
// CHECK: scf.yield %[[IF]]#0, %{{.*}}, %[[IF]]#2, %[[IF]]#1, %[[IF]]#4
gpu.func @f(%s: !s, %m0: !rows, %l0: !sum, %a0: !rows, %c: f32, %O: !out, %n: index) kernel
    attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %l = %l0, %a = %a0) -> (!rows, !sum, !rows) {
    %late = wg.any(%a : !rows) {
    ^bb0(%x: f32):
      %k = arith.cmpf une, %x, %one : f32
      wg.yield %k : i1
    }
    %t = scf.if %late -> (!s) {
      %scaled = wg.map(%a, %s : !rows, !s) -> !s {
      ^bb0(%x: f32, %y: f32, %row: index, %col: index):
        %z = arith.mulf %x, %y : f32
        wg.yield %z : f32
      }
      scf.yield %scaled : !s
    } else {
      scf.yield %s : !s
    }
    %asks = wg.any(%m : !rows) {
    ^bb0(%x: f32):
      %k = arith.cmpf ogt, %x, %zero : f32
      wg.yield %k : i1
    }
    %m1 = scf.if %asks -> (!rows) {
      %moved = wg.map(%m, %a : !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %row: index):
        %z = arith.addf %x, %y : f32
        wg.yield %z : f32
      }
      scf.yield %moved : !rows
    } else {
      scf.yield %m : !rows
    }
    %finite = wg.map(%m1 : !rows) -> !rows {
    ^bb0(%x: f32, %row: index):
      %none = arith.cmpf oeq, %x, %ninf : f32
      %z = arith.select %none, %zero, %x : f32
      wg.yield %z : f32
    }
    %neg = wg.map(%m1 : !rows) -> !rows {
    ^bb0(%x: f32, %row: index):
      %y = arith.mulf %x, %c : f32
      %z = arith.negf %y : f32
      wg.yield %z : f32
    }
    %p = wg.map(%t, %neg : !s, !rows) -> !s {
    ^bb0(%x: f32, %y: f32, %row: index, %col: index):
      %e = math.fma %x, %c, %y : f32
      %z = math.exp2 %e : f32
      wg.yield %z : f32
    }
    %alpha = wg.map(%m, %finite : !rows, !rows) -> !rows {
    ^bb0(%x: f32, %y: f32, %row: index):
      %d = arith.subf %x, %y : f32
      %e = arith.mulf %d, %c : f32
      %z = math.exp2 %e : f32
      wg.yield %z : f32
    }
    %l1 = wg.map(%l, %alpha : !sum, !rows) -> !sum {
    ^bb0(%x: f32, %y: f32, %row: index):
      %z = arith.mulf %x, %y : f32
      wg.yield %z : f32
    }
    %l2 = wg.reduce_rows addf %p, %l1 : !s, !sum
    scf.yield %m1, %l2, %alpha : !rows, !sum, !rows
  }
  %whole = wg.join_rows %r#1 : !sum
  wg.store_rows %whole, %O rows %n : !rows, !out
  gpu.return
}
}
}

// -----

// A value that changes with the tile stays where it is.
!rows = !wg.rows<64xf32, warps = 4>
!out = memref<?xf32, strided<[?], offset: ?>>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {
// CHECK-LABEL: gpu.func @tile
// CHECK: %[[M1:.*]] = scf.if %{{.*}} -> (!wg.rows<64xf32, warps = 4>) {
// CHECK: wg.map(%[[M1]]
gpu.func @tile(%m0: !rows, %O: !out, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0) -> (!rows) {
    %asks = wg.any(%m : !rows) {
    ^bb0(%x: f32):
      %k = arith.cmpf ogt, %x, %zero : f32
      wg.yield %k : i1
    }
    %m1 = scf.if %asks -> (!rows) {
      %none = wg.splat %ninf : f32 -> !rows
      scf.yield %none : !rows
    } else {
      scf.yield %m : !rows
    }
    %j32 = arith.index_cast %j : index to i32
    %jf = arith.sitofp %j32 : i32 to f32
    %y = wg.map(%m1 : !rows) -> !rows {
    ^bb0(%x: f32, %row: index):
      %z = arith.addf %x, %jf : f32
      wg.yield %z : f32
    }
    wg.store_rows %y, %O rows %n : !rows, !out
    scf.yield %m1 : !rows
  }
  gpu.return
}
}
}
