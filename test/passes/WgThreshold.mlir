// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-threshold | FileCheck %s

!s = !wg.frag<128x64xf32, acc, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>
#schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 8, threshold = 8>
!out = memref<?xf32, strided<[?], offset: ?>>

module attributes {fa.stage = "values"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[S:[a-z0-9]+]]: !wg.frag<128x64xf32, acc, warps = 8>, %[[M:[a-z0-9]+]]: !wg.rows<128xf32, warps = 8>, %[[F:[a-z0-9]+]]: f32
// CHECK: %[[T:.*]] = arith.constant 8.0
// CHECK: %[[FAR:.*]] = arith.divf %[[T]], %[[F]]
// CHECK: %[[SLACK:.*]] = arith.minnumf %[[FAR]]
// CHECK: %[[LIMIT:.*]] = wg.map(%[[M]]
// CHECK: arith.addf %{{.*}}, %[[SLACK]]
// CHECK: %[[PART:.*]] = wg.reduce_rows maximumf %[[S]], %{{.*}} : {{.*}}, !wg.rows<128xf32, warps = 8, partial = maximumf>
// CHECK: %[[ASKS:.*]] = wg.any(%[[PART]], %[[LIMIT]]
// CHECK: arith.cmpf ogt
// CHECK: %[[NEW:.*]] = scf.if %[[ASKS]]
// CHECK: %[[WHOLE:.*]] = wg.join_rows %[[PART]]
// It is set 4 of the 8 above the maximum.
// CHECK: %[[HALF:.*]] = arith.constant 5.0
// CHECK: %[[LIFT:.*]] = arith.mulf %[[SLACK]], %[[HALF]]
// CHECK: %[[NEXT:.*]] = wg.map(%[[WHOLE]]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf %{{.*}}, %[[LIFT]]
// CHECK: wg.map(%[[M]], %[[WHOLE]], %[[LIMIT]], %[[NEXT]]
// CHECK: arith.select
// CHECK: } else {
// CHECK: scf.yield %[[M]]
// Readers of the maximum read the new reference.
// CHECK: %[[REF:.*]] = wg.map(%[[NEW]]
// CHECK-NOT: arith.maximumf
// CHECK: arith.select
// CHECK: wg.map(%[[REF]], %[[S]]
gpu.func @f(%s: !s, %m: !rows, %f: f32, %O: !out, %n: index) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %lows = wg.splat %ninf : f32 -> !rows
  %none = wg.splat %zero : f32 -> !rows
  %mx = wg.reduce_rows maximumf %s, %lows : !s, !rows
  %ref = wg.map(%m, %mx : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %both = arith.maximumf %x, %y : f32
    %empty = arith.cmpf oeq, %both, %ninf : f32
    %z = arith.select %empty, %zero, %both : f32
    wg.yield %z : f32
  }
  %p = wg.map(%ref, %s : !rows, !s) -> !s {
  ^bb0(%x: f32, %y: f32, %r: index, %c: index):
    %d = arith.subf %y, %x : f32
    %e = arith.mulf %d, %f : f32
    %z = math.exp2 %e : f32
    wg.yield %z : f32
  }
  %l = wg.reduce_rows addf %p, %none : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, !out
  gpu.return
}

