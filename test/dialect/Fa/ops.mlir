// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form of the ops and attributes: it prints as it was written, and survives the generic form and bytecode.
// RUN: fa-opt %s | fa-opt | FileCheck %s
// RUN: fa-opt %s --mlir-print-op-generic | fa-opt | FileCheck %s
// RUN: fa-opt %s --emit-bytecode | fa-opt | FileCheck %s
// RUN: fa-opt %s --verify-roundtrip -o %t.mlir

// CHECK-LABEL: func.func @tensors
func.func @tensors(%q: tensor<?x16x?x128xf16>, %k: tensor<?x4x?x128xf16>, %v: tensor<?x4x?x64xf16>,
                   %o: tensor<?x16x?x64xf32>, %lse: tensor<?x16x?xf32>)
    -> (tensor<?x16x?x64xf32>, tensor<?x16x?xf32>) {
  // CHECK: %{{.*}}:2 = fa.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x16x?x128xf16>, tensor<?x4x?x128xf16>, tensor<?x4x?x64xf16>)
  // CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<?x16x?x64xf32>, tensor<?x16x?xf32>)
  %r:2 = fa.attention ins(%q, %k, %v : tensor<?x16x?x128xf16>, tensor<?x4x?x128xf16>, tensor<?x4x?x64xf16>)
    outs(%o, %lse : tensor<?x16x?x64xf32>, tensor<?x16x?xf32>)
  return %r#0, %r#1 : tensor<?x16x?x64xf32>, tensor<?x16x?xf32>
}

// CHECK-LABEL: func.func @lengths_and_sink
func.func @lengths_and_sink(%q: tensor<2x8x32x64xbf16>, %o: tensor<2x8x32x64xbf16>, %n: tensor<2xi32>,
                            %s: tensor<8xf32>) -> tensor<2x8x32x64xbf16> {
  // CHECK: q_lengths(%{{.*}} : tensor<2xi32>) kv_lengths(%{{.*}} : tensor<2xi32>) sink(%{{.*}} : tensor<8xf32>)
  %r = fa.attention ins(%q, %q, %q : tensor<2x8x32x64xbf16>, tensor<2x8x32x64xbf16>, tensor<2x8x32x64xbf16>)
    outs(%o : tensor<2x8x32x64xbf16>) q_lengths(%n : tensor<2xi32>) kv_lengths(%n : tensor<2xi32>)
    sink(%s : tensor<8xf32>)
  return %r : tensor<2x8x32x64xbf16>
}

// CHECK-LABEL: func.func @packed
func.func @packed(%q: tensor<?x8x64xf16>, %k: tensor<?x2x64xf16>, %o: tensor<?x8x64xf16>, %lse: tensor<8x?xf32>,
                  %qo: tensor<?xi32>, %ko: tensor<?xi32>) -> (tensor<?x8x64xf16>, tensor<8x?xf32>) {
  // CHECK: q_offsets(%{{.*}} : tensor<?xi32>) kv_offsets(%{{.*}} : tensor<?xi32>)
  %r:2 = fa.attention ins(%q, %k, %k : tensor<?x8x64xf16>, tensor<?x2x64xf16>, tensor<?x2x64xf16>)
    outs(%o, %lse : tensor<?x8x64xf16>, tensor<8x?xf32>) q_offsets(%qo : tensor<?xi32>) kv_offsets(%ko : tensor<?xi32>)
  return %r#0, %r#1 : tensor<?x8x64xf16>, tensor<8x?xf32>
}

