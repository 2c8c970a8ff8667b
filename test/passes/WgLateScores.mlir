// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-late-scores | FileCheck %s

// The kernels that the pipeline makes look like it.
// RUN: %python %fa_src/test/gpu/gen.py module --d 64 --softcap 30.0 --no-lse >%t.mlir
// RUN: fa-compile %t.mlir --chip=sm_90a --stage=async | FileCheck %s --check-prefix=KERNEL

// Left alone: maps that nobody calls increasing, scores that something else
// reads, and scores that a map behind the tanh gives.
// RUN: sed 's/ attributes {increasing}//' %s | fa-opt --wg-late-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed 's|// READER||' %s | fa-opt --wg-late-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/scores = scf.if/bent = scf.if/; s|// BEHIND||' %s | fa-opt --wg-late-scores | FileCheck %s --check-prefix=ALONE

!s = !wg.frag<64x32xf32, acc, warps = 4>
!head = !wg.frag<64x8xf32, acc, warps = 4>
!tail = !wg.frag<64x24xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!max = !wg.rows<64xf32, warps = 4, partial = maximumf>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[X:[a-z0-9]+]]: !wg.frag<64x32xf32, acc, warps = 4>, %{{.*}} %[[B0:[a-z0-9]+]]: f32, %[[B1:[a-z0-9]+]]: f32, %[[B2:[a-z0-9]+]]: f32, %[[LIMIT:[a-z0-9]+]]: f32, %[[CAP:[a-z0-9]+]]: f32, %[[C:[a-z0-9]+]]: f32
// The exponents' coefficients.
// CHECK: %[[Q0:.*]] = arith.mulf %[[C]], %[[B0]]
// CHECK: %[[Q1:.*]] = arith.mulf %[[C]], %[[B1]]
// CHECK: %[[Q2:.*]] = arith.mulf %[[C]], %[[B2]]
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}}, %[[N:[a-z0-9]+]] = %{{[^,]*}}, %[[BOUND:[a-z0-9]+]] =
// CHECK: %[[FAR:.*]] = wg.any

// No scores: the vote is on the polynomial of the largest products, and warps
// with far scores take the branch whatever it says.
// CHECK-NOT: scf.if
// CHECK: %[[LARGEST:.*]] = wg.reduce_rows maximumf %[[X]],
// CHECK-NEXT: %[[MOST:.*]] = wg.map(%[[LARGEST]] : {{.*}} partial = maximumf> attributes {increasing}
// CHECK: math.fma %{{.*}}, %[[B2]], %[[B1]]
// CHECK: %[[ASKS:.*]] = wg.any(%[[MOST]], %[[BOUND]]
// CHECK: %[[TAKES:.*]] = arith.ori %[[ASKS]], %[[FAR]]
// CHECK: %[[MOVED:.*]]:9 = scf.if %[[TAKES]]
// In it the maxima of far warps are the full form's.
// CHECK-NEXT: %[[MAX:.*]] = scf.if %[[FAR]]
// CHECK-NEXT: wg.map(%[[LARGEST]]
// CHECK: math.tanh
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[MOST]]
// CHECK: wg.join_rows %[[MAX]]
// CHECK: %[[AWAY:.*]] = wg.any
// CHECK: %[[REST:.*]] = wg.map

// Exponents by themselves where scores are far or references are: of each
// element its own form, so that it has the bits that it has elsewhere, and so
// large at least that its square is finite.
// CHECK: %[[LATE:.*]] = arith.ori %[[FAR]], %[[AWAY]]
// CHECK: %[[TILE:.*]] = scf.if %[[LATE]]
// CHECK-NEXT: %[[BASE:.*]] = wg.map
// CHECK: wg.map(%[[X]], %[[BASE]], %[[REST]]
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[LESS:.*]]: f32, %[[ADDS:.*]]: f32,
// CHECK: %[[SMALL:.*]] = arith.cmpf ole, %{{.*}}, %[[LIMIT]]
// CHECK: %[[BENT:.*]] = arith.mulf %{{.*}}, %[[CAP]]
// CHECK: %[[SCORE:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[BENT]]
// CHECK: math.fma %{{.*}}, %[[Q2]], %[[Q1]]
// CHECK: %[[EARLY:.*]] = math.fma %[[E]], %{{.*}}, %[[ADDS]]
// CHECK: %[[NEAR:.*]] = arith.subf %[[SCORE]], %[[LESS]]
// CHECK: %[[FULL:.*]] = math.fma %[[NEAR]], %[[C]], %[[ADDS]]
// CHECK: %[[IS0:.*]] = arith.cmpf oeq, %[[LESS]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[IS0]], %[[SMALL]]
// CHECK: %[[EITHER:.*]] = arith.select %[[BOTH]], %[[EARLY]], %[[FULL]]
// CHECK: %[[LEAST:.*]] = arith.constant -4.61168602E+18
// CHECK: arith.maximumf %[[EITHER]], %[[LEAST]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[X]]

