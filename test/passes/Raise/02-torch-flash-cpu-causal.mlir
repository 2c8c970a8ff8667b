// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @gpt_causal_block
// CHECK-NOT:   linalg.index
// CHECK:       fa.attention
// CHECK-SAME:    tensor<1x160x6x128xbf16>
// CHECK-SAME:    layout = #fa.layout<bshd>, mask = #fa.mask<top_left, causal>, scale = 0.0881347656 : f32}
// CHECK-NOT:   score
// CHECK-NOT:   math.exp

// What:      causal self-attention of a GPT-2 style block: one packed QKV product, scaled_dot_product_attention
//            with is_causal, bf16.
// Front end: torch.export on CPU turns the call into _scaled_dot_product_flash_attention_for_cpu; torch-mlir's
//            default decomposition table rewrites that into PyTorch's "math" path, lowered here to
//            linalg-on-tensors. Typical of it: Q and the transposed K are each multiplied by the square root
//            of the scale; the causal mask is tril() of a tensor of ones, built with linalg.index, turned into
//            0 / -inf and added; the softmax is the "safe" one, which puts 0 into rows whose scores are all
//            -inf; the result passes through the two permutes of the flash operator.
// Expect:    RAISE to one fa.attention.
//            bf16, B=1, Hq=Hkv=6, Sq=Sk=160, Dqk=Dv=128.
//            mask: causal, top_left (keeps column <= row). The added mask tensor and its construction die.
//            scale: the product of the two constants as printed, 0.296875 * 0.296875 = 0.088134765625.
//            It is not 1/sqrt(128) = 0.0883883: both factors were rounded to bf16.
//            The guard (compare with -inf, all, select 0) is folded: no row of this mask is empty, and
//            fa.attention gives 0 for empty rows anyway.
//            Layout: BSHD is reachable (the transposes to and from [1,160,6,128]); BHSD is correct too.
//            Left over: the QKV product with its slices, nothing of the attention.

#m2 = affine_map<(d0, d1) -> (d0, d1)>
#m2c = affine_map<(d0, d1) -> (d1)>
#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m4row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m4keep = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m4_23 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>

