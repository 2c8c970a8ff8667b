// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT:   call @
// CHECK:       fa.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x128x8x64xbf16>, tensor<2x128x2x64xbf16>, tensor<2x128x2x64xbf16>)
// CHECK-SAME:    layout = #fa.layout<bshd>, mask = #fa.mask<top_left, causal>, scale = 1.250000e-01 : f32}
// CHECK-NOT:   stablehlo.exponential
// CHECK-NOT:   stablehlo.transpose
// CHECK-NOT:   func.func private

// What:      causal grouped-query self-attention, 8 query heads over 2 key/value heads, bf16 inputs, f32 scores,
//            with the projections and the residual add around it.
// Front end: jax.nn.dot_product_attention(..., is_causal=True) under jax.jit, StableHLO in generic form (the
//            dialect is not registered in stock mlir-opt, so #stablehlo attributes arrive as opaque text). Typical
//            of it: BSHD throughout; no repeated keys, the query is reshaped to [B,T,K,G,H] and the group axis is
//            carried through vmap, which puts it first; einsum gives the key as the left operand, so the product
//            is [B,K,S,T,G] and gets transposed; scale after the product, in f32; jnp.tril and jnp.where are
//            private functions that are called; mask fill is -0.7 * max(f32); the row maximum is clamped from
//            below with -inf; probabilities are converted to bf16 before the second product, whose left operand
//            is V.
// Expect:    RAISE to one fa.attention, looking through the two private functions (or inlining them inside the pass).
//            The stock inliner is no help: it refuses bodies of unregistered operations, and mlir-opt 22.1 --inline
//            crashes on a module in which an unregistered operation has a region, as stablehlo.reduce does here.
//            bf16, B=2, Hq=8, Hkv=2, Sq=Sk=128, Dqk=Dv=64, scale 0.125.
//            Query head n is k*4+g, so it reads key/value head n/4: the contract's own GQA order, no copies.
//            mask: causal, top_left. Finite fill, but every row keeps its diagonal: exact.
//            Layout: BSHD for all four, no transposes left.
//            Left over: the three projections, the output projection, the residual add.

module attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<2x128x512xbf16>,
      %wq: tensor<512x8x64xbf16>,
      %wk: tensor<512x2x64xbf16>,
      %wv: tensor<512x2x64xbf16>,
      %wo: tensor<8x64x512xbf16>) -> tensor<2x128x512xbf16> {
    %q = "stablehlo.dot_general"(%x, %wq) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x128x512xbf16>, tensor<512x8x64xbf16>) -> tensor<2x128x8x64xbf16>
    %k = "stablehlo.dot_general"(%x, %wk) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x128x512xbf16>, tensor<512x2x64xbf16>) -> tensor<2x128x2x64xbf16>
    %v = "stablehlo.dot_general"(%x, %wv) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x128x512xbf16>, tensor<512x2x64xbf16>) -> tensor<2x128x2x64xbf16>
    %qg = "stablehlo.reshape"(%q) : (tensor<2x128x8x64xbf16>) -> tensor<2x128x2x4x64xbf16>

    %kq = "stablehlo.dot_general"(%k, %qg) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x128x2x64xbf16>, tensor<2x128x2x4x64xbf16>) -> tensor<2x2x128x128x4xf32>
    %logits = "stablehlo.transpose"(%kq) <{permutation = array<i64: 4, 0, 1, 3, 2>}> : (tensor<2x2x128x128x4xf32>) -> tensor<4x2x2x128x128xf32>
    %scale = "stablehlo.constant"() <{value = dense<1.250000e-01> : tensor<f32>}> : () -> tensor<f32>
    %scale_b = "stablehlo.broadcast_in_dim"(%scale) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x2x128x128xf32>
    %scaled = "stablehlo.multiply"(%logits, %scale_b) : (tensor<4x2x2x128x128xf32>, tensor<4x2x2x128x128xf32>) -> tensor<4x2x2x128x128xf32>

    %true = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %ones = "stablehlo.broadcast_in_dim"(%true) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<128x128xi1>
    %tri = call @tril(%ones) : (tensor<128x128xi1>) -> tensor<128x128xi1>
    %tri4 = "stablehlo.broadcast_in_dim"(%tri) <{broadcast_dimensions = array<i64: 2, 3>}> : (tensor<128x128xi1>) -> tensor<1x1x128x128xi1>
    %every = "stablehlo.broadcast_in_dim"(%true) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<2x2x128x128xi1>
    %trib = "stablehlo.broadcast_in_dim"(%tri4) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x128x128xi1>) -> tensor<2x2x128x128xi1>
    %keep = "stablehlo.and"(%every, %trib) : (tensor<2x2x128x128xi1>, tensor<2x2x128x128xi1>) -> tensor<2x2x128x128xi1>
    %neg = "stablehlo.constant"() <{value = dense<-2.38197633E+38> : tensor<f32>}> : () -> tensor<f32>
    %masked = call @_where(%keep, %scaled, %neg) : (tensor<2x2x128x128xi1>, tensor<4x2x2x128x128xf32>, tensor<f32>) -> tensor<4x2x2x128x128xf32>

    %ninf = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %mx = "stablehlo.reduce"(%masked, %ninf) <{dimensions = array<i64: 4>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %red = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%red) : (tensor<f32>) -> ()
    }) : (tensor<4x2x2x128x128xf32>, tensor<f32>) -> tensor<4x2x2x128xf32>
    %ninf_b = "stablehlo.broadcast_in_dim"(%ninf) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x2x128xf32>
    %mxc = "stablehlo.maximum"(%ninf_b, %mx) : (tensor<4x2x2x128xf32>, tensor<4x2x2x128xf32>) -> tensor<4x2x2x128xf32>
    %mx1 = "stablehlo.broadcast_in_dim"(%mxc) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x2x128xf32>) -> tensor<4x2x2x128x1xf32>
    %mxb = "stablehlo.broadcast_in_dim"(%mx1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<4x2x2x128x1xf32>) -> tensor<4x2x2x128x128xf32>
    %sub = "stablehlo.subtract"(%masked, %mxb) : (tensor<4x2x2x128x128xf32>, tensor<4x2x2x128x128xf32>) -> tensor<4x2x2x128x128xf32>
    %ex = "stablehlo.exponential"(%sub) : (tensor<4x2x2x128x128xf32>) -> tensor<4x2x2x128x128xf32>
    %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %sum = "stablehlo.reduce"(%ex, %zero) <{dimensions = array<i64: 4>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %red = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%red) : (tensor<f32>) -> ()
    }) : (tensor<4x2x2x128x128xf32>, tensor<f32>) -> tensor<4x2x2x128xf32>
    %sum1 = "stablehlo.broadcast_in_dim"(%sum) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x2x128xf32>) -> tensor<4x2x2x128x1xf32>
    %sumb = "stablehlo.broadcast_in_dim"(%sum1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<4x2x2x128x1xf32>) -> tensor<4x2x2x128x128xf32>
    %prob = "stablehlo.divide"(%ex, %sumb) : (tensor<4x2x2x128x128xf32>, tensor<4x2x2x128x128xf32>) -> tensor<4x2x2x128x128xf32>
    %pb = "stablehlo.convert"(%prob) : (tensor<4x2x2x128x128xf32>) -> tensor<4x2x2x128x128xbf16>

    %vp = "stablehlo.dot_general"(%v, %pb) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [1, 2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x128x2x64xbf16>, tensor<4x2x2x128x128xbf16>) -> tensor<2x2x64x4x128xbf16>
    %enc_g = "stablehlo.transpose"(%vp) <{permutation = array<i64: 3, 0, 4, 1, 2>}> : (tensor<2x2x64x4x128xbf16>) -> tensor<4x2x128x2x64xbf16>
    %enc = "stablehlo.transpose"(%enc_g) <{permutation = array<i64: 1, 2, 3, 0, 4>}> : (tensor<4x2x128x2x64xbf16>) -> tensor<2x128x2x4x64xbf16>
    %merged = "stablehlo.reshape"(%enc) : (tensor<2x128x2x4x64xbf16>) -> tensor<2x128x8x64xbf16>
    %y = "stablehlo.dot_general"(%merged, %wo) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x128x8x64xbf16>, tensor<8x64x512xbf16>) -> tensor<2x128x512xbf16>
    %res = "stablehlo.add"(%x, %y) : (tensor<2x128x512xbf16>, tensor<2x128x512xbf16>) -> tensor<2x128x512xbf16>
    return %res : tensor<2x128x512xbf16>
  }
  func.func private @tril(%arg: tensor<128x128xi1>) -> tensor<128x128xi1> {
    %row = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<128x128xi32>
    %off = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %offb = "stablehlo.broadcast_in_dim"(%off) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<128x128xi32>
    %rowo = "stablehlo.add"(%row, %offb) : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi32>
    %col = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<128x128xi32>
    %ge = "stablehlo.compare"(%rowo, %col) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %f = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %fb = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<128x128xi1>
    %sel = "stablehlo.select"(%ge, %arg, %fb) : (tensor<128x128xi1>, tensor<128x128xi1>, tensor<128x128xi1>) -> tensor<128x128xi1>
    return %sel : tensor<128x128xi1>
  }
  func.func private @_where(%cond: tensor<2x2x128x128xi1>,
      %on: tensor<4x2x2x128x128xf32>,
      %off: tensor<f32>) -> tensor<4x2x2x128x128xf32> {
    %cb = "stablehlo.broadcast_in_dim"(%cond) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> : (tensor<2x2x128x128xi1>) -> tensor<4x2x2x128x128xi1>
    %ob = "stablehlo.broadcast_in_dim"(%off) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x2x128x128xf32>
    %sel = "stablehlo.select"(%cb, %on, %ob) : (tensor<4x2x2x128x128xi1>, tensor<4x2x2x128x128xf32>, tensor<4x2x2x128x128xf32>) -> tensor<4x2x2x128x128xf32>
    return %sel : tensor<4x2x2x128x128xf32>
  }
}
