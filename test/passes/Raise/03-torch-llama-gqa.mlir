// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @llama_gqa
// CHECK-NOT:   linalg.index
// CHECK:       fa.attention ins(%arg0, %arg1, %arg2 : tensor<1x192x24x128xbf16>, tensor<1x192x8x128xbf16>, tensor<1x192x8x128xbf16>)
// CHECK-SAME:    layout = #fa.layout<bshd>, mask = #fa.mask<top_left, causal>, scale = 0.0883789062 : f32}
// CHECK-NOT:   score
// CHECK-NOT:   math.exp

// What:      grouped-query causal attention of a Llama style layer: 24 query heads over 8 key/value heads, bf16.
// Front end: Hugging Face eager attention through torch-mlir, linalg-on-tensors. Typical of it: repeat_kv
//            becomes a broadcasting generic [1,8,3,S,D] followed by collapse_shape; the mask is built from two
//            arange tensors compared with each other, a select between 0 and the smallest finite bf16 number,
//            and added to the scaled scores; softmax in f32.
// Expect:    RAISE to one fa.attention.
//            bf16, B=1, Hq=24, Hkv=8 (each key/value head serves 3 neighbouring query heads), Sq=Sk=192,
//            Dqk=Dv=128; K and V are taken before the broadcast, which dies.
//            scale: 0.08837890625 as printed.
//            mask: causal, top_left. The fill value is finite, but every row keeps its diagonal, so the masked
//            weights are exactly 0 and the causal attribute changes nothing.
//            Layout: Q, K, V are [1,192,heads,128] before their transposes, so BSHD is reachable.

#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m4row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m4keep = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#rep = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#m5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#m1 = affine_map<(d0) -> (d0)>
#m4k = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#m4h = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>

