// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @tm_causal_cross
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<1x10x64x128xf16>, %[[K:[^:]*]]: tensor<1x2x96x128xf16>, %[[V:[^:]*]]: tensor<1x2x96x128xf16>
// CHECK:       fa.attention ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:    mask = #fa.mask<top_left, causal>, scale = 0.0883883461 : f32}
// CHECK-NOT:   tm_tensor
// CHECK-LABEL: func.func @iree_grouped
// CHECK:       fa.attention
// CHECK-SAME:    tensor<2x12x96x64xf16>, tensor<2x4x160x64xf16>, tensor<2x4x160x64xf16>
// CHECK-SAME:    {scale = 1.250000e-01 : f32} mask
// CHECK:       ^bb0(%[[B:.*]]: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK:         tensor.extract %{{.*}}[%[[B]], %[[I]], %[[J]]] : tensor<2x96x160xi1>

// What:      the two fused attention operators of torch-mlir and IREE in generic form.
// Front end: @tm_causal_cross: torch.nn.functional.scaled_dot_product_attention(enable_gqa, is_causal) kept whole by
//            torch-mlir and lowered to tm_tensor.attention. Typical of it: batch and heads collapsed to rank 3, keys
//            repeated beforehand by broadcast and collapse, causal mask filled by a generic without inputs that
//            compares indices, operands grouped by operandSegmentSizes, no scale attribute means 1/sqrt(Dqk).
//            @iree_grouped: iree_linalg_ext.attention after IREE has folded broadcasts and transposes into the
//            indexing maps. Operands Q, K, V, scale, mask, destination; one map each; the region gets the scaled
//            score in f32, the mask is added after it; an i1 mask keeps where true.
// Expect:    RAISE both.
//            @tm_causal_cross: f16, B=1, Hq=10, Hkv=2, Sq=64, Sk=96, Dqk=Dv=128, scale 1/sqrt(128), mask causal
//            top_left (row >= column, although Sk > Sq), BHSD. B and heads are recovered from the collapses (B=10,
//            Hq=Hkv=1 on the repeated keys is correct, but copies).
//            @iree_grouped: f16, B=2, Hq=12 (dimensions d1 x d2 = 4 x 3), Hkv=4, Sq=96, Sk=160, Dqk=Dv=64, scale
//            0.125, BHSD. mask region: mask[b, i, j]. V is stored [B,H,D,S]; fa.attention wants a unit innermost
//            stride along D, so a transpose of V is made (a remark is welcome).

#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#rep = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#m5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#aq = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d4)>
#ak = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d5, d4)>
#av = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d6, d5)>
#as = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> ()>
#am = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d3, d5)>
#ao = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d6)>