// Memrefs of any strides, broadcast ones included, in the other memory order; no results.
// CHECK-LABEL: func.func @memrefs
func.func @memrefs(%q: memref<2x32x8x64xf16, strided<[?, ?, 64, 1], offset: ?>>,
                   %k: memref<2x?x2x64xf16, strided<[0, ?, 0, 1]>>, %o: memref<2x32x8x64xf16>) {
  // CHECK: {{^}} fa.attention ins
  // CHECK-SAME: layout = #fa.layout<bshd>
  fa.attention ins(%q, %k, %k : memref<2x32x8x64xf16, strided<[?, ?, 64, 1], offset: ?>>,
                   memref<2x?x2x64xf16, strided<[0, ?, 0, 1]>>, memref<2x?x2x64xf16, strided<[0, ?, 0, 1]>>)
    outs(%o : memref<2x32x8x64xf16>) {layout = #fa.layout<bshd>}
  return
}

// CHECK-LABEL: func.func @tile
func.func @tile(%q: memref<1x1x64x64xf16>, %k: memref<1x1x?x64xf16>, %o: memref<1x1x64x64xf16>, %scale: f32,
                %b: index, %h: index, %i: index, %sq: index) {
  // CHECK: scale(%{{.*}}) at(%{{.*}}, %{{.*}}, %{{.*}} of %{{.*}})
  fa.attention ins(%q, %k, %k : memref<1x1x64x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
    outs(%o : memref<1x1x64x64xf16>) scale(%scale) at(%b, %h, %i of %sq)
  return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%q: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %bias: tensor<1x2x8x8xf32>,
                   %ids: memref<8xi32>) -> tensor<1x2x8x64xf16> {
  // CHECK: score {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
  // CHECK: tensor.extract
  // CHECK: fa.yield %{{.*}} : f32
  // CHECK: } mask {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
  // CHECK: memref.load
  // CHECK: fa.yield %{{.*}} : i1
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %x = tensor.extract %bias[%b, %h, %i, %j] : tensor<1x2x8x8xf32>
      %t = math.tanh %s : f32
      %y = arith.addf %t, %x : f32
      fa.yield %y : f32
    }
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %x = memref.load %ids[%i] : memref<8xi32>
      %y = memref.load %ids[%j] : memref<8xi32>
      %same = arith.cmpi eq, %x, %y : i32
      fa.yield %same : i1
    }
  return %r : tensor<1x2x8x64xf16>
}

// CHECK-LABEL: func.func @keep
func.func @keep(%i: index, %j: index, %sq: index, %sk: index) -> i1 {
  // CHECK: fa.keep <bottom_right, causal>(%{{.*}}, %{{.*}}) of(%{{.*}}, %{{.*}})
  %kept = fa.keep #fa.mask<bottom_right, causal>(%i, %j) of (%sq, %sk)
  return %kept : i1
}

// What equals a default, and a window without bounds, is not printed.
// CHECK-LABEL: func.func private @attributes
// CHECK-SAME: m0 = #fa.mask<top_left>,
// CHECK-SAME: m1 = #fa.mask<bottom_right, causal>,
// CHECK-SAME: m2 = #fa.mask<top_left, window = [5, 3]>,
// CHECK-SAME: m3 = #fa.mask<top_left, causal, window = [128, none]>,
// CHECK-SAME: m4 = #fa.mask<bottom_right, window = [none, 0]>,
// CHECK-SAME: m5 = #fa.mask<top_left>,
// CHECK-SAME: p0 = #fa.param<pointer "q">,
// CHECK-SAME: p1 = #fa.param<size "a \22name\22"[2]>,
// CHECK-SAME: p2 = #fa.param<stride "q"[0]>,
// CHECK-SAME: p3 = #fa.param<scalar "scale">,
// CHECK-SAME: s0 = #fa.schedule<query_tile = 128, key_tile = 64>,
// CHECK-SAME: s1 = #fa.schedule<query_tile = 64, key_tile = 32, warps = 8, stages = 3, mask = split, order = heaviest_first>,
// CHECK-SAME: t0 = #fa.tensor<"q", in, ["B", "Hq", "Sq", 128]>,
// CHECK-SAME: t1 = #fa.tensor<"o", out, []>
func.func private @attributes() attributes {
  m0 = #fa.mask<top_left>, m1 = #fa.mask<bottom_right, causal>, m2 = #fa.mask<top_left, window = [5, 3]>,
  m3 = #fa.mask<top_left, causal, window = [128, none]>, m4 = #fa.mask<bottom_right, window = [none, 0]>,
  m5 = #fa.mask<top_left, window = [none, none]>,
  p0 = #fa.param<pointer "q">, p1 = #fa.param<size "a \22name\22"[2]>, p2 = #fa.param<stride "q"[0]>,
  p3 = #fa.param<scalar "scale">,
  s0 = #fa.schedule<query_tile = 128, key_tile = 64, warps = 4, stages = 2, mask = guard>,
  s1 = #fa.schedule<query_tile = 64, key_tile = 32, warps = 8, stages = 3, mask = split, order = heaviest_first>,
  t0 = #fa.tensor<"q", in, ["B", "Hq", "Sq", 128]>, t1 = #fa.tensor<"o", out, []>
}
