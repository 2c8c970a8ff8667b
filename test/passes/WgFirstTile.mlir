// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-first-tile | FileCheck %s

!s = !wg.frag<128x64xf32, acc, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>

module attributes {fa.stage = "values"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// The first tile's maximum is the row's; its factor rescales nothing.
// CHECK-LABEL: gpu.func @first
// CHECK: %[[MX:.*]] = wg.reduce_rows maximumf
// CHECK: %[[REF:.*]] = wg.map(%[[MX]] : !wg.rows<128xf32, warps = 8>)
// CHECK-NOT: arith.maximumf
// CHECK-NOT: math.exp2
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: %[[ONES:.*]] = wg.splat %[[ONE]]
// CHECK: wg.map(%[[ONES]], %{{.*}} : !wg.rows<128xf32, warps = 8>, !wg.rows<128xf32, warps = 8>)
// CHECK: wg.map(%[[ONES]], %{{.*}} : !wg.rows<128xf32, warps = 8>, !wg.frag<128x64xf32, acc, warps = 8>)
gpu.func @first(%s: !s, %c: f32, %O: memref<?x64xf32, strided<[?, 1], offset: ?>>,
                %L: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel} {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %lows = wg.splat %ninf : f32 -> !rows
  %l0 = wg.splat %zero : f32 -> !rows
  %acc0 = wg.splat %zero : f32 -> !s
  %mx = wg.reduce_rows maximumf %s, %lows : !s, !rows
  %ref = wg.map(%lows, %mx : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %both = arith.maximumf %x, %y : f32
    %empty = arith.cmpf oeq, %both, %ninf : f32
    %z = arith.select %empty, %zero, %both : f32
    wg.yield %z : f32
  }
  %alpha = wg.map(%lows, %ref : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %d = arith.subf %x, %y : f32
    %e = arith.mulf %d, %c : f32
    %z = math.exp2 %e : f32
    wg.yield %z : f32
  }
  %l = wg.map(%alpha, %l0 : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %z = arith.mulf %x, %y : f32
    wg.yield %z : f32
  }
  %acc = wg.map(%alpha, %acc0 : !rows, !s) -> !s {
  ^bb0(%x: f32, %y: f32, %r: index, %k: index):
    %z = arith.mulf %x, %y : f32
    wg.yield %z : f32
  }
  wg.store_rows %l, %L rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  wg.store %acc, %O rows %n : !s, memref<?x64xf32, strided<[?, 1], offset: ?>>
  gpu.return
}

// A factor that somebody else reads, of a sum that is not 0, stays.
// CHECK-LABEL: gpu.func @other
// CHECK: math.exp2
gpu.func @other(%ref: !rows, %l0: !rows, %c: f32, %L: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel
    attributes {fa.kernel} {
  %ninf = arith.constant 0xFF800000 : f32
  %lows = wg.splat %ninf : f32 -> !rows
  %alpha = wg.map(%lows, %ref : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %d = arith.subf %x, %y : f32
    %e = arith.mulf %d, %c : f32
    %z = math.exp2 %e : f32
    wg.yield %z : f32
  }
  %l = wg.map(%alpha, %l0 : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %z = arith.mulf %x, %y : f32
    wg.yield %z : f32
  }
  wg.store_rows %l, %L rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}
}
}
