// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @vit_self_attention
// CHECK-NOT:   math.exp
// CHECK:       fa.attention
// CHECK-SAME:    tensor<2x197x12x64xf16>, tensor<2x197x12x64xf16>, tensor<2x197x12x64xf16>
// CHECK-SAME:    layout = #fa.layout<bshd>, scale = 1.250000e-01 : f32}
// CHECK-NOT:   math.exp

// What:      plain multi-head self-attention of a vision transformer block (197 tokens), with its
//            projections and the residual add. f16; the softmax runs in f32.
// Front end: PyTorch eager attention (matmul, scale, softmax(dtype=float32), matmul) exported through
//            torch-mlir's linalg-on-tensors backend. Typical of it: f16 products accumulate into an f32
//            batch_matmul and are truncated afterwards; the row maximum is a two-result generic whose
//            index result nobody reads; the maximum comes back through expand_shape, the sum through a
//            map that ends in 0.
// Expect:    RAISE to one fa.attention.
//            f16, B=2, Hq=Hkv=12, Sq=Sk=197, Dqk=Dv=64, scale 0.125 (multiplied after the product).
//            No mask, no bias, LSE unused.
//            Layout: Q, K, V come from [2,197,12,64] by transpose [0,2,1,3] and the result goes back the
//            same way, so BSHD without the four transposes is the better raising; BHSD with the
//            transposes left in place is correct too. The transpose of K disappears either way.
//            Left over: projections, bias add, residual add.

#m2 = affine_map<(d0, d1) -> (d0, d1)>
#m2c = affine_map<(d0, d1) -> (d1)>
#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m4row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m4keep = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>

