// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @cross_attention
// CHECK-SAME:    %[[MASK:[^:]*]]: tensor<2x1x48x80xi1>
// CHECK:       fa.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x48x8x40xf16>, tensor<2x80x8x40xf16>, tensor<2x80x8x40xf16>)
// CHECK-SAME:    layout = #fa.layout<bshd>, scale = 0.158122301 : f32} score
// CHECK:       ^bb0(%[[S:.*]]: f32, %[[B:.*]]: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK:         %[[KEEP:.*]] = tensor.extract %[[MASK]][%[[B]], %{{.*}}, %[[I]], %[[J]]]
// CHECK:         arith.select %[[KEEP]], %[[S]], %{{.*}} : f32
// CHECK-NOT:   stablehlo.exponential
// CHECK-NOT:   stablehlo.transpose

// What:      encoder-decoder cross-attention with a boolean mask, Sq=48 and Sk=80, head size 40, f16.
// Front end: flax.linen MultiHeadDotProductAttention under jax.jit, StableHLO in generic form, functions already
//            inlined. Typical of it: DenseGeneral projections straight to [B,S,H,D]; the query is divided by
//            sqrt(depth) before the product, the root being computed in the program; the mask selects between the
//            score and the smallest finite f16 number; softmax runs in f16, its sum in f32.
// Expect:    RAISE to one fa.attention.
//            f16, B=2, Hq=Hkv=8, Sq=48, Sk=80, Dqk=Dv=40.
//            scale: 1 / f16(sqrt(40)) = 1 / 6.32421875 = 0.158122298. Leaving the division on Q and raising with
//            scale 1.0 is correct too.
//            mask: [2,1,48,80] of i1, true = keep, fill finite and not provably leaving a key in each row, so it
//            goes into the score region as select(mask[b,0,i,j], s, -65504). A mask region would give 0 where this
//            program averages V.
//            Layout: BSHD for all four, no transposes left.
//            The softmax precision rises from f16 to f32, which is allowed.