// The polynomial behind it gives those as they are.
// CHECK: %[[ADDEND:.*]] = wg.map(%[[REST]]
// CHECK: arith.select %[[LATE]], %{{.*}}, %{{.*}}
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: %[[C0:.*]] = arith.select %[[LATE]], %[[ONE]], %[[Q0]]
// CHECK: %[[C1:.*]] = arith.select %[[LATE]], %{{.*}}, %[[Q1]]
// CHECK: %[[C2:.*]] = arith.select %[[LATE]], %{{.*}}, %[[Q2]]
// CHECK: scf.yield %{{.*}}, %[[AWAY]], %[[REST]], %[[TILE]], %{{.*}}, %[[ADDEND]], %[[C0]], %[[C1]], %[[C2]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}}, %[[N]], %[[X]], %[[BOUND]], %[[N]], %[[Q0]], %[[Q1]], %[[Q2]]

// CHECK: %[[HEAD:.*]] = wg.slice %[[MOVED]]#3 at 0
// CHECK: wg.map(%[[HEAD]], %[[MOVED]]#5
// CHECK-NEXT: ^bb0(%[[H:.*]]: f32, %[[R:.*]]: f32,
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[H]], %[[H]]
// CHECK-NEXT: %[[INNER:.*]] = math.fma %[[SQUARE]], %[[MOVED]]#8, %[[MOVED]]#7
// CHECK-NEXT: %[[SUM:.*]] = math.fma %[[SQUARE]], %[[INNER]], %[[MOVED]]#6
// CHECK-NEXT: %[[EXPONENT:.*]] = math.fma %[[H]], %[[SUM]], %[[R]]
// CHECK-NEXT: math.exp2 %[[EXPONENT]]
// CHECK: %[[TAIL:.*]] = wg.slice %[[MOVED]]#3 at 8
// CHECK: wg.map(%[[TAIL]], %[[MOVED]]#5
// CHECK: math.exp2

// KERNEL-LABEL: gpu.func @fa_attention_tma
// KERNEL: wg.any(%{{.*}} : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4>)
// KERNEL: arith.ori %{{.*}}, %{{.*}} : i1
// KERNEL: arith.maximumf
// KERNEL: arith.mulf %[[X:.*]], %[[X]] : f32
// KERNEL-NEXT: math.fma
// KERNEL-NEXT: math.fma
// KERNEL-NEXT: math.fma %[[X]],
// KERNEL-NEXT: math.exp2
// KERNEL-LABEL: gpu.func