module attributes {torch.debug_module_name = "VitBlock"} {
  func.func @vit_self_attention(%tokens: tensor<2x197x768xf16>,
      %wq: tensor<768x768xf16>,
      %bq: tensor<768xf16>,
      %wk: tensor<768x768xf16>,
      %wv: tensor<768x768xf16>,
      %wo: tensor<768x768xf16>) -> tensor<2x197x768xf16> {
    %c0 = arith.constant 0.000000e+00 : f32
    %cninf = arith.constant 0xFF800000 : f32
    %c0i = arith.constant 0 : i64
    %cscale = arith.constant 1.250000e-01 : f16

    // projections
    %flat = tensor.collapse_shape %tokens [[0, 1], [2]] : tensor<2x197x768xf16> into tensor<394x768xf16>
    %qw_e = tensor.empty() : tensor<768x768xf16>
    %qw = linalg.transpose ins(%wq : tensor<768x768xf16>) outs(%qw_e : tensor<768x768xf16>) permutation = [1, 0]
    %qa_0_e = tensor.empty() : tensor<394x768xf32>
    %qa_0 = linalg.fill ins(%c0 : f32) outs(%qa_0_e : tensor<394x768xf32>) -> tensor<394x768xf32>
    %qa = linalg.matmul ins(%flat, %qw : tensor<394x768xf16>, tensor<768x768xf16>) outs(%qa_0 : tensor<394x768xf32>) -> tensor<394x768xf32>
    %qt_e = tensor.empty() : tensor<394x768xf16>
    %qt = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%qa : tensor<394x768xf32>) outs(%qt_e : tensor<394x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<394x768xf16>
    %qb_e = tensor.empty() : tensor<394x768xf16>
    %qb = linalg.generic {indexing_maps = [#m2, #m2c, #m2], iterator_types = ["parallel", "parallel"]} ins(%qt, %bq : tensor<394x768xf16>, tensor<768xf16>) outs(%qb_e : tensor<394x768xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %val = arith.addf %in, %in_1 : f16
      linalg.yield %val : f16
    } -> tensor<394x768xf16>
    %kw_e = tensor.empty() : tensor<768x768xf16>
    %kw = linalg.transpose ins(%wk : tensor<768x768xf16>) outs(%kw_e : tensor<768x768xf16>) permutation = [1, 0]
    %ka_0_e = tensor.empty() : tensor<394x768xf32>
    %ka_0 = linalg.fill ins(%c0 : f32) outs(%ka_0_e : tensor<394x768xf32>) -> tensor<394x768xf32>
    %ka = linalg.matmul ins(%flat, %kw : tensor<394x768xf16>, tensor<768x768xf16>) outs(%ka_0 : tensor<394x768xf32>) -> tensor<394x768xf32>
    %kt_e = tensor.empty() : tensor<394x768xf16>
    %kt = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%ka : tensor<394x768xf32>) outs(%kt_e : tensor<394x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<394x768xf16>
    %vw_e = tensor.empty() : tensor<768x768xf16>
    %vw = linalg.transpose ins(%wv : tensor<768x768xf16>) outs(%vw_e : tensor<768x768xf16>) permutation = [1, 0]
    %va_0_e = tensor.empty() : tensor<394x768xf32>
    %va_0 = linalg.fill ins(%c0 : f32) outs(%va_0_e : tensor<394x768xf32>) -> tensor<394x768xf32>
    %va = linalg.matmul ins(%flat, %vw : tensor<394x768xf16>, tensor<768x768xf16>) outs(%va_0 : tensor<394x768xf32>) -> tensor<394x768xf32>
    %vt_e = tensor.empty() : tensor<394x768xf16>
    %vt = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%va : tensor<394x768xf32>) outs(%vt_e : tensor<394x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<394x768xf16>
    %q3 = tensor.expand_shape %qb [[0, 1], [2]] output_shape [2, 197, 768] : tensor<394x768xf16> into tensor<2x197x768xf16>
    %q4 = tensor.expand_shape %q3 [[0], [1], [2, 3]] output_shape [2, 197, 12, 64] : tensor<2x197x768xf16> into tensor<2x197x12x64xf16>
    %qh_e = tensor.empty() : tensor<2x12x197x64xf16>
    %qh = linalg.transpose ins(%q4 : tensor<2x197x12x64xf16>) outs(%qh_e : tensor<2x12x197x64xf16>) permutation = [0, 2, 1, 3]
    %k3 = tensor.expand_shape %kt [[0, 1], [2]] output_shape [2, 197, 768] : tensor<394x768xf16> into tensor<2x197x768xf16>
    %k4 = tensor.expand_shape %k3 [[0], [1], [2, 3]] output_shape [2, 197, 12, 64] : tensor<2x197x768xf16> into tensor<2x197x12x64xf16>
    %kh_e = tensor.empty() : tensor<2x12x197x64xf16>
    %kh = linalg.transpose ins(%k4 : tensor<2x197x12x64xf16>) outs(%kh_e : tensor<2x12x197x64xf16>) permutation = [0, 2, 1, 3]
    %v3 = tensor.expand_shape %vt [[0, 1], [2]] output_shape [2, 197, 768] : tensor<394x768xf16> into tensor<2x197x768xf16>
    %v4 = tensor.expand_shape %v3 [[0], [1], [2, 3]] output_shape [2, 197, 12, 64] : tensor<2x197x768xf16> into tensor<2x197x12x64xf16>
    %vh_e = tensor.empty() : tensor<2x12x197x64xf16>
    %vh = linalg.transpose ins(%v4 : tensor<2x197x12x64xf16>) outs(%vh_e : tensor<2x12x197x64xf16>) permutation = [0, 2, 1, 3]

    // scores
    %kht_e = tensor.empty() : tensor<2x12x64x197xf16>
    %kht = linalg.transpose ins(%kh : tensor<2x12x197x64xf16>) outs(%kht_e : tensor<2x12x64x197xf16>) permutation = [0, 1, 3, 2]
    %s_l = tensor.collapse_shape %qh [[0, 1], [2], [3]] : tensor<2x12x197x64xf16> into tensor<24x197x64xf16>
    %s_r = tensor.collapse_shape %kht [[0, 1], [2], [3]] : tensor<2x12x64x197xf16> into tensor<24x64x197xf16>
    %s_a_0_e = tensor.empty() : tensor<24x197x197xf32>
    %s_a_0 = linalg.fill ins(%c0 : f32) outs(%s_a_0_e : tensor<24x197x197xf32>) -> tensor<24x197x197xf32>
    %s_a = linalg.batch_matmul ins(%s_l, %s_r : tensor<24x197x64xf16>, tensor<24x64x197xf16>) outs(%s_a_0 : tensor<24x197x197xf32>) -> tensor<24x197x197xf32>
    %s_t_e = tensor.empty() : tensor<24x197x197xf16>
    %s_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s_a : tensor<24x197x197xf32>) outs(%s_t_e : tensor<24x197x197xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<24x197x197xf16>
    %s = tensor.expand_shape %s_t [[0, 1], [2], [3]] output_shape [2, 12, 197, 197] : tensor<24x197x197xf16> into tensor<2x12x197x197xf16>
    %ss_e = tensor.empty() : tensor<2x12x197x197xf16>
    %ss = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x12x197x197xf16>) outs(%ss_e : tensor<2x12x197x197xf16>) {
    ^bb0(%in: f16, %out: f16):
      %val = arith.mulf %in, %cscale : f16
      linalg.yield %val : f16
    } -> tensor<2x12x197x197xf16>

    // softmax in f32
    %s32_e = tensor.empty() : tensor<2x12x197x197xf32>
    %s32 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ss : tensor<2x12x197x197xf16>) outs(%s32_e : tensor<2x12x197x197xf32>) {
    ^bb0(%in: f16, %out: f32):
      %val = arith.extf %in : f16 to f32
      linalg.yield %val : f32
    } -> tensor<2x12x197x197xf32>
    %rix0_e = tensor.empty() : tensor<2x12x197xi64>
    %rix0 = linalg.fill ins(%c0i : i64) outs(%rix0_e : tensor<2x12x197xi64>) -> tensor<2x12x197xi64>
    %rmx0_e = tensor.empty() : tensor<2x12x197xf32>
    %rmx0 = linalg.fill ins(%cninf : f32) outs(%rmx0_e : tensor<2x12x197xf32>) -> tensor<2x12x197xf32>
    %rmx:2 = linalg.generic {indexing_maps = [#m4, #m4row, #m4row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s32 : tensor<2x12x197x197xf32>) outs(%rmx0, %rix0 : tensor<2x12x197xf32>, tensor<2x12x197xi64>) {
    ^bb0(%cur: f32, %best: f32, %arg: i64):
      %pos = linalg.index 3 : index
      %pos64 = arith.index_cast %pos : index to i64
      %hi = arith.maximumf %cur, %best : f32
      %gt = arith.cmpf ogt, %cur, %best : f32
      %at = arith.select %gt, %pos64, %arg : i64
      linalg.yield %hi, %at : f32, i64
    } -> (tensor<2x12x197xf32>, tensor<2x12x197xi64>)
    %rmxk = tensor.expand_shape %rmx#0 [[0], [1], [2, 3]] output_shape [2, 12, 197, 1] : tensor<2x12x197xf32> into tensor<2x12x197x1xf32>
    %rsh_e = tensor.empty() : tensor<2x12x197x197xf32>
    %rsh = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s32, %rmxk : tensor<2x12x197x197xf32>, tensor<2x12x197x1xf32>) outs(%rsh_e : tensor<2x12x197x197xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.subf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<2x12x197x197xf32>
    %rex_e = tensor.empty() : tensor<2x12x197x197xf32>
    %rex = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rsh : tensor<2x12x197x197xf32>) outs(%rex_e : tensor<2x12x197x197xf32>) {
    ^bb0(%in: f32, %out: f32):
      %val = math.exp %in : f32
      linalg.yield %val : f32
    } -> tensor<2x12x197x197xf32>
    %rsm0_e = tensor.empty() : tensor<2x12x197x1xf32>
    %rsm0 = linalg.fill ins(%c0 : f32) outs(%rsm0_e : tensor<2x12x197x1xf32>) -> tensor<2x12x197x1xf32>
    %rsm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%rex : tensor<2x12x197x197xf32>) outs(%rsm0 : tensor<2x12x197x1xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<2x12x197x1xf32>
    %rp_e = tensor.empty() : tensor<2x12x197x197xf32>
    %rp = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rex, %rsm : tensor<2x12x197x197xf32>, tensor<2x12x197x1xf32>) outs(%rp_e : tensor<2x12x197x197xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.divf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<2x12x197x197xf32>
    %p16_e = tensor.empty() : tensor<2x12x197x197xf16>
    %p16 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rp : tensor<2x12x197x197xf32>) outs(%p16_e : tensor<2x12x197x197xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<2x12x197x197xf16>

    // weighted values, merge heads, output projection, residual
    %o_l = tensor.collapse_shape %p16 [[0, 1], [2], [3]] : tensor<2x12x197x197xf16> into tensor<24x197x197xf16>
    %o_r = tensor.collapse_shape %vh [[0, 1], [2], [3]] : tensor<2x12x197x64xf16> into tensor<24x197x64xf16>
    %o_a_0_e = tensor.empty() : tensor<24x197x64xf32>
    %o_a_0 = linalg.fill ins(%c0 : f32) outs(%o_a_0_e : tensor<24x197x64xf32>) -> tensor<24x197x64xf32>
    %o_a = linalg.batch_matmul ins(%o_l, %o_r : tensor<24x197x197xf16>, tensor<24x197x64xf16>) outs(%o_a_0 : tensor<24x197x64xf32>) -> tensor<24x197x64xf32>
    %o_t_e = tensor.empty() : tensor<24x197x64xf16>
    %o_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o_a : tensor<24x197x64xf32>) outs(%o_t_e : tensor<24x197x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<24x197x64xf16>
    %o = tensor.expand_shape %o_t [[0, 1], [2], [3]] output_shape [2, 12, 197, 64] : tensor<24x197x64xf16> into tensor<2x12x197x64xf16>
    %ob_e = tensor.empty() : tensor<2x197x12x64xf16>
    %ob = linalg.transpose ins(%o : tensor<2x12x197x64xf16>) outs(%ob_e : tensor<2x197x12x64xf16>) permutation = [0, 2, 1, 3]
    %om = tensor.collapse_shape %ob [[0], [1], [2, 3]] : tensor<2x197x12x64xf16> into tensor<2x197x768xf16>
    %of = tensor.collapse_shape %om [[0, 1], [2]] : tensor<2x197x768xf16> into tensor<394x768xf16>
    %yw_e = tensor.empty() : tensor<768x768xf16>
    %yw = linalg.transpose ins(%wo : tensor<768x768xf16>) outs(%yw_e : tensor<768x768xf16>) permutation = [1, 0]
    %ya_0_e = tensor.empty() : tensor<394x768xf32>
    %ya_0 = linalg.fill ins(%c0 : f32) outs(%ya_0_e : tensor<394x768xf32>) -> tensor<394x768xf32>
    %ya = linalg.matmul ins(%of, %yw : tensor<394x768xf16>, tensor<768x768xf16>) outs(%ya_0 : tensor<394x768xf32>) -> tensor<394x768xf32>
    %yt_e = tensor.empty() : tensor<394x768xf16>
    %yt = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%ya : tensor<394x768xf32>) outs(%yt_e : tensor<394x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<394x768xf16>
    %y3 = tensor.expand_shape %yt [[0, 1], [2]] output_shape [2, 197, 768] : tensor<394x768xf16> into tensor<2x197x768xf16>
    %res_e = tensor.empty() : tensor<2x197x768xf16>
    %res = linalg.generic {indexing_maps = [#m3, #m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y3, %tokens : tensor<2x197x768xf16>, tensor<2x197x768xf16>) outs(%res_e : tensor<2x197x768xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %val = arith.addf %in, %in_1 : f16
      linalg.yield %val : f16
    } -> tensor<2x197x768xf16>
    return %res : tensor<2x197x768xf16>
  }
}