module {
  func.func @cross_attention(%dec: tensor<2x48x320xf16>,
      %enc: tensor<2x80x320xf16>,
      %mask: tensor<2x1x48x80xi1>,
      %wq: tensor<320x8x40xf16>,
      %wk: tensor<320x8x40xf16>,
      %wv: tensor<320x8x40xf16>,
      %wo: tensor<8x40x320xf16>,
      %bo: tensor<320xf16>) -> tensor<2x48x320xf16> {
    %q = "stablehlo.dot_general"(%dec, %wq) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x48x320xf16>, tensor<320x8x40xf16>) -> tensor<2x48x8x40xf16>
    %k = "stablehlo.dot_general"(%enc, %wk) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x80x320xf16>, tensor<320x8x40xf16>) -> tensor<2x80x8x40xf16>
    %v = "stablehlo.dot_general"(%enc, %wv) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x80x320xf16>, tensor<320x8x40xf16>) -> tensor<2x80x8x40xf16>

    %depth = "stablehlo.constant"() <{value = dense<4.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %root = "stablehlo.sqrt"(%depth) : (tensor<f32>) -> tensor<f32>
    %rooth = "stablehlo.convert"(%root) : (tensor<f32>) -> tensor<f16>
    %rootb = "stablehlo.broadcast_in_dim"(%rooth) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<2x48x8x40xf16>
    %qd = "stablehlo.divide"(%q, %rootb) : (tensor<2x48x8x40xf16>, tensor<2x48x8x40xf16>) -> tensor<2x48x8x40xf16>
    %kq = "stablehlo.dot_general"(%k, %qd) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x80x8x40xf16>, tensor<2x48x8x40xf16>) -> tensor<2x8x80x48xf16>
    %s = "stablehlo.transpose"(%kq) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x8x80x48xf16>) -> tensor<2x8x48x80xf16>
    %low = "stablehlo.constant"() <{value = dense<-6.550400e+04> : tensor<f16>}> : () -> tensor<f16>
    %lowb = "stablehlo.broadcast_in_dim"(%low) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<2x8x48x80xf16>
    %maskb = "stablehlo.broadcast_in_dim"(%mask) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x1x48x80xi1>) -> tensor<2x8x48x80xi1>
    %sm = "stablehlo.select"(%maskb, %s, %lowb) : (tensor<2x8x48x80xi1>, tensor<2x8x48x80xf16>, tensor<2x8x48x80xf16>) -> tensor<2x8x48x80xf16>

    %ninf = "stablehlo.constant"() <{value = dense<0xFC00> : tensor<f16>}> : () -> tensor<f16>
    %mx = "stablehlo.reduce"(%sm, %ninf) <{dimensions = array<i64: 3>}> ({
    ^bb0(%lhs: tensor<f16>, %rhs: tensor<f16>):
      %red = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f16>, tensor<f16>) -> tensor<f16>
      "stablehlo.return"(%red) : (tensor<f16>) -> ()
    }) : (tensor<2x8x48x80xf16>, tensor<f16>) -> tensor<2x8x48xf16>
    %ninfb = "stablehlo.broadcast_in_dim"(%ninf) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<2x8x48xf16>
    %mxc = "stablehlo.maximum"(%ninfb, %mx) : (tensor<2x8x48xf16>, tensor<2x8x48xf16>) -> tensor<2x8x48xf16>
    %mx1 = "stablehlo.broadcast_in_dim"(%mxc) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x8x48xf16>) -> tensor<2x8x48x1xf16>
    %mxb = "stablehlo.broadcast_in_dim"(%mx1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x8x48x1xf16>) -> tensor<2x8x48x80xf16>
    %sh = "stablehlo.subtract"(%sm, %mxb) : (tensor<2x8x48x80xf16>, tensor<2x8x48x80xf16>) -> tensor<2x8x48x80xf16>
    %ex = "stablehlo.exponential"(%sh) : (tensor<2x8x48x80xf16>) -> tensor<2x8x48x80xf16>
    %ex32 = "stablehlo.convert"(%ex) : (tensor<2x8x48x80xf16>) -> tensor<2x8x48x80xf32>
    %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %su = "stablehlo.reduce"(%ex32, %zero) <{dimensions = array<i64: 3>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %red = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%red) : (tensor<f32>) -> ()
    }) : (tensor<2x8x48x80xf32>, tensor<f32>) -> tensor<2x8x48xf32>
    %su1 = "stablehlo.broadcast_in_dim"(%su) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x8x48xf32>) -> tensor<2x8x48x1xf32>
    %su16 = "stablehlo.convert"(%su1) : (tensor<2x8x48x1xf32>) -> tensor<2x8x48x1xf16>
    %sub = "stablehlo.broadcast_in_dim"(%su16) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x8x48x1xf16>) -> tensor<2x8x48x80xf16>
    %p = "stablehlo.divide"(%ex, %sub) : (tensor<2x8x48x80xf16>, tensor<2x8x48x80xf16>) -> tensor<2x8x48x80xf16>

    %vp = "stablehlo.dot_general"(%v, %p) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x80x8x40xf16>, tensor<2x8x48x80xf16>) -> tensor<2x8x40x48xf16>
    %o = "stablehlo.transpose"(%vp) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x8x40x48xf16>) -> tensor<2x48x8x40xf16>
    %y = "stablehlo.dot_general"(%o, %wo) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x48x8x40xf16>, tensor<8x40x320xf16>) -> tensor<2x48x320xf16>
    %bo3 = "stablehlo.reshape"(%bo) : (tensor<320xf16>) -> tensor<1x1x320xf16>
    %bob = "stablehlo.broadcast_in_dim"(%bo3) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x320xf16>) -> tensor<2x48x320xf16>
    %yb = "stablehlo.add"(%y, %bob) : (tensor<2x48x320xf16>, tensor<2x48x320xf16>) -> tensor<2x48x320xf16>
    return %yb : tensor<2x48x320xf16>
  }
}
