// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-slanted-scores | FileCheck %s
// RUN: sed 's/addf \(.scaled, .slant\)/subf \1/' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=FALLS

// The kernels that the pipeline makes look like it.
// RUN: %python %fa_src/test/gpu/gen.py module --d 64 --alibi --no-lse >%t.mlir
// RUN: fa-compile %t.mlir --chip=sm_90a --stage=async | FileCheck %s --check-prefix=KERNEL

// Left alone: a scale that may be negative, an element's own addend, a product
// of two coordinates, a coordinate that a cast cuts off, scores of what another
// map makes of the product, and scores that something else reads.
// RUN: sed 's/ {fa.class = "positive"}//' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed 's|// LOAD||; s/wg.yield .score/wg.yield %biased/' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/mulf .slope/mulf %float/' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed '/sitofp/s/i64/i8/; s/index to i64/index to i8/' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/%x = wg.wait/%raw = wg.wait/; s|// MAP||' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=ALONE
// RUN: sed 's|// READER||' %s | fa-opt --wg-slanted-scores | FileCheck %s --check-prefix=ALONE

!s = !wg.frag<64x32xf32, acc, warps = 4>
!head = !wg.frag<64x8xf32, acc, warps = 4>
!tail = !wg.frag<64x24xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!pend = !wg.pending<64x32xf32, acc, warps = 4>
!max = !wg.rows<64xf32, warps = 4, partial = maximumf>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// CHECK-LABEL: gpu.func @f
// CHECK-SAME: %[[SLACK:[a-z0-9]+]]: f32, %[[SCALE:[a-z0-9]+]]: f32 {fa.class = "positive"}, %[[SLOPE:[a-z0-9]+]]: f32, %[[F:[a-z0-9]+]]: f32
// In front of the loop: what multiplies products and columns in exponents, and
// how far the first column's may pass 0; not at all where the slant is steep.
// CHECK: %[[FA:.*]] = arith.mulf %[[F]], %[[SCALE]]
// CHECK: %[[FINITE_A:.*]] = arith.minimumf %[[FA]]
// CHECK: %[[A:.*]] = arith.maximumf %[[FINITE_A]]
// CHECK: %[[FC:.*]] = arith.mulf %[[F]], %[[SLOPE]]
// CHECK: %[[FINITE_C:.*]] = arith.minimumf %[[FC]]
// CHECK: %[[C:.*]] = arith.maximumf %[[FINITE_C]]
// CHECK: %[[LAST:.*]] = arith.constant 3.100000e+01
// CHECK: %[[END:.*]] = arith.mulf %[[C]], %[[LAST]]
// CHECK: %[[RISE:.*]] = arith.maximumf %[[END]]
// CHECK: %[[SIZE:.*]] = math.absf %[[END]]
// CHECK: %[[FLAT:.*]] = arith.constant 2.048000e+03
// CHECK: %[[STEEP:.*]] = arith.cmpf uge, %[[SIZE]], %[[FLAT]]
// CHECK: %[[ALLOWED:.*]] = arith.mulf %[[F]], %[[SLACK]]
// CHECK: %[[OFF:.*]] = arith.constant 0.001953125
// CHECK: %[[EXACT:.*]] = arith.subf %[[ALLOWED]], %[[OFF]]
// CHECK: %[[FIRST:.*]] = arith.subf %[[EXACT]], %[[RISE]]
// CHECK: %[[NINF:.*]] = arith.constant 0xFF800000
// CHECK: %[[MOST:.*]] = arith.select %[[STEEP]], %[[NINF]], %[[FIRST]]
// CHECK: %[[PRECISION:.*]] = arith.constant -2.38418579E-7
// CHECK: %[[MARGIN:.*]] = arith.mulf %[[F]], %[[PRECISION]]
// CHECK: %[[AS:.*]] = wg.splat %[[A]]
// CHECK: %[[CS:.*]] = wg.splat %[[C]]
// CHECK: scf.for {{.*}} iter_args(%[[M:[a-z0-9]+]] = %{{[^,]*}}, %[[WAS:[a-z0-9]+]] = %{{[^,]*}}, %[[N:[a-z0-9]+]] = %{{[^,]*}}, %[[BOUND:[a-z0-9]+]] =
// CHECK-NEXT: %[[X:.*]] = wg.wait_mma

