// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-entry-to-buffers -split-input-file | FileCheck %s

// Tensors become memrefs of any strides, named by their role; results and the scale become arguments. What one operand
// states of an extent (here the batch, by q) holds for all that share it.
// CHECK: module attributes {fa.stage = "buffers"}
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[Q:[^:]*]]: memref<2x4x?x64xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"q", in, [2, 4, "Sq", 64]>}
// CHECK-SAME: {fa.tensor = #fa.tensor<"k", in, [2, "Hkv", "Sk", 64]>}
// CHECK-SAME: {fa.tensor = #fa.tensor<"v", in, [2, "Hkv", "Sk", 64]>}
// CHECK-SAME: %[[N:[^:]*]]: memref<?xi32, strided<[1], offset: ?>> {fa.tensor = #fa.tensor<"kv_lengths", in, [2]>}
// CHECK-SAME: memref<?xf32, strided<[?], offset: ?>> {fa.tensor = #fa.tensor<"slopes", in, ["slopes_0"]>}
// CHECK-SAME: f32 {fa.name = "cap"}
// CHECK-SAME: %[[O:[^:]*]]: memref<2x4x?x64xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out, [2, 4, "Sq", 64]>}
// CHECK-SAME: %[[SCALE:[^:]*]]: f32 {fa.class = "positive", fa.default = 1.250000e-01 : f32, fa.name = "scale"})
// CHECK-SAME: fa.problem = {layout = "bhsd"
// CHECK: %[[R:.*]] = fa.attention {{.*}} scale(%[[SCALE]])
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[O]]
// CHECK-NEXT: return{{$}}
func.func @f(%q: tensor<2x4x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %n: tensor<?xi32>,
             %slopes: tensor<?xf32> {fa.name = "slopes"}, %cap: f32 {fa.name = "cap"}) -> tensor<2x4x?x64xf16> {
  %c2 = arith.constant 2 : index
  %s = tensor.dim %q, %c2 : tensor<2x4x?x64xf16>
  %init = tensor.empty(%s) : tensor<2x4x?x64xf16>
  %r = fa.attention ins(%q, %k, %v : tensor<2x4x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
    outs(%init : tensor<2x4x?x64xf16>) kv_lengths(%n : tensor<?xi32>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<?xf32>
    %y = arith.addf %x, %slope : f32
    %z = arith.minimumf %y, %cap : f32
    fa.yield %z : f32
  }
  return %r : tensor<2x4x?x64xf16>
}

// -----

// The memref form, packed, with a scale of zero.
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: #fa.tensor<"q", in, ["Tq", 8, 64]>
// CHECK-SAME: #fa.tensor<"q_offsets", in, ["B+1"]>
// CHECK-SAME: #fa.tensor<"o", out, ["Tq", 8, 64]>
// CHECK-SAME: #fa.tensor<"lse", out, [8, "Tq"]>
// CHECK-SAME: fa.class = "zero", fa.default = 0.000000e+00 : f32, fa.name = "scale"
func.func @packed(%q: memref<?x8x64xf16>, %k: memref<?x2x64xf16>, %v: memref<?x2x64xf16>, %n: memref<?xi32>,
                  %m: memref<?xi32>, %o: memref<?x8x64xf16>, %l: memref<8x?xf32>) {
  fa.attention ins(%q, %k, %v : memref<?x8x64xf16>, memref<?x2x64xf16>, memref<?x2x64xf16>)
    outs(%o, %l : memref<?x8x64xf16>, memref<8x?xf32>) q_offsets(%n : memref<?xi32>) kv_offsets(%m : memref<?xi32>)
    {scale = 0.0 : f32}
  return
}

// -----

// K and V without keys: the kernel is the one for any number of them.
!k = tensor<1x2x0x8xf16>

// CHECK-LABEL: func.func @no_keys(
// CHECK-SAME: memref<1x2x?x8xf16, {{.*}}> {fa.tensor = #fa.tensor<"k", in, [1, 2, "Sk", 8]>}
// CHECK-SAME: memref<1x2x?x8xf16, {{.*}}> {fa.tensor = #fa.tensor<"v", in, [1, 2, "Sk", 8]>}
// CHECK: fa.attention ins(%{{.*}} : tensor<1x2x4x8xf16>, tensor<1x2x?x8xf16>, tensor<1x2x?x8xf16>)
func.func @no_keys(%q: tensor<1x2x4x8xf16>, %k: !k, %v: !k, %o: tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x4x8xf16>, !k, !k) outs(%o : tensor<1x2x4x8xf16>)
  return %r : tensor<1x2x4x8xf16>
}

// -----

// A name of MLIR's becomes one of the artefact's. Captures may say which extents they share; what one states, holds.
!t = tensor<?x?x?x64xf16>

// CHECK-LABEL: func.func @my_attention_1(
// CHECK-SAME: #fa.tensor<"q", in, ["B", 4, "Sq", 64]>
// CHECK-SAME: memref<?x4x?x?xf32, {{.*}}> {fa.tensor = #fa.tensor<"bias", in, ["B", 4, "Sq", "bias_3"]>}
func.func @my.attention$1(%q: !t, %k: !t, %v: !t, %o: !t,
    %bias: tensor<?x4x?x?xf32> {fa.name = "bias", fa.dims = ["B", "Hq", "Sq", ""]}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

// A constant scale is the attribute's, and is given at launch from there.
!t = tensor<1x2x8x64xf16>

// CHECK-LABEL: func.func @constant_scale(
// CHECK-SAME: %[[SCALE:[^:]*]]: f32 {fa.class = "negative", fa.default = -1.000000e+00 : f32, fa.name = "scale"})
// CHECK: fa.attention {{.*}} scale(%[[SCALE]])
func.func @constant_scale(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %c = arith.constant -1.0 : f32
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) scale(%c) {scale = 2.0 : f32}
  return %r : !t
}