module attributes {torch.debug_module_name = "DecoderLayer"} {
  func.func @llama_gqa(%q: tensor<1x192x24x128xbf16>,
      %k: tensor<1x192x8x128xbf16>,
      %v: tensor<1x192x8x128xbf16>,
      %skip: tensor<1x192x3072xbf16>) -> tensor<1x192x3072xbf16> {
    %zf = arith.constant 0.000000e+00 : f32
    %lo32 = arith.constant 0xFF800000 : f32
    %zi = arith.constant 0 : i64
    %zb = arith.constant 0.000000e+00 : bf16
    %lowest = arith.constant -3.389530e+38 : bf16
    %scl = arith.constant 8.837890e-02 : bf16

    %qh_e = tensor.empty() : tensor<1x24x192x128xbf16>
    %qh = linalg.transpose ins(%q : tensor<1x192x24x128xbf16>) outs(%qh_e : tensor<1x24x192x128xbf16>) permutation = [0, 2, 1, 3]
    %kh_e = tensor.empty() : tensor<1x8x192x128xbf16>
    %kh = linalg.transpose ins(%k : tensor<1x192x8x128xbf16>) outs(%kh_e : tensor<1x8x192x128xbf16>) permutation = [0, 2, 1, 3]
    %vh_e = tensor.empty() : tensor<1x8x192x128xbf16>
    %vh = linalg.transpose ins(%v : tensor<1x192x8x128xbf16>) outs(%vh_e : tensor<1x8x192x128xbf16>) permutation = [0, 2, 1, 3]

    // positions, mask
    %ar_e = tensor.empty() : tensor<192xi64>
    %ar = linalg.generic {indexing_maps = [#m1], iterator_types = ["parallel"]} outs(%ar_e : tensor<192xi64>) {
    ^bb0(%out: i64):
      %i = linalg.index 0 : index
      %val = arith.index_cast %i : index to i64
      linalg.yield %val : i64
    } -> tensor<192xi64>
    %qpos = tensor.expand_shape %ar [[0, 1, 2, 3]] output_shape [1, 1, 192, 1] : tensor<192xi64> into tensor<1x1x192x1xi64>
    %kpos = tensor.expand_shape %ar [[0, 1, 2, 3]] output_shape [1, 1, 1, 192] : tensor<192xi64> into tensor<1x1x1x192xi64>
    %keep_e = tensor.empty() : tensor<1x1x192x192xi1>
    %keep = linalg.generic {indexing_maps = [#m4k, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%kpos, %qpos : tensor<1x1x1x192xi64>, tensor<1x1x192x1xi64>) outs(%keep_e : tensor<1x1x192x192xi1>) {
    ^bb0(%in: i64, %in_1: i64, %out: i1):
      %val = arith.cmpi sle, %in, %in_1 : i64
      linalg.yield %val : i1
    } -> tensor<1x1x192x192xi1>
    %mask_e = tensor.empty() : tensor<1x1x192x192xbf16>
    %mask = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%keep : tensor<1x1x192x192xi1>) outs(%mask_e : tensor<1x1x192x192xbf16>) {
    ^bb0(%in: i1, %out: bf16):
      %val = arith.select %in, %zb, %lowest : bf16
      linalg.yield %val : bf16
    } -> tensor<1x1x192x192xbf16>

    // repeat_kv
    %kr5_e = tensor.empty() : tensor<1x8x3x192x128xbf16>
    %kr5 = linalg.generic {indexing_maps = [#rep, #m5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%kh : tensor<1x8x192x128xbf16>) outs(%kr5_e : tensor<1x8x3x192x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x8x3x192x128xbf16>
    %kr = tensor.collapse_shape %kr5 [[0], [1, 2], [3], [4]] : tensor<1x8x3x192x128xbf16> into tensor<1x24x192x128xbf16>
    %vr5_e = tensor.empty() : tensor<1x8x3x192x128xbf16>
    %vr5 = linalg.generic {indexing_maps = [#rep, #m5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%vh : tensor<1x8x192x128xbf16>) outs(%vr5_e : tensor<1x8x3x192x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x8x3x192x128xbf16>
    %vr = tensor.collapse_shape %vr5 [[0], [1, 2], [3], [4]] : tensor<1x8x3x192x128xbf16> into tensor<1x24x192x128xbf16>

    %krt_e = tensor.empty() : tensor<1x24x128x192xbf16>
    %krt = linalg.transpose ins(%kr : tensor<1x24x192x128xbf16>) outs(%krt_e : tensor<1x24x128x192xbf16>) permutation = [0, 1, 3, 2]
    %s_l = tensor.collapse_shape %qh [[0, 1], [2], [3]] : tensor<1x24x192x128xbf16> into tensor<24x192x128xbf16>
    %s_r = tensor.collapse_shape %krt [[0, 1], [2], [3]] : tensor<1x24x128x192xbf16> into tensor<24x128x192xbf16>
    %s_a_0_e = tensor.empty() : tensor<24x192x192xf32>
    %s_a_0 = linalg.fill ins(%zf : f32) outs(%s_a_0_e : tensor<24x192x192xf32>) -> tensor<24x192x192xf32>
    %s_a = linalg.batch_matmul ins(%s_l, %s_r : tensor<24x192x128xbf16>, tensor<24x128x192xbf16>) outs(%s_a_0 : tensor<24x192x192xf32>) -> tensor<24x192x192xf32>
    %s_t_e = tensor.empty() : tensor<24x192x192xbf16>
    %s_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s_a : tensor<24x192x192xf32>) outs(%s_t_e : tensor<24x192x192xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<24x192x192xbf16>
    %s = tensor.expand_shape %s_t [[0, 1], [2], [3]] output_shape [1, 24, 192, 192] : tensor<24x192x192xbf16> into tensor<1x24x192x192xbf16>
    %ss_e = tensor.empty() : tensor<1x24x192x192xbf16>
    %ss = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<1x24x192x192xbf16>) outs(%ss_e : tensor<1x24x192x192xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %val = arith.mulf %in, %scl : bf16
      linalg.yield %val : bf16
    } -> tensor<1x24x192x192xbf16>
    %sm_e = tensor.empty() : tensor<1x24x192x192xbf16>
    %sm = linalg.generic {indexing_maps = [#m4, #m4h, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ss, %mask : tensor<1x24x192x192xbf16>, tensor<1x1x192x192xbf16>) outs(%sm_e : tensor<1x24x192x192xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %val = arith.addf %in, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<1x24x192x192xbf16>
    %s32_e = tensor.empty() : tensor<1x24x192x192xf32>
    %s32 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sm : tensor<1x24x192x192xbf16>) outs(%s32_e : tensor<1x24x192x192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %val = arith.extf %in : bf16 to f32
      linalg.yield %val : f32
    } -> tensor<1x24x192x192xf32>
    %wix0_e = tensor.empty() : tensor<1x24x192xi64>
    %wix0 = linalg.fill ins(%zi : i64) outs(%wix0_e : tensor<1x24x192xi64>) -> tensor<1x24x192xi64>
    %wmx0_e = tensor.empty() : tensor<1x24x192xf32>
    %wmx0 = linalg.fill ins(%lo32 : f32) outs(%wmx0_e : tensor<1x24x192xf32>) -> tensor<1x24x192xf32>
    %wmx:2 = linalg.generic {indexing_maps = [#m4, #m4row, #m4row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s32 : tensor<1x24x192x192xf32>) outs(%wmx0, %wix0 : tensor<1x24x192xf32>, tensor<1x24x192xi64>) {
    ^bb0(%cur: f32, %best: f32, %arg: i64):
      %pos = linalg.index 3 : index
      %pos64 = arith.index_cast %pos : index to i64
      %hi = arith.maximumf %cur, %best : f32
      %gt = arith.cmpf ogt, %cur, %best : f32
      %at = arith.select %gt, %pos64, %arg : i64
      linalg.yield %hi, %at : f32, i64
    } -> (tensor<1x24x192xf32>, tensor<1x24x192xi64>)
    %wmxk = tensor.expand_shape %wmx#0 [[0], [1], [2, 3]] output_shape [1, 24, 192, 1] : tensor<1x24x192xf32> into tensor<1x24x192x1xf32>
    %wsh_e = tensor.empty() : tensor<1x24x192x192xf32>
    %wsh = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s32, %wmxk : tensor<1x24x192x192xf32>, tensor<1x24x192x1xf32>) outs(%wsh_e : tensor<1x24x192x192xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.subf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<1x24x192x192xf32>
    %wex_e = tensor.empty() : tensor<1x24x192x192xf32>
    %wex = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%wsh : tensor<1x24x192x192xf32>) outs(%wex_e : tensor<1x24x192x192xf32>) {
    ^bb0(%in: f32, %out: f32):
      %val = math.exp %in : f32
      linalg.yield %val : f32
    } -> tensor<1x24x192x192xf32>
    %wsm0_e = tensor.empty() : tensor<1x24x192x1xf32>
    %wsm0 = linalg.fill ins(%zf : f32) outs(%wsm0_e : tensor<1x24x192x1xf32>) -> tensor<1x24x192x1xf32>
    %wsm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%wex : tensor<1x24x192x192xf32>) outs(%wsm0 : tensor<1x24x192x1xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<1x24x192x1xf32>
    %wp_e = tensor.empty() : tensor<1x24x192x192xf32>
    %wp = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%wex, %wsm : tensor<1x24x192x192xf32>, tensor<1x24x192x1xf32>) outs(%wp_e : tensor<1x24x192x192xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.divf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<1x24x192x192xf32>
    %pb_e = tensor.empty() : tensor<1x24x192x192xbf16>
    %pb = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%wp : tensor<1x24x192x192xf32>) outs(%pb_e : tensor<1x24x192x192xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<1x24x192x192xbf16>

    %o_l = tensor.collapse_shape %pb [[0, 1], [2], [3]] : tensor<1x24x192x192xbf16> into tensor<24x192x192xbf16>
    %o_r = tensor.collapse_shape %vr [[0, 1], [2], [3]] : tensor<1x24x192x128xbf16> into tensor<24x192x128xbf16>
    %o_a_0_e = tensor.empty() : tensor<24x192x128xf32>
    %o_a_0 = linalg.fill ins(%zf : f32) outs(%o_a_0_e : tensor<24x192x128xf32>) -> tensor<24x192x128xf32>
    %o_a = linalg.batch_matmul ins(%o_l, %o_r : tensor<24x192x192xbf16>, tensor<24x192x128xbf16>) outs(%o_a_0 : tensor<24x192x128xf32>) -> tensor<24x192x128xf32>
    %o_t_e = tensor.empty() : tensor<24x192x128xbf16>
    %o_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o_a : tensor<24x192x128xf32>) outs(%o_t_e : tensor<24x192x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<24x192x128xbf16>
    %o = tensor.expand_shape %o_t [[0, 1], [2], [3]] output_shape [1, 24, 192, 128] : tensor<24x192x128xbf16> into tensor<1x24x192x128xbf16>
    %ot_e = tensor.empty() : tensor<1x192x24x128xbf16>
    %ot = linalg.transpose ins(%o : tensor<1x24x192x128xbf16>) outs(%ot_e : tensor<1x192x24x128xbf16>) permutation = [0, 2, 1, 3]
    %om = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<1x192x24x128xbf16> into tensor<1x192x3072xbf16>
    %y_e = tensor.empty() : tensor<1x192x3072xbf16>
    %y = linalg.generic {indexing_maps = [#m3, #m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%skip, %om : tensor<1x192x3072xbf16>, tensor<1x192x3072xbf16>) outs(%y_e : tensor<1x192x3072xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %val = arith.addf %in, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<1x192x3072xbf16>
    return %y : tensor<1x192x3072xbf16>
  }
}