module attributes {torch.debug_module_name = "CausalBlock"} {
  func.func @gpt_causal_block(%x: tensor<1x160x768xbf16>,
      %w_qkv: tensor<768x2304xbf16>,
      %b_qkv: tensor<2304xbf16>) -> tensor<1x160x768xbf16> {
    %zf = arith.constant 0.000000e+00 : f32
    %ninf32 = arith.constant 0xFF800000 : f32
    %zi = arith.constant 0 : i64
    %zb = arith.constant 0.000000e+00 : bf16
    %ninfb = arith.constant 0xFF80 : bf16
    %ninf64 = arith.constant 0xFFF0000000000000 : f64
    %yes = arith.constant true
    %no = arith.constant false
    %quarter = arith.constant 2.968750e-01 : bf16

    %x2 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x160x768xbf16> into tensor<160x768xbf16>
    %qkv32_0_e = tensor.empty() : tensor<160x2304xf32>
    %qkv32_0 = linalg.fill ins(%zf : f32) outs(%qkv32_0_e : tensor<160x2304xf32>) -> tensor<160x2304xf32>
    %qkv32 = linalg.matmul ins(%x2, %w_qkv : tensor<160x768xbf16>, tensor<768x2304xbf16>) outs(%qkv32_0 : tensor<160x2304xf32>) -> tensor<160x2304xf32>
    %qkv16_e = tensor.empty() : tensor<160x2304xbf16>
    %qkv16 = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%qkv32 : tensor<160x2304xf32>) outs(%qkv16_e : tensor<160x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<160x2304xbf16>
    %qkvb_e = tensor.empty() : tensor<160x2304xbf16>
    %qkvb = linalg.generic {indexing_maps = [#m2, #m2c, #m2], iterator_types = ["parallel", "parallel"]} ins(%qkv16, %b_qkv : tensor<160x2304xbf16>, tensor<2304xbf16>) outs(%qkvb_e : tensor<160x2304xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %val = arith.addf %in, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<160x2304xbf16>
    %qkv = tensor.expand_shape %qkvb [[0, 1], [2]] output_shape [1, 160, 2304] : tensor<160x2304xbf16> into tensor<1x160x2304xbf16>
    %qs = tensor.extract_slice %qkv[0, 0, 0] [1, 160, 768] [1, 1, 1] : tensor<1x160x2304xbf16> to tensor<1x160x768xbf16>
    %q4 = tensor.expand_shape %qs [[0], [1], [2, 3]] output_shape [1, 160, 6, 128] : tensor<1x160x768xbf16> into tensor<1x160x6x128xbf16>
    %qh_e = tensor.empty() : tensor<1x6x160x128xbf16>
    %qh = linalg.transpose ins(%q4 : tensor<1x160x6x128xbf16>) outs(%qh_e : tensor<1x6x160x128xbf16>) permutation = [0, 2, 1, 3]
    %ks = tensor.extract_slice %qkv[0, 0, 768] [1, 160, 768] [1, 1, 1] : tensor<1x160x2304xbf16> to tensor<1x160x768xbf16>
    %k4 = tensor.expand_shape %ks [[0], [1], [2, 3]] output_shape [1, 160, 6, 128] : tensor<1x160x768xbf16> into tensor<1x160x6x128xbf16>
    %kh_e = tensor.empty() : tensor<1x6x160x128xbf16>
    %kh = linalg.transpose ins(%k4 : tensor<1x160x6x128xbf16>) outs(%kh_e : tensor<1x6x160x128xbf16>) permutation = [0, 2, 1, 3]
    %vs = tensor.extract_slice %qkv[0, 0, 1536] [1, 160, 768] [1, 1, 1] : tensor<1x160x2304xbf16> to tensor<1x160x768xbf16>
    %v4 = tensor.expand_shape %vs [[0], [1], [2, 3]] output_shape [1, 160, 6, 128] : tensor<1x160x768xbf16> into tensor<1x160x6x128xbf16>
    %vh_e = tensor.empty() : tensor<1x6x160x128xbf16>
    %vh = linalg.transpose ins(%v4 : tensor<1x160x6x128xbf16>) outs(%vh_e : tensor<1x6x160x128xbf16>) permutation = [0, 2, 1, 3]

    // lower triangle of ones
    %ones_e = tensor.empty() : tensor<160x160xi1>
    %ones = linalg.fill ins(%yes : i1) outs(%ones_e : tensor<160x160xi1>) -> tensor<160x160xi1>
    %tri_e = tensor.empty() : tensor<160x160xi1>
    %tri = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%ones : tensor<160x160xi1>) outs(%tri_e : tensor<160x160xi1>) {
    ^bb0(%in: i1, %out: i1):
      %i = linalg.index 0 : index
      %r64 = arith.index_cast %i : index to i64
      %j = linalg.index 1 : index
      %c64 = arith.index_cast %j : index to i64
      %diag = arith.addi %r64, %zi : i64
      %below = arith.cmpi sle, %c64, %diag : i64
      %val = arith.select %below, %in, %no : i1
      linalg.yield %val : i1
    } -> tensor<160x160xi1>
    %drop_e = tensor.empty() : tensor<160x160xi1>
    %drop = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%tri : tensor<160x160xi1>) outs(%drop_e : tensor<160x160xi1>) {
    ^bb0(%in: i1, %out: i1):
      %val = arith.xori %in, %yes : i1
      linalg.yield %val : i1
    } -> tensor<160x160xi1>
    %madd_e = tensor.empty() : tensor<160x160xbf16>
    %madd = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]} ins(%drop : tensor<160x160xi1>) outs(%madd_e : tensor<160x160xbf16>) {
    ^bb0(%in: i1, %out: bf16):
      %val = arith.select %in, %ninfb, %zb : bf16
      linalg.yield %val : bf16
    } -> tensor<160x160xbf16>

    // scores from pre-scaled operands
    %qsc_e = tensor.empty() : tensor<1x6x160x128xbf16>
    %qsc = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%qh : tensor<1x6x160x128xbf16>) outs(%qsc_e : tensor<1x6x160x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %val = arith.mulf %in, %quarter : bf16
      linalg.yield %val : bf16
    } -> tensor<1x6x160x128xbf16>
    %kt_e = tensor.empty() : tensor<1x6x128x160xbf16>
    %kt = linalg.transpose ins(%kh : tensor<1x6x160x128xbf16>) outs(%kt_e : tensor<1x6x128x160xbf16>) permutation = [0, 1, 3, 2]
    %ksc_e = tensor.empty() : tensor<1x6x128x160xbf16>
    %ksc = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%kt : tensor<1x6x128x160xbf16>) outs(%ksc_e : tensor<1x6x128x160xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %val = arith.mulf %in, %quarter : bf16
      linalg.yield %val : bf16
    } -> tensor<1x6x128x160xbf16>
    %s_l = tensor.collapse_shape %qsc [[0, 1], [2], [3]] : tensor<1x6x160x128xbf16> into tensor<6x160x128xbf16>
    %s_r = tensor.collapse_shape %ksc [[0, 1], [2], [3]] : tensor<1x6x128x160xbf16> into tensor<6x128x160xbf16>
    %s_a_0_e = tensor.empty() : tensor<6x160x160xf32>
    %s_a_0 = linalg.fill ins(%zf : f32) outs(%s_a_0_e : tensor<6x160x160xf32>) -> tensor<6x160x160xf32>
    %s_a = linalg.batch_matmul ins(%s_l, %s_r : tensor<6x160x128xbf16>, tensor<6x128x160xbf16>) outs(%s_a_0 : tensor<6x160x160xf32>) -> tensor<6x160x160xf32>
    %s_t_e = tensor.empty() : tensor<6x160x160xbf16>
    %s_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s_a : tensor<6x160x160xf32>) outs(%s_t_e : tensor<6x160x160xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<6x160x160xbf16>
    %s = tensor.expand_shape %s_t [[0, 1], [2], [3]] output_shape [1, 6, 160, 160] : tensor<6x160x160xbf16> into tensor<1x6x160x160xbf16>
    %sm_e = tensor.empty() : tensor<1x6x160x160xbf16>
    %sm = linalg.generic {indexing_maps = [#m4, #m4_23, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %madd : tensor<1x6x160x160xbf16>, tensor<160x160xbf16>) outs(%sm_e : tensor<1x6x160x160xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %val = arith.addf %in, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<1x6x160x160xbf16>

    // safe softmax
    %s32_e = tensor.empty() : tensor<1x6x160x160xf32>
    %s32 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sm : tensor<1x6x160x160xbf16>) outs(%s32_e : tensor<1x6x160x160xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %val = arith.extf %in : bf16 to f32
      linalg.yield %val : f32
    } -> tensor<1x6x160x160xf32>
    %tix0_e = tensor.empty() : tensor<1x6x160xi64>
    %tix0 = linalg.fill ins(%zi : i64) outs(%tix0_e : tensor<1x6x160xi64>) -> tensor<1x6x160xi64>
    %tmx0_e = tensor.empty() : tensor<1x6x160xf32>
    %tmx0 = linalg.fill ins(%ninf32 : f32) outs(%tmx0_e : tensor<1x6x160xf32>) -> tensor<1x6x160xf32>
    %tmx:2 = linalg.generic {indexing_maps = [#m4, #m4row, #m4row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s32 : tensor<1x6x160x160xf32>) outs(%tmx0, %tix0 : tensor<1x6x160xf32>, tensor<1x6x160xi64>) {
    ^bb0(%cur: f32, %best: f32, %arg: i64):
      %pos = linalg.index 3 : index
      %pos64 = arith.index_cast %pos : index to i64
      %hi = arith.maximumf %cur, %best : f32
      %gt = arith.cmpf ogt, %cur, %best : f32
      %at = arith.select %gt, %pos64, %arg : i64
      linalg.yield %hi, %at : f32, i64
    } -> (tensor<1x6x160xf32>, tensor<1x6x160xi64>)
    %tmxk = tensor.expand_shape %tmx#0 [[0], [1], [2, 3]] output_shape [1, 6, 160, 1] : tensor<1x6x160xf32> into tensor<1x6x160x1xf32>
    %tsh_e = tensor.empty() : tensor<1x6x160x160xf32>
    %tsh = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s32, %tmxk : tensor<1x6x160x160xf32>, tensor<1x6x160x1xf32>) outs(%tsh_e : tensor<1x6x160x160xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.subf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<1x6x160x160xf32>
    %tex_e = tensor.empty() : tensor<1x6x160x160xf32>
    %tex = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%tsh : tensor<1x6x160x160xf32>) outs(%tex_e : tensor<1x6x160x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %val = math.exp %in : f32
      linalg.yield %val : f32
    } -> tensor<1x6x160x160xf32>
    %tsm0_e = tensor.empty() : tensor<1x6x160x1xf32>
    %tsm0 = linalg.fill ins(%zf : f32) outs(%tsm0_e : tensor<1x6x160x1xf32>) -> tensor<1x6x160x1xf32>
    %tsm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%tex : tensor<1x6x160x160xf32>) outs(%tsm0 : tensor<1x6x160x1xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<1x6x160x1xf32>
    %tp_e = tensor.empty() : tensor<1x6x160x160xf32>
    %tp = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%tex, %tsm : tensor<1x6x160x160xf32>, tensor<1x6x160x1xf32>) outs(%tp_e : tensor<1x6x160x160xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.divf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<1x6x160x160xf32>
    %pb_e = tensor.empty() : tensor<1x6x160x160xbf16>
    %pb = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%tp : tensor<1x6x160x160xf32>) outs(%pb_e : tensor<1x6x160x160xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<1x6x160x160xbf16>
    %isninf_e = tensor.empty() : tensor<1x6x160x160xi1>
    %isninf = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sm : tensor<1x6x160x160xbf16>) outs(%isninf_e : tensor<1x6x160x160xi1>) {
    ^bb0(%in: bf16, %out: i1):
      %in_3 = arith.extf %in : bf16 to f64
      %val = arith.cmpf oeq, %in_3, %ninf64 : f64
      linalg.yield %val : i1
    } -> tensor<1x6x160x160xi1>
    %all0_e = tensor.empty() : tensor<1x6x160x1xi1>
    %all0 = linalg.fill ins(%yes : i1) outs(%all0_e : tensor<1x6x160x1xi1>) -> tensor<1x6x160x1xi1>
    %allm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%isninf : tensor<1x6x160x160xi1>) outs(%all0 : tensor<1x6x160x1xi1>) {
    ^bb0(%cur: i1, %acc: i1):
      %val = arith.andi %cur, %acc : i1
      linalg.yield %val : i1
    } -> tensor<1x6x160x1xi1>
    %pg_e = tensor.empty() : tensor<1x6x160x160xbf16>
    %pg = linalg.generic {indexing_maps = [#m4keep, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%allm, %pb : tensor<1x6x160x1xi1>, tensor<1x6x160x160xbf16>) outs(%pg_e : tensor<1x6x160x160xbf16>) {
    ^bb0(%in: i1, %in_1: bf16, %out: bf16):
      %val = arith.select %in, %zb, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<1x6x160x160xbf16>

    // values, then the permutes of the flash operator and of the model
    %o_l = tensor.collapse_shape %pg [[0, 1], [2], [3]] : tensor<1x6x160x160xbf16> into tensor<6x160x160xbf16>
    %o_r = tensor.collapse_shape %vh [[0, 1], [2], [3]] : tensor<1x6x160x128xbf16> into tensor<6x160x128xbf16>
    %o_a_0_e = tensor.empty() : tensor<6x160x128xf32>
    %o_a_0 = linalg.fill ins(%zf : f32) outs(%o_a_0_e : tensor<6x160x128xf32>) -> tensor<6x160x128xf32>
    %o_a = linalg.batch_matmul ins(%o_l, %o_r : tensor<6x160x160xbf16>, tensor<6x160x128xbf16>) outs(%o_a_0 : tensor<6x160x128xf32>) -> tensor<6x160x128xf32>
    %o_t_e = tensor.empty() : tensor<6x160x128xbf16>
    %o_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o_a : tensor<6x160x128xf32>) outs(%o_t_e : tensor<6x160x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<6x160x128xbf16>
    %o = tensor.expand_shape %o_t [[0, 1], [2], [3]] output_shape [1, 6, 160, 128] : tensor<6x160x128xbf16> into tensor<1x6x160x128xbf16>
    %o1_e = tensor.empty() : tensor<160x1x6x128xbf16>
    %o1 = linalg.transpose ins(%o : tensor<1x6x160x128xbf16>) outs(%o1_e : tensor<160x1x6x128xbf16>) permutation = [2, 0, 1, 3]
    %o2_e = tensor.empty() : tensor<1x6x160x128xbf16>
    %o2 = linalg.transpose ins(%o1 : tensor<160x1x6x128xbf16>) outs(%o2_e : tensor<1x6x160x128xbf16>) permutation = [1, 2, 0, 3]
    %o3_e = tensor.empty() : tensor<1x160x6x128xbf16>
    %o3 = linalg.transpose ins(%o2 : tensor<1x6x160x128xbf16>) outs(%o3_e : tensor<1x160x6x128xbf16>) permutation = [0, 2, 1, 3]
    %om = tensor.collapse_shape %o3 [[0], [1], [2, 3]] : tensor<1x160x6x128xbf16> into tensor<1x160x768xbf16>
    %y_e = tensor.empty() : tensor<1x160x768xbf16>
    %y = linalg.generic {indexing_maps = [#m3, #m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%om, %x : tensor<1x160x768xbf16>, tensor<1x160x768xbf16>) outs(%y_e : tensor<1x160x768xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %val = arith.addf %in, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<1x160x768xbf16>
    return %y : tensor<1x160x768xbf16>
  }
}
