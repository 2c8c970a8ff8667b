// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-online --canonicalize -split-input-file | FileCheck %s

!q = memref<1x1x?x64xf16, strided<[?, ?, 64, 1], offset: ?>>
!k = memref<1x1x?x64xf16, strided<[?, ?, 64, 1], offset: ?>>
!v = memref<1x1x?x32xf16, strided<[?, ?, 32, 1], offset: ?>>

// Online softmax by its steps: 16 queries by 8 keys a tile. The scale is positive and nothing but the mask stands
// between Q K^T and the softmax, so that it multiplies exponents only.
// CHECK: fa.stage = "online"
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[SCALE:[^:]*]]: f32
// CHECK: %[[Q:.*]] = tensor.pad
// CHECK: tensor<?x64xf16> to tensor<16x64xf16>
// CHECK: %[[LOOP:.*]]:3 = scf.for %[[J:.*]] = %c0 to %[[SK:.*]] step %c8 iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>)
// CHECK: %[[K:.*]] = tensor.pad
// CHECK: tensor<?x64xf16> to tensor<8x64xf16>
// CHECK: %[[QK:.*]] = linalg.matmul {{.*}} ins(%[[Q]], %[[K]]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} outs(%[[QK]] : tensor<16x8xf32>) attrs = {fa.step = "mask"}
// CHECK: fa.keep <bottom_right, causal>
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<16x8xf32>) {{.*}} {fa.step = "row_max"}
// CHECK: %[[AGAINST:.*]] = linalg.generic {{.*}} ins(%[[M]], %[[MAX]] {{.*}} {fa.step = "reference"}
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[AGAINST]] : tensor<16xf32>) outs(%[[S]] : tensor<16x8xf32>) attrs = {fa.step = "exp"}
// CHECK: %[[D:.*]] = arith.subf
// CHECK: %[[E:.*]] = arith.mulf %[[D]], %[[SCALE]]
// CHECK: math.exp %[[E]] fastmath<afn>
// CHECK: %[[ALPHA:.*]] = linalg.generic {{.*}} {fa.step = "alpha"}
// CHECK: %[[M1:.*]] = linalg.generic {{.*}} outs(%[[M]] : tensor<16xf32>) attrs = {fa.step = "new_max"}
// CHECK: %[[L1:.*]] = linalg.generic {{.*}} ins(%[[ALPHA]] : tensor<16xf32>) outs(%[[L]] : tensor<16xf32>) attrs = {fa.step = "rescale_sum"}
// CHECK: %[[L2:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<16x8xf32>) outs(%[[L1]] : tensor<16xf32>) attrs = {fa.step = "row_sum"}
// CHECK: %[[PH:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<16x8xf32>) {{.*}} {fa.step = "round"}
// CHECK: %[[V:.*]] = tensor.pad
// CHECK: tensor<?x32xf16> to tensor<8x32xf16>
// CHECK: %[[A1:.*]] = linalg.generic {{.*}} ins(%[[ALPHA]] : tensor<16xf32>) outs(%[[A]] : tensor<16x32xf32>) attrs = {fa.step = "rescale_acc"}
// CHECK: %[[A2:.*]] = linalg.matmul ins(%[[PH]], %[[V]] {{.*}} outs(%[[A1]]
// CHECK: scf.yield %[[M1]], %[[L2]], %[[A2]]
// CHECK: fa.step = "inverse"
// CHECK: arith.select
// CHECK: fa.step = "normalize"
// CHECK-NOT: arith.select
// CHECK: bufferization.materialize_in_destination
// CHECK-NOT: fa.step = "lse"
func.func @plain(%q: !q, %k: !k, %v: !v, %o: !v, %scale: f32, %b: index, %h: index, %i: index, %sq: index) {
  fa.attention ins(%q, %k, %v : !q, !k, !v) outs(%o : !v) scale(%scale) at(%b, %h, %i of %sq)
    {mask = #fa.mask<bottom_right, causal>, schedule = #fa.schedule<query_tile = 16, key_tile = 8>}
  return
}

// -----

// A score region sees scaled scores and absolute coordinates; those of padding are moved to the last position that
// exists where the region reads memory. Lengths are clamped to [0, extent]; a sink joins the sum after the loop.
!q = memref<1x1x16x64xf16>
!k = memref<1x1x40x64xf16>

// CHECK-LABEL: func.func @everything
// CHECK-SAME: %[[BIAS:[^:]*]]: memref<4x100x40xf32>, %[[H:[^:]*]]: index, %[[I:[^:]*]]: index
// CHECK: %[[RAW:.*]] = memref.load
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[RAW]]
// CHECK: %[[LOW:.*]] = arith.maxsi %[[WIDE]], %c0
// CHECK: arith.minsi %[[LOW]], %c100
// CHECK: scf.for
// CHECK: fa.step = "scores"
// CHECK: %[[X:.*]] = arith.mulf
// CHECK: %[[IR:.*]] = arith.minsi
// CHECK: %[[JC:.*]] = arith.minsi
// CHECK: %[[Y:.*]] = memref.load %[[BIAS]][%[[H]], %[[IR]], %[[JC]]]
// CHECK: arith.addf %[[X]], %[[Y]]
// CHECK: fa.step = "mask"
// CHECK: fa.keep <top_left>
// CHECK: fa.step = "exp"
// CHECK-NOT: arith.mulf
// CHECK: math.exp
// CHECK: fa.step = "sink_sum"
// CHECK: fa.step = "live_sum"
// CHECK: fa.step = "lse"
func.func @everything(%q: !q, %k: !k, %o: memref<1x1x16x64xf32>, %l: memref<1x1x16xf32>, %n: memref<1xi32>,
                      %m: memref<1xi32>, %s: memref<1xf32>, %bias: memref<4x100x40xf32>, %h: index, %i: index,
                      %scale: f32) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%o, %l : memref<1x1x16x64xf32>, memref<1x1x16xf32>)
    q_lengths(%n : memref<1xi32>) kv_lengths(%m : memref<1xi32>) sink(%s : memref<1xf32>)
    scale(%scale) at(%c0, %h, %i of %c100) {schedule = #fa.schedule<query_tile = 16, key_tile = 8>} score {
  ^bb0(%x: f32, %bb: index, %hh: index, %ii: index, %jj: index):
    %y = memref.load %bias[%hh, %ii, %jj] : memref<4x100x40xf32>
    %z = arith.addf %x, %y : f32
    fa.yield %z : f32
  }
  return
}