// f16 has no bits for exponentials far below 1: the reference is the maximum.
// CHECK-LABEL: gpu.func @half
// CHECK: wg.reduce_rows maximumf
// CHECK: %[[WHOLE:.*]] = wg.join_rows
// CHECK-NEXT: wg.map(%{{.*}}, %[[WHOLE]], %{{.*}}, %[[WHOLE]]
gpu.func @half(%s: !s, %m: !rows, %f: f32, %O: !out, %P: memref<?x64xf16, strided<[?, 1], offset: ?>>, %n: index) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %lows = wg.splat %ninf : f32 -> !rows
  %none = wg.splat %zero : f32 -> !rows
  %mx = wg.reduce_rows maximumf %s, %lows : !s, !rows
  %ref = wg.map(%m, %mx : !rows, !rows) -> !rows {
  ^bb0(%x: f32, %y: f32, %r: index):
    %both = arith.maximumf %x, %y : f32
    wg.yield %both : f32
  }
  %p = wg.map(%ref, %s : !rows, !s) -> !s {
  ^bb0(%x: f32, %y: f32, %r: index, %c: index):
    %d = arith.subf %y, %x : f32
    %e = arith.mulf %d, %f : f32
    %z = math.exp2 %e : f32
    wg.yield %z : f32
  }
  %l = wg.reduce_rows addf %p, %none : !s, !rows
  %h = wg.map(%p : !s) -> !wg.frag<128x64xf16, acc, warps = 8> {
  ^bb0(%x: f32, %r: index, %c: index):
    %y = arith.truncf %x : f32 to f16
    wg.yield %y : f16
  }
  wg.store_rows %l, %O rows %n : !rows, !out
  wg.store %h, %P rows %n : !wg.frag<128x64xf16, acc, warps = 8>, memref<?x64xf16, strided<[?, 1], offset: ?>>
  gpu.return
}

// The first tile's maximum, in front of the loop that carries it, is raised for
// all that read it.
// CHECK-LABEL: gpu.func @first
// CHECK: %[[LIFT:.*]] = arith.minnumf
// CHECK: %[[M0:.*]] = wg.reduce_rows maximumf
// CHECK: %[[RAISED:.*]] = wg.map(%[[M0]]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf %{{.*}}, %[[LIFT]]
// CHECK: wg.map(%[[RAISED]]
// CHECK: scf.for {{.*}} = %[[RAISED]]
gpu.func @first(%s: !s, %f: f32, %O: !out, %n: index) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %lows = wg.splat %ninf : f32 -> !rows
  %none = wg.splat %zero : f32 -> !rows
  %m0 = wg.reduce_rows maximumf %s, %lows : !s, !rows
  %p0 = wg.map(%m0, %s : !rows, !s) -> !s {
  ^bb0(%x: f32, %y: f32, %r: index, %c: index):
    %d = arith.subf %y, %x : f32
    %e = arith.mulf %d, %f : f32
    %z = math.exp2 %e : f32
    wg.yield %z : f32
  }
  %l0 = wg.reduce_rows addf %p0, %none : !s, !rows
  %end:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %m0, %l = %l0) -> (!rows, !rows) {
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !rows
    %ref = wg.map(%m, %mx : !rows, !rows) -> !rows {
    ^bb0(%x: f32, %y: f32, %r: index):
      %both = arith.maximumf %x, %y : f32
      wg.yield %both : f32
    }
    %p = wg.map(%ref, %s : !rows, !s) -> !s {
    ^bb0(%x: f32, %y: f32, %r: index, %c: index):
      %d = arith.subf %y, %x : f32
      %e = arith.mulf %d, %f : f32
      %z = math.exp2 %e : f32
      wg.yield %z : f32
    }
    %ln = wg.reduce_rows addf %p, %l : !s, !rows
    scf.yield %ref, %ln : !rows, !rows
  }
  wg.store_rows %end#1, %O rows %n : !rows, !out
  gpu.return
}

// Another reader of the maximum may want the exact one.
// CHECK-LABEL: gpu.func @read
// CHECK-NOT: wg.any
gpu.func @read(%s: !s, %m: !rows, %f: f32, %O: !out, %n: index) kernel
    attributes {fa.kernel, fa.tma, fa.schedule = #schedule} {
  %ninf = arith.constant 0xFF800000 : f32
  %lows = wg.splat %ninf : f32 -> !rows
  %mx = wg.reduce_rows maximumf %s, %lows : !s, !rows
  wg.store_rows %mx, %O rows %n : !rows, !out
  gpu.return
}
}
}