// A row's score in the first column, without the product of 0 that is in it,
// and its exponent against the reference.
// CHECK-NEXT: %[[ROWS:.*]] = wg.map()
// CHECK-NOT: arith.addf
// CHECK: %[[FROM0:.*]] = arith.mulf %[[SLOPE]]
// CHECK-NEXT: wg.yield %[[FROM0]]
// CHECK: %[[REST:.*]] = wg.map(%[[ROWS]], %[[M]] :
// CHECK: %[[LESS:.*]] = arith.subf
// CHECK-NEXT: arith.mulf %[[LESS]], %[[F]]
// No scores: the vote is on what the largest exponent may be. Both sides of the
// branch's comparison are rounded, by what follows from the reference.
// CHECK: %[[LIMIT:.*]] = wg.map(%[[M]] :
// CHECK: %[[FAR:.*]] = math.absf
// CHECK-NEXT: math.fma %[[FAR]], %[[MARGIN]], %[[MOST]]
// CHECK: %[[LARGEST:.*]] = wg.reduce_rows maximumf %[[X]]
// CHECK-NEXT: %[[TOP:.*]] = wg.map(%[[LARGEST]], %[[REST]], %[[M]] : {{.*}} attributes {increasing}
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[R:.*]]: f32, %[[REF:.*]]: f32, %{{.*}}: index):
// CHECK-NEXT: %[[SUM:.*]] = math.fma %[[E]], %[[A]], %[[R]]
// Rows with large numbers always ask.
// CHECK-NEXT: %[[SHARE:.*]] = arith.mulf %[[E]], %[[A]]
// CHECK: %[[UP:.*]] = arith.constant 2.048000e+03
// CHECK: arith.cmpf oge, %[[SHARE]], %[[UP]]
// CHECK: %[[DOWN:.*]] = arith.constant 1.024000e+03
// CHECK: arith.cmpf uge, %[[R]], %[[DOWN]]
// CHECK: %[[REFSIZE:.*]] = math.absf %[[REF]]
// CHECK: %[[DISTANT:.*]] = arith.constant 0x4A800000
// CHECK: arith.cmpf uge, %[[REFSIZE]], %[[DISTANT]]
// CHECK: %[[INF:.*]] = arith.constant 0x7F800000
// CHECK: arith.select %{{.*}}, %[[INF]], %[[SUM]]
// CHECK: %[[ASKS:.*]] = wg.any(%[[TOP]], %[[LIMIT]]
// CHECK: %[[MOVED:.*]]:8 = scf.if %[[ASKS]]

