// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-small-tanh | FileCheck %s

!s = !wg.frag<64x64xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>

module attributes {fa.stage = "async"} {
gpu.module @m {

// CHECK-LABEL: gpu.func @softcap
// CHECK-SAME: %[[S:[a-z0-9]+]]: !wg.frag<64x64xf32, acc, warps = 4>, %[[R:[a-z0-9]+]]: !wg.rows<64xf32, warps = 4>, %[[SCALE:[a-z0-9]+]]: f32, %[[CAP:[a-z0-9]+]]: f32
// The factor scale / cap, and the coefficients with what is multiplied by.
// CHECK: %[[F:.*]] = arith.divf %[[SCALE]], %[[CAP]]
// CHECK: arith.minimumf %[[F]]
// CHECK: %[[FINITE:.*]] = arith.maximumf
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[FINITE]], %[[FINITE]]
// CHECK: %[[FIRST:.*]] = arith.mulf %[[CAP]], %[[FINITE]]
// CHECK: %[[B0:.*]] = arith.mulf %[[FIRST]], %{{.*}}
// CHECK: %[[THIRD:.*]] = arith.mulf %[[FIRST]], %[[SQUARE]]
// CHECK: %[[B1:.*]] = arith.mulf %[[THIRD]], %{{.*}}
// CHECK: %[[FIFTH:.*]] = arith.mulf %[[THIRD]], %[[SQUARE]]
// CHECK: %[[B2:.*]] = arith.mulf %[[FIFTH]], %{{.*}}
// Zeros where they could overflow.
// CHECK: %[[C0:.*]] = arith.select %[[WORKS:.*]], %[[B0]], %{{.*}}
// CHECK: %[[C1:.*]] = arith.select %[[WORKS]], %[[B1]], %{{.*}}
// CHECK: %[[C2:.*]] = arith.select %[[WORKS]], %[[B2]], %{{.*}}
// CHECK: %[[BOUND:.*]] = arith.divf %{{.*}}, %{{.*}}
// CHECK: %[[LIMIT:.*]] = arith.select %{{.*}}, %[[BOUND]], %{{.*}}
// Whether an argument is past the range on either side, or no number.
// CHECK: %[[MOST:.*]] = wg.reduce_rows maximum_bits %[[S]], %{{.*}} partial = maximumf>
// CHECK: %[[LEAST:.*]] = wg.reduce_rows largest_bits %[[S]], %{{.*}} partial = maximumf>
// CHECK: %[[FAR:.*]] = wg.any(%[[MOST]], %[[LEAST]]
// CHECK: math.absf
// CHECK-NEXT: arith.cmpf ugt, %{{.*}}, %[[LIMIT]]
// CHECK-NEXT: math.absf
// CHECK-NEXT: arith.cmpf ugt, %{{.*}}, %[[LIMIT]]
// CHECK-NEXT: arith.ori
// CHECK: %[[RESULT:.*]] = scf.if %[[FAR]]
// Element by element what the other branch gives, or the full form. Nobody knows
// whether the scale is positive.
// CHECK: wg.map(%[[S]] :
// CHECK-NOT: increasing
// CHECK-SAME: {{{$}}
// CHECK: %[[SMALL:.*]] = arith.cmpf ole, %{{.*}}, %[[LIMIT]]
// CHECK: arith.select %[[SMALL]], %[[E:.*]], %{{.*}}
// CHECK: %[[Z:.*]] = arith.mulf %[[E]], %[[FINITE]]
// CHECK: %[[TANH:.*]] = math.tanh %[[Z]] fastmath<afn>
// CHECK: %[[WEIGHTED:.*]] = arith.mulf %[[TANH]], %[[CAP]]
// CHECK: arith.select %[[SMALL]], %{{.*}}, %[[WEIGHTED]]
// CHECK: } else {
// CHECK: wg.map(%[[S]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32,
// CHECK-NEXT: %[[W:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[Q:.*]] = math.fma %[[W]], %[[C2]], %[[C1]]
// CHECK-NEXT: %[[P:.*]] = math.fma %[[W]], %[[Q]], %[[C0]]
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[X]], %[[P]]
// CHECK-NEXT: wg.yield %[[T]]
// What else the map did.
// CHECK: %[[ALL:.*]] = wg.map(%[[R]], %[[RESULT]]
// CHECK-NEXT: ^bb0(%[[Y:.*]]: f32, %[[H:.*]]: f32,
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[H]], %[[Y]]
// CHECK-NEXT: wg.yield %[[SUM]]
// CHECK: wg.reduce_rows addf %[[ALL]]
gpu.func @softcap(%s: !s, %r: !rows, %scale: f32, %cap: f32, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %t = wg.map(%s, %r : !s, !rows) -> !s {
  ^bb0(%x: f32, %y: f32, %row: index, %col: index):
    %scaled = arith.mulf %x, %scale : f32
    %z = arith.divf %scaled, %cap : f32
    %h = math.tanh %z : f32
    %c = arith.mulf %cap, %h : f32
    %sum = arith.addf %c, %y : f32
    wg.yield %sum : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}

// A scale that the launch holds to be positive: the cap is in it twice, and a
// map of the region's value does not fall where the element rises.
// CHECK-LABEL: gpu.func @positive
// CHECK: scf.if
// CHECK-NEXT: wg.map({{.*}} attributes {increasing} {
// CHECK: } else {
// CHECK-NEXT: wg.map({{.*}} attributes {increasing} {
gpu.func @positive(%s: !s, %r: !rows, %scale: f32 {fa.class = "positive"}, %cap: f32, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %scaled = arith.mulf %x, %scale : f32
    %z = arith.divf %scaled, %cap : f32
    %h = math.tanh %z : f32
    %c = arith.mulf %cap, %h : f32
    wg.yield %c : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}

// A weight that is negative, and a cap that is in it once.
// CHECK-LABEL: gpu.func @falls
// CHECK: scf.if
// CHECK-NOT: increasing
// CHECK-LABEL: gpu.func @once
// CHECK: scf.if
// CHECK-NOT: increasing
gpu.func @falls(%s: !s, %r: !rows, %scale: f32 {fa.class = "positive"}, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %weight = arith.constant -2.0 : f32
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %z = arith.mulf %x, %scale : f32
    %h = math.tanh %z : f32
    %c = arith.mulf %weight, %h : f32
    wg.yield %c : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}
gpu.func @once(%s: !s, %r: !rows, %scale: f32 {fa.class = "positive"}, %cap: f32, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %scaled = arith.mulf %x, %scale : f32
    %z = arith.divf %scaled, %cap : f32
    %h = math.tanh %z : f32
    wg.yield %h : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}

// An argument that is no multiple of an element, and a kernel without fa.tma.
// CHECK-LABEL: gpu.func @others
// CHECK-NOT: scf.if
// CHECK: math.tanh
// CHECK-NOT: scf.if
// CHECK-LABEL: gpu.func @without_tma
// CHECK-NOT: scf.if
// CHECK: math.tanh
gpu.func @others(%s: !s, %r: !rows, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %t = wg.map(%s, %r : !s, !rows) -> !s {
  ^bb0(%x: f32, %y: f32, %row: index, %col: index):
    %z = arith.addf %x, %y : f32
    %h = math.tanh %z : f32
    wg.yield %h : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}
gpu.func @without_tma(%s: !s, %r: !rows, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel} {
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %h = math.tanh %x : f32
    wg.yield %h : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}
}
}