// -----

// What a region computes with coordinates, and does not read memory with, takes them as they are.
!q = memref<1x1x16x64xf16>
!k = memref<1x1x40x64xf16>

// CHECK-LABEL: func.func @alibi
// CHECK-SAME: %[[SLOPES:[^:]*]]: memref<4xf32>, %[[BIAS:[^:]*]]: memref<40xf32>
// CHECK: fa.step = "scores"
// CHECK: %[[JC:.*]] = arith.minsi %[[J:.*]], %{{.*}} : index
// CHECK: memref.load %[[SLOPES]]
// CHECK: memref.load %[[BIAS]][%[[JC]]]
// CHECK: arith.subi %[[J]], %{{.*}} : index
func.func @alibi(%q: !q, %k: !k, %o: memref<1x1x16x64xf32>, %slopes: memref<4xf32>, %bias: memref<40xf32>, %h: index,
                 %i: index, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%o : memref<1x1x16x64xf32>)
    scale(%scale) at(%c0, %h, %i of %c100) {schedule = #fa.schedule<query_tile = 16, key_tile = 8>} score {
  ^bb0(%x: f32, %bb: index, %hh: index, %ii: index, %jj: index):
    %slope = memref.load %slopes[%hh] : memref<4xf32>
    %add = memref.load %bias[%jj] : memref<40xf32>
    %gap = arith.subi %jj, %ii : index
    %wide = arith.index_cast %gap : index to i64
    %distance = arith.sitofp %wide : i64 to f32
    %slant = arith.mulf %slope, %distance : f32
    %y = arith.addf %x, %add : f32
    %z = arith.addf %y, %slant : f32
    fa.yield %z : f32
  }
  return
}

// -----

// A negative scale would turn the maximum into a minimum: it multiplies the scores.
!t = memref<1x1x16x64xf16>

// CHECK-LABEL: func.func @negative
// CHECK: fa.step = "scores"
// CHECK: fa.step = "exp"
// CHECK-NOT: arith.mulf
// CHECK: math.exp
func.func @negative(%q: !t, %k: !t, %o: !t, %scale: f32, %x: index) {
  fa.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t) scale(%scale) at(%x, %x, %x of %x)
    {scale = -1.0 : f32, schedule = #fa.schedule<query_tile = 16, key_tile = 8>}
  return
}
