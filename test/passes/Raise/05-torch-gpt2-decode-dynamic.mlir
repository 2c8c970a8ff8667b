// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @gpt2_decode
// CHECK:       cf.assert
// CHECK:       %[[K:.*]] = tensor.concat dim(2)
// CHECK:       %[[V:.*]] = tensor.concat dim(2)
// CHECK:       fa.attention ins(%{{.*}}, %[[K]], %[[V]] : tensor<?x16x1x64xf16>, tensor<?x16x?x64xf16>, tensor<?x16x?x64xf16>)
// CHECK-SAME:    {scale = 1.250000e-01 : f32}
// CHECK-NOT:   score
// CHECK-NOT:   math.exp

// What:      one decoding step with a key/value cache: the new token's key and value are appended with
//            tensor.concat, batch and cache length dynamic, one query row. f16, softmax in f32.
// Front end: GPT-2 with past_key_values, torch.export with dynamic shapes, torch-mlir linalg-on-tensors. Typical
//            of it: tensor.dim and arith everywhere, cf.assert where two dynamic sizes must agree, collapse and
//            expand through [?,...] with computed sizes, the scale as division by a rank-0 tensor.
// Expect:    RAISE to one fa.attention.
//            f16, B=?, Hq=Hkv=16, Sq=1, Sk=? (cache length + 1), Dqk=Dv=64, scale 0.125. No mask: the only
//            query row is the newest token and sees every key.
//            K and V are the concatenated tensors, which stay (the function returns them). The asserts stay.
//            Layout: BHSD for K and V (the cache has that order); Q and the result have Sq=1, where BHSD and
//            BSHD are the same memory, so the transposes around them can go.

#m2 = affine_map<(d0, d1) -> (d0, d1)>
#m2c = affine_map<(d0, d1) -> (d1)>
#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m4row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m4keep = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m4s = affine_map<(d0, d1, d2, d3) -> ()>