// In the branch the scores, for their maxima.
// CHECK-NEXT: %[[SCORES:.*]] = wg.map(%[[X]], %[[ROWS]]
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[ADDS:.*]]: f32,
// CHECK-NEXT: %[[LEVEL:.*]] = math.fma %[[P]], %[[SCALE]], %[[ADDS]]
// CHECK: %[[COL:.*]] = arith.sitofp
// CHECK-NEXT: math.fma %[[COL]], %[[SLOPE]], %[[LEVEL]]
// CHECK: %[[MAX:.*]] = wg.reduce_rows maximumf %[[SCORES]]
// CHECK: %[[NEW:.*]] = wg.join_rows %[[MAX]]
// CHECK: arith.addf %{{.*}}, %[[SLACK]]
// What rows add now; no reference is no number to be subtracted.
// CHECK: %[[FINITE:.*]] = wg.map(%[[NEW]]
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: %[[REST1:.*]] = wg.map(%[[ROWS]], %[[FINITE]]
// Rows with large numbers, and all where the slant is steep, have exponents from
// scores, to which nothing is added; the others keep products.
// CHECK: %[[PARTS:.*]] = wg.reduce_rows maximumf %[[X]]
// CHECK: %[[JOINED:.*]] = wg.join_rows %[[PARTS]]
// CHECK: %[[LATE:.*]] = wg.any(%[[JOINED]], %[[REST1]], %[[FINITE]] :
// CHECK: arith.ori %{{.*}}, %[[STEEP]]
// CHECK: %[[TERMS:.*]]:4 = scf.if %[[LATE]]
// CHECK-NEXT: %[[OWN:.*]] = wg.map(%[[ROWS]], %[[JOINED]], %[[REST1]], %[[FINITE]] :
// CHECK: %[[TILE:.*]] = wg.map(%[[X]], %[[OWN]], %[[JOINED]], %[[REST1]], %[[FINITE]] :
// CHECK-NEXT: ^bb0(%[[P1:.*]]: f32, %[[ADDS1:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %[[REF1:.*]]: f32, %{{.*}}: index, %{{.*}}: index):
// CHECK: %[[SCORE:.*]] = math.fma %{{.*}}, %[[SLOPE]], %{{.*}}
// CHECK-NEXT: %[[OVER:.*]] = arith.subf %[[SCORE]], %[[REF1]]
// CHECK-NEXT: %[[OWNEXP:.*]] = arith.mulf %[[OVER]], %[[F]]
// CHECK: arith.select %{{.*}}, %[[OWNEXP]], %[[P1]]
// CHECK: %[[AS1:.*]] = wg.map(%[[AS]],
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK-NEXT: arith.select %{{.*}}, %[[ONE]]
// CHECK: %[[CS1:.*]] = wg.map(%[[CS]],
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK-NEXT: arith.select %{{.*}}, %[[ZERO]]
// CHECK: %[[RS1:.*]] = wg.map(%[[REST1]],
// CHECK: %[[NONE:.*]] = arith.constant 0.000000e+00
// CHECK-NEXT: arith.select %{{.*}}, %[[NONE]]
// CHECK: scf.yield %[[TILE]], %[[AS1]], %[[CS1]], %[[RS1]] :
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[X]], %[[AS]], %[[CS]], %[[REST1]] :
// CHECK: scf.yield %[[NEW]], %{{[^,]*}}, %{{[^,]*}}, %[[TERMS]]#0, %{{[^,]*}}, %[[TERMS]]#1, %[[TERMS]]#2, %[[TERMS]]#3 :
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[M]], %[[WAS]], %[[N]], %[[X]], %[[BOUND]], %[[AS]], %[[CS]], %[[REST]] :

// Columns of a slice count from the tile's first.
// CHECK: wg.map(%{{.*}}, %[[MOVED]]#5, %[[MOVED]]#6, %[[MOVED]]#7 :
// CHECK-NEXT: ^bb0(%[[H:.*]]: f32, %[[HA:.*]]: f32, %[[HC:.*]]: f32, %[[HR:.*]]: f32, %{{.*}}: index, %[[AT:.*]]: index):
// CHECK-NEXT: arith.index_cast %[[AT]]
// CHECK-NEXT: %[[HCOL:.*]] = arith.sitofp
// CHECK-NEXT: %[[HSLANT:.*]] = math.fma %[[HCOL]], %[[HC]], %[[HR]]
// CHECK-NEXT: %[[EXPONENT:.*]] = math.fma %[[H]], %[[HA]], %[[HSLANT]]
// CHECK-NEXT: math.exp2 %[[EXPONENT]]
// CHECK: wg.map(%{{.*}}, %[[MOVED]]#5, %[[MOVED]]#6, %[[MOVED]]#7 :
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[TAT:.*]] = arith.addi %{{.*}}, %[[EIGHT]]
// CHECK-NEXT: arith.index_cast %[[TAT]]