// ALONE-LABEL: gpu.func @f
// ALONE-SAME: %[[C:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: index
// ALONE: %[[MAX:.*]] = wg.reduce_rows maximumf
// ALONE: %[[ASKS:.*]] = wg.any(%[[MAX]],
// ALONE: scf.if %[[ASKS]]
// ALONE: math.fma %{{.*}}, %[[C]], %{{.*}}
// ALONE-NEXT: math.exp2
gpu.func @f(%x: !s, %m0: !rows, %n0: !rows, %bound0: !rows, %lows: !max, %far0: i1, %sum0: !rows, %slack: f32, %b0: f32, %b1: f32, %b2: f32, %limit: f32, %cap: f32, %c: f32, %count: index)
    kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 4096.0 : f32
  %r:5 = scf.for %j = %c0 to %count step %c1 iter_args(%m = %m0, %was = %far0, %n = %n0, %bound = %bound0, %sum = %sum0) -> (!rows, i1, !rows, !rows, !rows) {
    %largest = wg.reduce_rows largest_bits %x, %lows : !s, !max
    %far = wg.any(%largest : !max) {
    ^bb0(%e: f32):
      %size = math.absf %e : f32
      %z = arith.cmpf ugt, %size, %limit : f32
      wg.yield %z : i1
    }
    %scores = scf.if %far -> (!s) {
      %full = wg.map(%x : !s) -> !s attributes {increasing} {
      ^bb0(%e: f32, %row: index, %col: index):
        %size = math.absf %e : f32
        %small = arith.cmpf ole, %size, %limit : f32
        %z = arith.select %small, %e, %zero : f32
        %square = arith.mulf %z, %z : f32
        %inner = math.fma %square, %b2, %b1 : f32
        %outer = math.fma %square, %inner, %b0 : f32
        %near = arith.mulf %z, %outer : f32
        %tanh = math.tanh %e : f32
        %away = arith.mulf %tanh, %cap : f32
        %score = arith.select %small, %near, %away : f32
        wg.yield %score : f32
      }
      scf.yield %full : !s
    } else {
      %all = wg.map(%x : !s) -> !s attributes {increasing} {
      ^bb0(%e: f32, %row: index, %col: index):
        %square = arith.mulf %e, %e : f32
        %inner = math.fma %square, %b2, %b1 : f32
        %outer = math.fma %square, %inner, %b0 : f32
        %score = arith.mulf %e, %outer : f32
        wg.yield %score : f32
      }
      scf.yield %all : !s
    }
    // BEHIND %scores = wg.map(%bent : !s) -> !s { ^bb0(%e: f32, %row: index, %col: index): %z = arith.addf %e, %slack : f32 wg.yield %z : f32 }
    // READER %other = wg.reduce_rows addf %scores, %sum : !s, !rows
    %max = wg.reduce_rows maximumf %scores, %lows : !s, !max
    %asks = wg.any(%max, %bound : !max, !rows) {
    ^bb0(%e: f32, %y: f32):
      %z = arith.cmpf ogt, %e, %y : f32
      wg.yield %z : i1
    }
    %moved:5 = scf.if %asks -> (!rows, i1, !rows, !s, !rows) {
      %new = wg.join_rows %max : !max
      %late = wg.any(%new : !rows) {
      ^bb0(%e: f32):
        %size = math.absf %e : f32
        %z = arith.cmpf uge, %size, %most : f32
        wg.yield %z : i1
      }
      %rest = wg.map(%new : !rows) -> !rows {
      ^bb0(%e: f32, %row: index):
        %scaled = arith.mulf %e, %c : f32
        %z = arith.negf %scaled : f32
        wg.yield %z : f32
      }
      %less = scf.if %late -> (!s) {
        %base = wg.map(%new : !rows) -> !rows {
        ^bb0(%e: f32, %row: index):
          %size = math.absf %e : f32
          %away = arith.cmpf uge, %size, %most : f32
          %z = arith.select %away, %e, %zero : f32
          wg.yield %z : f32
        }
        %near = wg.map(%scores, %base : !s, !rows) -> !s {
        ^bb0(%e: f32, %y: f32, %row: index, %col: index):
          %z = arith.subf %e, %y : f32
          wg.yield %z : f32
        }
        scf.yield %near : !s
      } else {
        scf.yield %scores : !s
      }
      %next = wg.map(%new : !rows) -> !rows {
      ^bb0(%e: f32, %row: index):
        %z = arith.addf %e, %slack : f32
        wg.yield %z : f32
      }
      scf.yield %new, %late, %rest, %less, %next : !rows, i1, !rows, !s, !rows
    } else {
      scf.yield %m, %was, %n, %scores, %bound : !rows, i1, !rows, !s, !rows
    }
    %head = wg.slice %moved#3 at 0 : !s -> !head
    %p = wg.map(%head, %moved#2 : !head, !rows) -> !head {
    ^bb0(%e: f32, %y: f32, %row: index, %col: index):
      %z = math.fma %e, %c, %y : f32
      %power = math.exp2 %z : f32
      wg.yield %power : f32
    }
    %tail = wg.slice %moved#3 at 8 : !s -> !tail
    %q = wg.map(%tail, %moved#2 : !tail, !rows) -> !tail {
    ^bb0(%e: f32, %y: f32, %row: index, %col: index):
      %z = math.fma %e, %c, %y : f32
      %power = math.exp2 %z : f32
      wg.yield %power : f32
    }
    %some = wg.reduce_rows addf %p, %sum : !head, !rows
    %whole = wg.reduce_rows addf %q, %some : !tail, !rows
    scf.yield %moved#0, %moved#1, %moved#2, %moved#4, %whole : !rows, i1, !rows, !rows, !rows
  }
  gpu.return
}
}
}
