// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise 2>&1 | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise 2>&1 | FileCheck %s
// CHECK: remark: not raised: expects a denominator that is the sum of the exponentials
// CHECK-NOT: fa.attention

// What:      "softmax plus one": the exponentials are divided by 1 + their sum.
// Front end: JAX, hand-written softmax, StableHLO in generic form.
// Expect:    DECLINE. Remark: the denominator is not the sum of the exponentials.
//            It is not a sink logit of 0 either: 1 is added after the maximum was subtracted, a sink of 0 would add
//            exp(-max).

module {
  func.func @main(%q: tensor<2x96x4x64xbf16>,
      %k: tensor<2x96x4x64xbf16>,
      %v: tensor<2x96x4x64xbf16>) -> tensor<2x96x4x64xbf16> {
    %s = "stablehlo.dot_general"(%q, %k) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x96x4x64xbf16>, tensor<2x96x4x64xbf16>) -> tensor<2x4x96x96xf32>
    %c = "stablehlo.constant"() <{value = dense<1.250000e-01> : tensor<f32>}> : () -> tensor<f32>
    %cb = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x96x96xf32>
    %ss = "stablehlo.multiply"(%s, %cb) : (tensor<2x4x96x96xf32>, tensor<2x4x96x96xf32>) -> tensor<2x4x96x96xf32>
    %ninf = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %mx = "stablehlo.reduce"(%ss, %ninf) <{dimensions = array<i64: 3>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %red = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%red) : (tensor<f32>) -> ()
    }) : (tensor<2x4x96x96xf32>, tensor<f32>) -> tensor<2x4x96xf32>
    %mx1 = "stablehlo.broadcast_in_dim"(%mx) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x96xf32>) -> tensor<2x4x96x1xf32>
    %mxb = "stablehlo.broadcast_in_dim"(%mx1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x96x1xf32>) -> tensor<2x4x96x96xf32>
    %d = "stablehlo.subtract"(%ss, %mxb) : (tensor<2x4x96x96xf32>, tensor<2x4x96x96xf32>) -> tensor<2x4x96x96xf32>
    %ex = "stablehlo.exponential"(%d) : (tensor<2x4x96x96xf32>) -> tensor<2x4x96x96xf32>
    %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %su = "stablehlo.reduce"(%ex, %zero) <{dimensions = array<i64: 3>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %red = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%red) : (tensor<f32>) -> ()
    }) : (tensor<2x4x96x96xf32>, tensor<f32>) -> tensor<2x4x96xf32>
    %su1 = "stablehlo.broadcast_in_dim"(%su) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x96xf32>) -> tensor<2x4x96x1xf32>
    %one = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %oneb = "stablehlo.broadcast_in_dim"(%one) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x96x1xf32>
    %den = "stablehlo.add"(%su1, %oneb) : (tensor<2x4x96x1xf32>, tensor<2x4x96x1xf32>) -> tensor<2x4x96x1xf32>
    %denb = "stablehlo.broadcast_in_dim"(%den) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x96x1xf32>) -> tensor<2x4x96x96xf32>
    %p = "stablehlo.divide"(%ex, %denb) : (tensor<2x4x96x96xf32>, tensor<2x4x96x96xf32>) -> tensor<2x4x96x96xf32>
    %pb = "stablehlo.convert"(%p) : (tensor<2x4x96x96xf32>) -> tensor<2x4x96x96xbf16>
    %o = "stablehlo.dot_general"(%pb, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x96x96xbf16>, tensor<2x96x4x64xbf16>) -> tensor<2x4x96x64xbf16>
    %ot = "stablehlo.transpose"(%o) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x4x96x64xbf16>) -> tensor<2x96x4x64xbf16>
    return %ot : tensor<2x96x4x64xbf16>
  }
}