module {
  func.func @tm_causal_cross(%q: tensor<1x10x64x128xf16>,
      %k: tensor<1x2x96x128xf16>,
      %v: tensor<1x2x96x128xf16>,
      %w: tensor<1280x640xf16>) -> tensor<64x640xf32> {
    %z = arith.constant 0.000000e+00 : f16
    %ninf = arith.constant 0xFC00 : f16
    %z32 = arith.constant 0.000000e+00 : f32
    %k5_e = tensor.empty() : tensor<1x2x5x96x128xf16>
    %k5 = linalg.generic {indexing_maps = [#rep, #m5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<1x2x96x128xf16>) outs(%k5_e : tensor<1x2x5x96x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<1x2x5x96x128xf16>
    %kr = tensor.collapse_shape %k5 [[0], [1, 2], [3], [4]] : tensor<1x2x5x96x128xf16> into tensor<1x10x96x128xf16>
    %v5_e = tensor.empty() : tensor<1x2x5x96x128xf16>
    %v5 = linalg.generic {indexing_maps = [#rep, #m5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<1x2x96x128xf16>) outs(%v5_e : tensor<1x2x5x96x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<1x2x5x96x128xf16>
    %vr = tensor.collapse_shape %v5 [[0], [1, 2], [3], [4]] : tensor<1x2x5x96x128xf16> into tensor<1x10x96x128xf16>
    %mz_e = tensor.empty() : tensor<1x10x64x96xf16>
    %mz = linalg.fill ins(%z : f16) outs(%mz_e : tensor<1x10x64x96xf16>) -> tensor<1x10x64x96xf16>
    %cm = linalg.generic {indexing_maps = [#m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%mz : tensor<1x10x64x96xf16>) {
    ^bb0(%out: f16):
      %i = linalg.index 2 : index
      %j = linalg.index 3 : index
      %ge = arith.cmpi sge, %i, %j : index
      %sel = arith.select %ge, %z, %ninf : f16
      linalg.yield %sel : f16
    } -> tensor<1x10x64x96xf16>
    %q3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x10x64x128xf16> into tensor<10x64x128xf16>
    %k3 = tensor.collapse_shape %kr [[0, 1], [2], [3]] : tensor<1x10x96x128xf16> into tensor<10x96x128xf16>
    %v3 = tensor.collapse_shape %vr [[0, 1], [2], [3]] : tensor<1x10x96x128xf16> into tensor<10x96x128xf16>
    %m3_ = tensor.collapse_shape %cm [[0, 1], [2], [3]] : tensor<1x10x64x96xf16> into tensor<10x64x96xf16>
    %dst_e = tensor.empty() : tensor<10x64x128xf16>
    %dst = linalg.fill ins(%z : f16) outs(%dst_e : tensor<10x64x128xf16>) -> tensor<10x64x128xf16>
    %att = "tm_tensor.attention"(%q3, %k3, %v3, %m3_, %dst) <{operandSegmentSizes = array<i32: 4, 1>}> : (tensor<10x64x128xf16>, tensor<10x96x128xf16>, tensor<10x96x128xf16>, tensor<10x64x96xf16>, tensor<10x64x128xf16>) -> tensor<10x64x128xf16>
    %o = tensor.expand_shape %att [[0, 1], [2], [3]] output_shape [1, 10, 64, 128] : tensor<10x64x128xf16> into tensor<1x10x64x128xf16>
    %ot_e = tensor.empty() : tensor<1x64x10x128xf16>
    %ot = linalg.transpose ins(%o : tensor<1x10x64x128xf16>) outs(%ot_e : tensor<1x64x10x128xf16>) permutation = [0, 2, 1, 3]
    %om = tensor.collapse_shape %ot [[0, 1], [2, 3]] : tensor<1x64x10x128xf16> into tensor<64x1280xf16>
    %y_0_e = tensor.empty() : tensor<64x640xf32>
    %y_0 = linalg.fill ins(%z32 : f32) outs(%y_0_e : tensor<64x640xf32>) -> tensor<64x640xf32>
    %y = linalg.matmul ins(%om, %w : tensor<64x1280xf16>, tensor<1280x640xf16>) outs(%y_0 : tensor<64x640xf32>) -> tensor<64x640xf32>
    return %y : tensor<64x640xf32>
  }

  func.func @iree_grouped(%q: tensor<2x96x12x64xf16>,
      %k: tensor<2x4x160x64xf16>,
      %vt: tensor<2x4x64x160xf16>,
      %mask: tensor<2x96x160xi1>) -> tensor<2x96x12x64xf16> {
    %scale = arith.constant 1.250000e-01 : f16
    %qh_e = tensor.empty() : tensor<2x12x96x64xf16>
    %qh = linalg.transpose ins(%q : tensor<2x96x12x64xf16>) outs(%qh_e : tensor<2x12x96x64xf16>) permutation = [0, 2, 1, 3]
    %qg = tensor.expand_shape %qh [[0], [1, 2], [3], [4]] output_shape [2, 4, 3, 96, 64] : tensor<2x12x96x64xf16> into tensor<2x4x3x96x64xf16>
    %dst = tensor.empty() : tensor<2x4x3x96x64xf16>
    %att = "iree_linalg_ext.attention"(%qg, %k, %vt, %scale, %mask, %dst) <{indexing_maps = [#aq, #ak, #av, #as, #am, #ao]}> ({
    ^bb0(%score: f32):
      "iree_linalg_ext.yield"(%score) : (f32) -> ()
    }) : (tensor<2x4x3x96x64xf16>, tensor<2x4x160x64xf16>, tensor<2x4x64x160xf16>, f16, tensor<2x96x160xi1>, tensor<2x4x3x96x64xf16>) -> tensor<2x4x3x96x64xf16>
    %oh = tensor.collapse_shape %att [[0], [1, 2], [3], [4]] : tensor<2x4x3x96x64xf16> into tensor<2x12x96x64xf16>
    %o_e = tensor.empty() : tensor<2x96x12x64xf16>
    %o = linalg.transpose ins(%oh : tensor<2x12x96x64xf16>) outs(%o_e : tensor<2x96x12x64xf16>) permutation = [0, 2, 1, 3]
    return %o : tensor<2x96x12x64xf16>
  }
}