// A slant that is subtracted.
// FALLS-LABEL: gpu.func @f
// FALLS-SAME: %[[SLOPE:[a-z0-9]+]]: f32, %[[F:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: memref
// FALLS: %[[MINUS:.*]] = arith.constant -1.0
// FALLS: %[[C0:.*]] = arith.mulf %[[SLOPE]], %[[MINUS]]
// FALLS: arith.mulf %[[F]], %[[C0]]
// FALLS: math.exp2

// KERNEL-LABEL: gpu.func @fa_attention_tma
// KERNEL: wg.map({{.*}} attributes {increasing}
// KERNEL: wg.any(%{{.*}}, %{{.*}}, %{{.*}} : !wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4>)
// The branches compute scores, exponentials exponents.
// KERNEL-COUNT-2: } else {
// KERNEL: arith.sitofp
// KERNEL-NEXT: math.fma
// KERNEL-NEXT: math.fma
// KERNEL-NEXT: math.exp2
// KERNEL-LABEL: gpu.func

// ALONE-LABEL: gpu.func @f
// ALONE-SAME: %[[F:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: memref
// ALONE: scf.for {{.*}} %[[BOUND:[a-z0-9]+]] = %{{[^,]*}}, %{{[a-z0-9]+}} = %{{[^,]*}}) ->
// ALONE: %[[MAX:.*]] = wg.reduce_rows maximumf
// ALONE: wg.any(%[[MAX]], %[[BOUND]]
// ALONE: %[[EXPONENT:.*]] = math.fma %{{.*}}, %[[F]], %{{.*}}
// ALONE-NEXT: math.exp2 %[[EXPONENT]]
gpu.func @f(%product: !pend, %m0: !rows, %n0: !rows, %bound0: !rows, %lows: !max, %far0: i1, %sum0: !rows, %slack: f32, %scale: f32 {fa.class = "positive"}, %slope: f32, %f: f32, %B: memref<?xf32>, %i: index, %count: index)
    kernel attributes {fa.kernel, fa.tma} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 4096.0 : f32
  %r:5 = scf.for %j = %c0 to %count step %c32 iter_args(%m = %m0, %was = %far0, %n = %n0, %bound = %bound0, %sum = %sum0) -> (!rows, i1, !rows, !rows, !rows) {
    %x = wg.wait_mma %product : !pend
    // MAP %x = wg.map(%raw : !s) -> !s { ^bb0(%e: f32, %row: index, %col: index): %z = math.tanh %e : f32 wg.yield %z : f32 }
    %scores = wg.map(%x : !s) -> !s {
    ^bb0(%e: f32, %row: index, %col: index):
      %scaled = arith.mulf %e, %scale : f32
      %query = arith.addi %i, %row : index
      %key = arith.addi %j, %col : index
      %distance = arith.subi %key, %query : index
      %wide = arith.index_cast %distance : index to i64
      %float = arith.sitofp %wide : i64 to f32
      %slant = arith.mulf %slope, %float : f32
      %score = arith.addf %scaled, %slant : f32
      // LOAD %bias = memref.load %B[%col] : memref<?xf32> %biased = arith.addf %score, %bias : f32
      wg.yield %score : f32
    }
    %max = wg.reduce_rows maximumf %scores, %lows : !s, !max
    // READER %other = wg.reduce_rows addf %scores, %sum : !s, !rows
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
        %scaled = arith.mulf %e, %f : f32
        %z = arith.negf %scaled : f32
        wg.yield %z : f32
      }
      %less = scf.if %late -> (!s) {
        %near = wg.map(%scores, %new : !s, !rows) -> !s {
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
      %z = math.fma %e, %f, %y : f32
      %power = math.exp2 %z : f32
      wg.yield %power : f32
    }
    %tail = wg.slice %moved#3 at 8 : !s -> !tail
    %q = wg.map(%tail, %moved#2 : !tail, !rows) -> !tail {
    ^bb0(%e: f32, %y: f32, %row: index, %col: index):
      %z = math.fma %e, %f, %y : f32
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