module attributes {torch.debug_module_name = "DecodeStep"} {
  func.func @gpt2_decode(%x: tensor<?x1x1024xf16>,
      %past_k: tensor<?x16x?x64xf16>,
      %past_v: tensor<?x16x?x64xf16>,
      %w_qkv: tensor<1024x3072xf16>,
      %b_qkv: tensor<3072xf16>) -> (tensor<?x1x1024xf16>, tensor<?x16x?x64xf16>, tensor<?x16x?x64xf16>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %zf = arith.constant 0.000000e+00 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %zi = arith.constant 0 : i64
    %root = arith.constant dense<8.000000e+00> : tensor<f16>
    %b = tensor.dim %x, %c0 : tensor<?x1x1024xf16>
    %bk = tensor.dim %past_k, %c0 : tensor<?x16x?x64xf16>
    %same_b = arith.cmpi eq, %b, %bk : index
    cf.assert %same_b, "mismatching batch of token and cache"

    %x2 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x1x1024xf16> into tensor<?x1024xf16>
    %a32_0_e = tensor.empty(%b) : tensor<?x3072xf32>
    %a32_0 = linalg.fill ins(%zf : f32) outs(%a32_0_e : tensor<?x3072xf32>) -> tensor<?x3072xf32>
    %a32 = linalg.matmul ins(%x2, %w_qkv : tensor<?x1024xf16>, tensor<1024x3072xf16>) outs(%a32_0 : tensor<?x3072xf32>) -> tensor<?x3072xf32>
    %a16_e = tensor.empty(%b) : tensor<?x3072xf16>
    %a16 = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%a32 : tensor<?x3072xf32>) outs(%a16_e : tensor<?x3072xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<?x3072xf16>
    %ab_e = tensor.empty(%b) : tensor<?x3072xf16>
    %ab = linalg.generic {indexing_maps = [#m2, #m2c, #m2], iterator_types = ["parallel", "parallel"]} ins(%a16, %b_qkv : tensor<?x3072xf16>, tensor<3072xf16>) outs(%ab_e : tensor<?x3072xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %val = arith.addf %in, %in_1 : f16
      linalg.yield %val : f16
    } -> tensor<?x3072xf16>
    %a3 = tensor.expand_shape %ab [[0, 1], [2]] output_shape [%b, 1, 3072] : tensor<?x3072xf16> into tensor<?x1x3072xf16>
    %qs = tensor.extract_slice %a3[0, 0, 0] [%b, 1, 1024] [1, 1, 1] : tensor<?x1x3072xf16> to tensor<?x1x1024xf16>
    %q4 = tensor.expand_shape %qs [[0], [1], [2, 3]] output_shape [%b, 1, 16, 64] : tensor<?x1x1024xf16> into tensor<?x1x16x64xf16>
    %qn_e = tensor.empty(%b) : tensor<?x16x1x64xf16>
    %qn = linalg.transpose ins(%q4 : tensor<?x1x16x64xf16>) outs(%qn_e : tensor<?x16x1x64xf16>) permutation = [0, 2, 1, 3]
    %ks = tensor.extract_slice %a3[0, 0, 1024] [%b, 1, 1024] [1, 1, 1] : tensor<?x1x3072xf16> to tensor<?x1x1024xf16>
    %k4 = tensor.expand_shape %ks [[0], [1], [2, 3]] output_shape [%b, 1, 16, 64] : tensor<?x1x1024xf16> into tensor<?x1x16x64xf16>
    %kn_e = tensor.empty(%b) : tensor<?x16x1x64xf16>
    %kn = linalg.transpose ins(%k4 : tensor<?x1x16x64xf16>) outs(%kn_e : tensor<?x16x1x64xf16>) permutation = [0, 2, 1, 3]
    %vs = tensor.extract_slice %a3[0, 0, 2048] [%b, 1, 1024] [1, 1, 1] : tensor<?x1x3072xf16> to tensor<?x1x1024xf16>
    %v4 = tensor.expand_shape %vs [[0], [1], [2, 3]] output_shape [%b, 1, 16, 64] : tensor<?x1x1024xf16> into tensor<?x1x16x64xf16>
    %vn_e = tensor.empty(%b) : tensor<?x16x1x64xf16>
    %vn = linalg.transpose ins(%v4 : tensor<?x1x16x64xf16>) outs(%vn_e : tensor<?x16x1x64xf16>) permutation = [0, 2, 1, 3]
    %kc = tensor.concat dim(2) %past_k, %kn : (tensor<?x16x?x64xf16>, tensor<?x16x1x64xf16>) -> tensor<?x16x?x64xf16>
    %vc = tensor.concat dim(2) %past_v, %vn : (tensor<?x16x?x64xf16>, tensor<?x16x1x64xf16>) -> tensor<?x16x?x64xf16>
    %t = tensor.dim %kc, %c2 : tensor<?x16x?x64xf16>
    %tv = tensor.dim %vc, %c2 : tensor<?x16x?x64xf16>
    %bh = arith.muli %b, %c16 : index

    // scores of the new row against the whole cache
    %kt_e = tensor.empty(%b, %t) : tensor<?x16x64x?xf16>
    %kt = linalg.transpose ins(%kc : tensor<?x16x?x64xf16>) outs(%kt_e : tensor<?x16x64x?xf16>) permutation = [0, 1, 3, 2]
    %ql = tensor.collapse_shape %qn [[0, 1], [2], [3]] : tensor<?x16x1x64xf16> into tensor<?x1x64xf16>
    %kl = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<?x16x64x?xf16> into tensor<?x64x?xf16>
    %sa_0_e = tensor.empty(%bh, %t) : tensor<?x1x?xf32>
    %sa_0 = linalg.fill ins(%zf : f32) outs(%sa_0_e : tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
    %sa = linalg.batch_matmul ins(%ql, %kl : tensor<?x1x64xf16>, tensor<?x64x?xf16>) outs(%sa_0 : tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
    %sc_e = tensor.empty(%bh, %t) : tensor<?x1x?xf16>
    %sc = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sa : tensor<?x1x?xf32>) outs(%sc_e : tensor<?x1x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<?x1x?xf16>
    %s = tensor.expand_shape %sc [[0, 1], [2], [3]] output_shape [%b, 16, 1, %t] : tensor<?x1x?xf16> into tensor<?x16x1x?xf16>
    %sd_e = tensor.empty(%b, %t) : tensor<?x16x1x?xf16>
    %sd = linalg.generic {indexing_maps = [#m4, #m4s, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %root : tensor<?x16x1x?xf16>, tensor<f16>) outs(%sd_e : tensor<?x16x1x?xf16>) {
    ^bb0(%in: f16, %in_3: f16, %out: f16):
      %val = arith.divf %in, %in_3 : f16
      linalg.yield %val : f16
    } -> tensor<?x16x1x?xf16>
    %s32_e = tensor.empty(%b, %t) : tensor<?x16x1x?xf32>
    %s32 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sd : tensor<?x16x1x?xf16>) outs(%s32_e : tensor<?x16x1x?xf32>) {
    ^bb0(%in: f16, %out: f32):
      %val = arith.extf %in : f16 to f32
      linalg.yield %val : f32
    } -> tensor<?x16x1x?xf32>
    %uix0_e = tensor.empty(%b) : tensor<?x16x1xi64>
    %uix0 = linalg.fill ins(%zi : i64) outs(%uix0_e : tensor<?x16x1xi64>) -> tensor<?x16x1xi64>
    %umx0_e = tensor.empty(%b) : tensor<?x16x1xf32>
    %umx0 = linalg.fill ins(%ninf : f32) outs(%umx0_e : tensor<?x16x1xf32>) -> tensor<?x16x1xf32>
    %umx:2 = linalg.generic {indexing_maps = [#m4, #m4row, #m4row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s32 : tensor<?x16x1x?xf32>) outs(%umx0, %uix0 : tensor<?x16x1xf32>, tensor<?x16x1xi64>) {
    ^bb0(%cur: f32, %best: f32, %arg: i64):
      %pos = linalg.index 3 : index
      %pos64 = arith.index_cast %pos : index to i64
      %hi = arith.maximumf %cur, %best : f32
      %gt = arith.cmpf ogt, %cur, %best : f32
      %at = arith.select %gt, %pos64, %arg : i64
      linalg.yield %hi, %at : f32, i64
    } -> (tensor<?x16x1xf32>, tensor<?x16x1xi64>)
    %umxk = tensor.expand_shape %umx#0 [[0], [1], [2, 3]] output_shape [%b, 16, 1, 1] : tensor<?x16x1xf32> into tensor<?x16x1x1xf32>
    %ush_e = tensor.empty(%b, %t) : tensor<?x16x1x?xf32>
    %ush = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s32, %umxk : tensor<?x16x1x?xf32>, tensor<?x16x1x1xf32>) outs(%ush_e : tensor<?x16x1x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.subf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<?x16x1x?xf32>
    %uex_e = tensor.empty(%b, %t) : tensor<?x16x1x?xf32>
    %uex = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ush : tensor<?x16x1x?xf32>) outs(%uex_e : tensor<?x16x1x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %val = math.exp %in : f32
      linalg.yield %val : f32
    } -> tensor<?x16x1x?xf32>
    %usm0_e = tensor.empty(%b) : tensor<?x16x1x1xf32>
    %usm0 = linalg.fill ins(%zf : f32) outs(%usm0_e : tensor<?x16x1x1xf32>) -> tensor<?x16x1x1xf32>
    %usm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%uex : tensor<?x16x1x?xf32>) outs(%usm0 : tensor<?x16x1x1xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<?x16x1x1xf32>
    %up_e = tensor.empty(%b, %t) : tensor<?x16x1x?xf32>
    %up = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%uex, %usm : tensor<?x16x1x?xf32>, tensor<?x16x1x1xf32>) outs(%up_e : tensor<?x16x1x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.divf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<?x16x1x?xf32>
    %p16_e = tensor.empty(%b, %t) : tensor<?x16x1x?xf16>
    %p16 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%up : tensor<?x16x1x?xf32>) outs(%p16_e : tensor<?x16x1x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<?x16x1x?xf16>

    %same_t = arith.cmpi eq, %t, %tv : index
    cf.assert %same_t, "mismatching contracting dimension"
    %pl = tensor.collapse_shape %p16 [[0, 1], [2], [3]] : tensor<?x16x1x?xf16> into tensor<?x1x?xf16>
    %vl = tensor.collapse_shape %vc [[0, 1], [2], [3]] : tensor<?x16x?x64xf16> into tensor<?x?x64xf16>
    %oa_0_e = tensor.empty(%bh) : tensor<?x1x64xf32>
    %oa_0 = linalg.fill ins(%zf : f32) outs(%oa_0_e : tensor<?x1x64xf32>) -> tensor<?x1x64xf32>
    %oa = linalg.batch_matmul ins(%pl, %vl : tensor<?x1x?xf16>, tensor<?x?x64xf16>) outs(%oa_0 : tensor<?x1x64xf32>) -> tensor<?x1x64xf32>
    %oc_e = tensor.empty(%bh) : tensor<?x1x64xf16>
    %oc = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%oa : tensor<?x1x64xf32>) outs(%oc_e : tensor<?x1x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<?x1x64xf16>
    %o = tensor.expand_shape %oc [[0, 1], [2], [3]] output_shape [%b, 16, 1, 64] : tensor<?x1x64xf16> into tensor<?x16x1x64xf16>
    %ot_e = tensor.empty(%b) : tensor<?x1x16x64xf16>
    %ot = linalg.transpose ins(%o : tensor<?x16x1x64xf16>) outs(%ot_e : tensor<?x1x16x64xf16>) permutation = [0, 2, 1, 3]
    %y = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<?x1x16x64xf16> into tensor<?x1x1024xf16>
    %r_e = tensor.empty(%b) : tensor<?x1x1024xf16>
    %r = linalg.generic {indexing_maps = [#m3, #m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %x : tensor<?x1x1024xf16>, tensor<?x1x1024xf16>) outs(%r_e : tensor<?x1x1024xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %val = arith.addf %in, %in_1 : f16
      linalg.yield %val : f16
    } -> tensor<?x1x1024xf16>
    return %r, %kc, %vc : tensor<?x1x1024xf16>, tensor<?x16x?x64xf16>, tensor<?x16x?x64xf16>
  }
}
