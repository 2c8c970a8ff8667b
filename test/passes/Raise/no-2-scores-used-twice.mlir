// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise 2>&1 | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise 2>&1 | FileCheck %s
// CHECK: remark: not raised: expects scores and weights that nothing else reads, got another use in linalg.generic
// CHECK-NOT: fa.attention

// What:      self-attention whose scaled scores feed an auxiliary loss as well: they are read a second time, by a
//            reduction over heads that the function returns.
// Front end: Hugging Face eager attention with attention scores exported (distillation, interpretability) through
//            torch-mlir. output_attentions=True is the same case with the probabilities instead of the scores.
// Expect:    DECLINE. Remark: the scores have another use, so the product has to be materialised anyway; raising
//            would compute it twice. (Duplicating on purpose is a decision for the user, not for the pass.)

#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m4row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m4keep = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m4head = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>

module attributes {torch.debug_module_name = "WithScores"} {
  func.func @scores_used_twice(%q: tensor<1x8x64x64xf16>,
      %k: tensor<1x8x64x64xf16>,
      %v: tensor<1x8x64x64xf16>) -> (tensor<1x8x64x64xf16>, tensor<1x64x64xf32>) {
    %zf = arith.constant 0.000000e+00 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %zi = arith.constant 0 : i64
    %sc = arith.constant 1.250000e-01 : f16
    %kt_e = tensor.empty() : tensor<1x8x64x64xf16>
    %kt = linalg.transpose ins(%k : tensor<1x8x64x64xf16>) outs(%kt_e : tensor<1x8x64x64xf16>) permutation = [0, 1, 3, 2]
    %s_l = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x8x64x64xf16> into tensor<8x64x64xf16>
    %s_r = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<1x8x64x64xf16> into tensor<8x64x64xf16>
    %s_a_0_e = tensor.empty() : tensor<8x64x64xf32>
    %s_a_0 = linalg.fill ins(%zf : f32) outs(%s_a_0_e : tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %s_a = linalg.batch_matmul ins(%s_l, %s_r : tensor<8x64x64xf16>, tensor<8x64x64xf16>) outs(%s_a_0 : tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %s_t_e = tensor.empty() : tensor<8x64x64xf16>
    %s_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s_a : tensor<8x64x64xf32>) outs(%s_t_e : tensor<8x64x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<8x64x64xf16>
    %s = tensor.expand_shape %s_t [[0, 1], [2], [3]] output_shape [1, 8, 64, 64] : tensor<8x64x64xf16> into tensor<1x8x64x64xf16>
    %ss_e = tensor.empty() : tensor<1x8x64x64xf16>
    %ss = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<1x8x64x64xf16>) outs(%ss_e : tensor<1x8x64x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      %val = arith.mulf %in, %sc : f16
      linalg.yield %val : f16
    } -> tensor<1x8x64x64xf16>
    %s32_e = tensor.empty() : tensor<1x8x64x64xf32>
    %s32 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ss : tensor<1x8x64x64xf16>) outs(%s32_e : tensor<1x8x64x64xf32>) {
    ^bb0(%in: f16, %out: f32):
      %val = arith.extf %in : f16 to f32
      linalg.yield %val : f32
    } -> tensor<1x8x64x64xf32>
    %rix0_e = tensor.empty() : tensor<1x8x64xi64>
    %rix0 = linalg.fill ins(%zi : i64) outs(%rix0_e : tensor<1x8x64xi64>) -> tensor<1x8x64xi64>
    %rmx0_e = tensor.empty() : tensor<1x8x64xf32>
    %rmx0 = linalg.fill ins(%ninf : f32) outs(%rmx0_e : tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
    %rmx:2 = linalg.generic {indexing_maps = [#m4, #m4row, #m4row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s32 : tensor<1x8x64x64xf32>) outs(%rmx0, %rix0 : tensor<1x8x64xf32>, tensor<1x8x64xi64>) {
    ^bb0(%cur: f32, %best: f32, %arg: i64):
      %pos = linalg.index 3 : index
      %pos64 = arith.index_cast %pos : index to i64
      %hi = arith.maximumf %cur, %best : f32
      %gt = arith.cmpf ogt, %cur, %best : f32
      %at = arith.select %gt, %pos64, %arg : i64
      linalg.yield %hi, %at : f32, i64
    } -> (tensor<1x8x64xf32>, tensor<1x8x64xi64>)
    %rmxk = tensor.expand_shape %rmx#0 [[0], [1], [2, 3]] output_shape [1, 8, 64, 1] : tensor<1x8x64xf32> into tensor<1x8x64x1xf32>
    %rsh_e = tensor.empty() : tensor<1x8x64x64xf32>
    %rsh = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s32, %rmxk : tensor<1x8x64x64xf32>, tensor<1x8x64x1xf32>) outs(%rsh_e : tensor<1x8x64x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.subf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<1x8x64x64xf32>
    %rex_e = tensor.empty() : tensor<1x8x64x64xf32>
    %rex = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rsh : tensor<1x8x64x64xf32>) outs(%rex_e : tensor<1x8x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %val = math.exp %in : f32
      linalg.yield %val : f32
    } -> tensor<1x8x64x64xf32>
    %rsm0_e = tensor.empty() : tensor<1x8x64x1xf32>
    %rsm0 = linalg.fill ins(%zf : f32) outs(%rsm0_e : tensor<1x8x64x1xf32>) -> tensor<1x8x64x1xf32>
    %rsm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%rex : tensor<1x8x64x64xf32>) outs(%rsm0 : tensor<1x8x64x1xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<1x8x64x1xf32>
    %rp_e = tensor.empty() : tensor<1x8x64x64xf32>
    %rp = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rex, %rsm : tensor<1x8x64x64xf32>, tensor<1x8x64x1xf32>) outs(%rp_e : tensor<1x8x64x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.divf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<1x8x64x64xf32>
    %p16_e = tensor.empty() : tensor<1x8x64x64xf16>
    %p16 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rp : tensor<1x8x64x64xf32>) outs(%p16_e : tensor<1x8x64x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<1x8x64x64xf16>
    %o_l = tensor.collapse_shape %p16 [[0, 1], [2], [3]] : tensor<1x8x64x64xf16> into tensor<8x64x64xf16>
    %o_r = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<1x8x64x64xf16> into tensor<8x64x64xf16>
    %o_a_0_e = tensor.empty() : tensor<8x64x64xf32>
    %o_a_0 = linalg.fill ins(%zf : f32) outs(%o_a_0_e : tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %o_a = linalg.batch_matmul ins(%o_l, %o_r : tensor<8x64x64xf16>, tensor<8x64x64xf16>) outs(%o_a_0 : tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %o_t_e = tensor.empty() : tensor<8x64x64xf16>
    %o_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o_a : tensor<8x64x64xf32>) outs(%o_t_e : tensor<8x64x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %val = arith.truncf %in : f32 to f16
      linalg.yield %val : f16
    } -> tensor<8x64x64xf16>
    %o = tensor.expand_shape %o_t [[0, 1], [2], [3]] output_shape [1, 8, 64, 64] : tensor<8x64x64xf16> into tensor<1x8x64x64xf16>

    // mean score over heads, up to a factor
    %h0_e = tensor.empty() : tensor<1x64x64xf32>
    %h0 = linalg.fill ins(%zf : f32) outs(%h0_e : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %hs = linalg.generic {indexing_maps = [#m4, #m4head], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%s32 : tensor<1x8x64x64xf32>) outs(%h0 : tensor<1x64x64xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<1x64x64xf32>
    return %o, %hs : tensor<1x8x64x64xf16>, tensor<1x64x64xf32>
  }
}
