// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-lower-to-reference --cse | FileCheck %s

// Two kernels, rows in parallel; max, then sum, then output, in f64. The region is
// widened: tanh and the product in f64, the bit cast on an operand rounded to f32.

// CHECK: module attributes {fa.stage = "reference"}
module attributes {fa.stage = "buffers"} {
  // CHECK-LABEL: func @reference(
  // CHECK-SAME:    memref<1x2x?x8xf64, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out,
  // CHECK-SAME:    fa.problem = {reference = true}
  // CHECK:         scf.forall
  // CHECK:           %[[SUMS:.+]] = memref.alloca() : memref<8xf64>
  // CHECK:           %[[MAX:.+]] = scf.for {{.*}} -> (f64)
  // CHECK:             scf.if
  // CHECK:               scf.for
  // CHECK:                 arith.mulf {{.*}} : f64
  // CHECK:               math.tanh %{{.+}} : f64
  // CHECK:               %[[R:.+]] = arith.truncf %{{.+}} : f64 to f32
  // CHECK:               arith.bitcast %[[R]] : f32 to i32
  // CHECK:               %[[B:.+]] = arith.bitcast %{{.+}} : i32 to f32
  // CHECK:               arith.extf %[[B]] : f32 to f64
  // CHECK:               arith.maximumf
  // CHECK:           scf.for {{.*}} -> (f64)
  // CHECK:             math.exp
  // CHECK:             arith.addf
  // CHECK:           scf.for
  // CHECK:             math.exp
  // CHECK:             memref.store %{{.+}}, %[[SUMS]]
  // CHECK:           arith.divf
  // CHECK:           memref.store
  // CHECK-NOT:     fa.attention

  // The low kernel sums in f32 and rounds S, P and O to f16.
  // CHECK-LABEL: func @low(
  // CHECK:           scf.for {{.*}} -> (f32)
  // CHECK:             arith.truncf %{{.+}} : f32 to f16
  // CHECK:             math.tanh %{{.+}} : f32
  // CHECK:             arith.bitcast %{{.+}} : f32 to i32
  // CHECK:           scf.for
  // CHECK:             arith.divf
  // CHECK:             arith.truncf %{{.+}} : f32 to f16
  // CHECK:           arith.truncf %{{.+}} : f32 to f16
  // CHECK:           arith.extf %{{.+}} : f32 to f64
  func.func @attention(
      %q: memref<1x2x?x16xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"q", in, [1, 2, "Sq", 16]>},
      %k: memref<1x2x?x16xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"k", in, [1, 2, "Sk", 16]>},
      %v: memref<1x2x?x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"v", in, [1, 2, "Sk", 8]>},
      %o: memref<1x2x?x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out, [1, 2, "Sq", 8]>},
      %scale: f32 {fa.name = "scale"}) attributes {fa.problem = {}} {
    fa.attention
      ins(%q, %k, %v : memref<1x2x?x16xf16, strided<[?, ?, ?, 1], offset: ?>>,
          memref<1x2x?x16xf16, strided<[?, ?, ?, 1], offset: ?>>, memref<1x2x?x8xf16, strided<[?, ?, ?, 1], offset: ?>>)
      outs(%o : memref<1x2x?x8xf16, strided<[?, ?, ?, 1], offset: ?>>)
      scale(%scale) {mask = #fa.mask<bottom_right, causal>}
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        %bits = arith.bitcast %t : f32 to i32
        %back = arith.bitcast %bits : i32 to f32
        fa.yield %back : f32
      }
    return
  }
}

// -----

// expected-error @+1 {{expects one fa.attention, found 0}}
module attributes {fa.stage = "buffers"} {
}

// -----

// expected-error @+1 {{expects IR at stage buffers, got online}}
module attributes {fa.stage = "online"} {
}
