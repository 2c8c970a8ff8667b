// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @bert_padded
// CHECK:       arith.subf
// CHECK:       arith.mulf
// CHECK:       fa.attention
// CHECK-SAME:    tensor<4x128x12x64xbf16>
// CHECK-SAME:    layout = #fa.layout<bshd>, scale = 1.250000e-01 : f32} score
// CHECK:       ^bb0(%[[S:.*]]: f32, %[[B:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[J:.*]]: index):
// CHECK:         tensor.extract %{{.*}}[%[[B]], %{{.*}}, %{{.*}}, %[[J]]] : tensor<4x1x1x128xbf16>
// CHECK-NOT:   math.exp

// What:      bidirectional self-attention of a BERT encoder with a padding mask of shape [B,1,1,Sk], bf16.
// Front end: Hugging Face BERT (eager) through torch-mlir, linalg-on-tensors. Typical of it: scores are divided
//            by sqrt(64), not multiplied; the integer attention mask becomes (1 - mask) * lowest finite bf16
//            and is added by broadcasting over heads and rows; softmax accumulates in f32.
// Expect:    RAISE to one fa.attention.
//            bf16, B=4, Hq=Hkv=12, Sq=Sk=128, Dqk=Dv=64, scale 0.125 (division by 8).
//            The mask stays a bias: score region s + bias[b, 0, 0, j], reading the [4,1,1,128] tensor. It must
//            not become a mask region or a length: the fill is finite and the mask is data, so a sequence that is
//            padding throughout averages V here, and in f32 with the bias too, while masked positions would give 0.
//            Left over: the three elementwise operations that make the bias.

#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m4row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m4keep = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m4pad = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>

module attributes {torch.debug_module_name = "EncoderSelfAttention"} {
  func.func @bert_padded(%q: tensor<4x128x768xbf16>,
      %k: tensor<4x128x768xbf16>,
      %v: tensor<4x128x768xbf16>,
      %attention_mask: tensor<4x128xi64>) -> tensor<4x128x768xbf16> {
    %zf = arith.constant 0.000000e+00 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %zi = arith.constant 0 : i64
    %one = arith.constant 1.000000e+00 : bf16
    %lowest = arith.constant -3.389530e+38 : bf16
    %root = arith.constant 8.000000e+00 : bf16

    %m4d = tensor.expand_shape %attention_mask [[0, 1, 2], [3]] output_shape [4, 1, 1, 128] : tensor<4x128xi64> into tensor<4x1x1x128xi64>
    %mf_e = tensor.empty() : tensor<4x1x1x128xbf16>
    %mf = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%m4d : tensor<4x1x1x128xi64>) outs(%mf_e : tensor<4x1x1x128xbf16>) {
    ^bb0(%in: i64, %out: bf16):
      %val = arith.sitofp %in : i64 to bf16
      linalg.yield %val : bf16
    } -> tensor<4x1x1x128xbf16>
    %inv_e = tensor.empty() : tensor<4x1x1x128xbf16>
    %inv = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%mf : tensor<4x1x1x128xbf16>) outs(%inv_e : tensor<4x1x1x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %val = arith.subf %one, %in : bf16
      linalg.yield %val : bf16
    } -> tensor<4x1x1x128xbf16>
    %bias_e = tensor.empty() : tensor<4x1x1x128xbf16>
    %bias = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inv : tensor<4x1x1x128xbf16>) outs(%bias_e : tensor<4x1x1x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %val = arith.mulf %in, %lowest : bf16
      linalg.yield %val : bf16
    } -> tensor<4x1x1x128xbf16>

    %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [4, 128, 12, 64] : tensor<4x128x768xbf16> into tensor<4x128x12x64xbf16>
    %qh_e = tensor.empty() : tensor<4x12x128x64xbf16>
    %qh = linalg.transpose ins(%q4 : tensor<4x128x12x64xbf16>) outs(%qh_e : tensor<4x12x128x64xbf16>) permutation = [0, 2, 1, 3]
    %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [4, 128, 12, 64] : tensor<4x128x768xbf16> into tensor<4x128x12x64xbf16>
    %kh_e = tensor.empty() : tensor<4x12x128x64xbf16>
    %kh = linalg.transpose ins(%k4 : tensor<4x128x12x64xbf16>) outs(%kh_e : tensor<4x12x128x64xbf16>) permutation = [0, 2, 1, 3]
    %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [4, 128, 12, 64] : tensor<4x128x768xbf16> into tensor<4x128x12x64xbf16>
    %vh_e = tensor.empty() : tensor<4x12x128x64xbf16>
    %vh = linalg.transpose ins(%v4 : tensor<4x128x12x64xbf16>) outs(%vh_e : tensor<4x12x128x64xbf16>) permutation = [0, 2, 1, 3]
    %kt_e = tensor.empty() : tensor<4x12x64x128xbf16>
    %kt = linalg.transpose ins(%kh : tensor<4x12x128x64xbf16>) outs(%kt_e : tensor<4x12x64x128xbf16>) permutation = [0, 1, 3, 2]
    %s_l = tensor.collapse_shape %qh [[0, 1], [2], [3]] : tensor<4x12x128x64xbf16> into tensor<48x128x64xbf16>
    %s_r = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<4x12x64x128xbf16> into tensor<48x64x128xbf16>
    %s_a_0_e = tensor.empty() : tensor<48x128x128xf32>
    %s_a_0 = linalg.fill ins(%zf : f32) outs(%s_a_0_e : tensor<48x128x128xf32>) -> tensor<48x128x128xf32>
    %s_a = linalg.batch_matmul ins(%s_l, %s_r : tensor<48x128x64xbf16>, tensor<48x64x128xbf16>) outs(%s_a_0 : tensor<48x128x128xf32>) -> tensor<48x128x128xf32>
    %s_t_e = tensor.empty() : tensor<48x128x128xbf16>
    %s_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s_a : tensor<48x128x128xf32>) outs(%s_t_e : tensor<48x128x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<48x128x128xbf16>
    %s = tensor.expand_shape %s_t [[0, 1], [2], [3]] output_shape [4, 12, 128, 128] : tensor<48x128x128xbf16> into tensor<4x12x128x128xbf16>
    %sd_e = tensor.empty() : tensor<4x12x128x128xbf16>
    %sd = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<4x12x128x128xbf16>) outs(%sd_e : tensor<4x12x128x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %val = arith.divf %in, %root : bf16
      linalg.yield %val : bf16
    } -> tensor<4x12x128x128xbf16>
    %sb_e = tensor.empty() : tensor<4x12x128x128xbf16>
    %sb = linalg.generic {indexing_maps = [#m4, #m4pad, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sd, %bias : tensor<4x12x128x128xbf16>, tensor<4x1x1x128xbf16>) outs(%sb_e : tensor<4x12x128x128xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %val = arith.addf %in, %in_1 : bf16
      linalg.yield %val : bf16
    } -> tensor<4x12x128x128xbf16>

    %s32_e = tensor.empty() : tensor<4x12x128x128xf32>
    %s32 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sb : tensor<4x12x128x128xbf16>) outs(%s32_e : tensor<4x12x128x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %val = arith.extf %in : bf16 to f32
      linalg.yield %val : f32
    } -> tensor<4x12x128x128xf32>
    %nix0_e = tensor.empty() : tensor<4x12x128xi64>
    %nix0 = linalg.fill ins(%zi : i64) outs(%nix0_e : tensor<4x12x128xi64>) -> tensor<4x12x128xi64>
    %nmx0_e = tensor.empty() : tensor<4x12x128xf32>
    %nmx0 = linalg.fill ins(%ninf : f32) outs(%nmx0_e : tensor<4x12x128xf32>) -> tensor<4x12x128xf32>
    %nmx:2 = linalg.generic {indexing_maps = [#m4, #m4row, #m4row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s32 : tensor<4x12x128x128xf32>) outs(%nmx0, %nix0 : tensor<4x12x128xf32>, tensor<4x12x128xi64>) {
    ^bb0(%cur: f32, %best: f32, %arg: i64):
      %pos = linalg.index 3 : index
      %pos64 = arith.index_cast %pos : index to i64
      %hi = arith.maximumf %cur, %best : f32
      %gt = arith.cmpf ogt, %cur, %best : f32
      %at = arith.select %gt, %pos64, %arg : i64
      linalg.yield %hi, %at : f32, i64
    } -> (tensor<4x12x128xf32>, tensor<4x12x128xi64>)
    %nmxk = tensor.expand_shape %nmx#0 [[0], [1], [2, 3]] output_shape [4, 12, 128, 1] : tensor<4x12x128xf32> into tensor<4x12x128x1xf32>
    %nsh_e = tensor.empty() : tensor<4x12x128x128xf32>
    %nsh = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s32, %nmxk : tensor<4x12x128x128xf32>, tensor<4x12x128x1xf32>) outs(%nsh_e : tensor<4x12x128x128xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.subf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<4x12x128x128xf32>
    %nex_e = tensor.empty() : tensor<4x12x128x128xf32>
    %nex = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%nsh : tensor<4x12x128x128xf32>) outs(%nex_e : tensor<4x12x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %val = math.exp %in : f32
      linalg.yield %val : f32
    } -> tensor<4x12x128x128xf32>
    %nsm0_e = tensor.empty() : tensor<4x12x128x1xf32>
    %nsm0 = linalg.fill ins(%zf : f32) outs(%nsm0_e : tensor<4x12x128x1xf32>) -> tensor<4x12x128x1xf32>
    %nsm = linalg.generic {indexing_maps = [#m4, #m4keep], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%nex : tensor<4x12x128x128xf32>) outs(%nsm0 : tensor<4x12x128x1xf32>) {
    ^bb0(%cur: f32, %acc: f32):
      %val = arith.addf %cur, %acc : f32
      linalg.yield %val : f32
    } -> tensor<4x12x128x1xf32>
    %np_e = tensor.empty() : tensor<4x12x128x128xf32>
    %np = linalg.generic {indexing_maps = [#m4, #m4keep, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%nex, %nsm : tensor<4x12x128x128xf32>, tensor<4x12x128x1xf32>) outs(%np_e : tensor<4x12x128x128xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %val = arith.divf %in, %in_1 : f32
      linalg.yield %val : f32
    } -> tensor<4x12x128x128xf32>
    %p16_e = tensor.empty() : tensor<4x12x128x128xbf16>
    %p16 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%np : tensor<4x12x128x128xf32>) outs(%p16_e : tensor<4x12x128x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<4x12x128x128xbf16>
    %o_l = tensor.collapse_shape %p16 [[0, 1], [2], [3]] : tensor<4x12x128x128xbf16> into tensor<48x128x128xbf16>
    %o_r = tensor.collapse_shape %vh [[0, 1], [2], [3]] : tensor<4x12x128x64xbf16> into tensor<48x128x64xbf16>
    %o_a_0_e = tensor.empty() : tensor<48x128x64xf32>
    %o_a_0 = linalg.fill ins(%zf : f32) outs(%o_a_0_e : tensor<48x128x64xf32>) -> tensor<48x128x64xf32>
    %o_a = linalg.batch_matmul ins(%o_l, %o_r : tensor<48x128x128xbf16>, tensor<48x128x64xbf16>) outs(%o_a_0 : tensor<48x128x64xf32>) -> tensor<48x128x64xf32>
    %o_t_e = tensor.empty() : tensor<48x128x64xbf16>
    %o_t = linalg.generic {indexing_maps = [#m3, #m3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o_a : tensor<48x128x64xf32>) outs(%o_t_e : tensor<48x128x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %val = arith.truncf %in : f32 to bf16
      linalg.yield %val : bf16
    } -> tensor<48x128x64xbf16>
    %o = tensor.expand_shape %o_t [[0, 1], [2], [3]] output_shape [4, 12, 128, 64] : tensor<48x128x64xbf16> into tensor<4x12x128x64xbf16>
    %ot_e = tensor.empty() : tensor<4x128x12x64xbf16>
    %ot = linalg.transpose ins(%o : tensor<4x12x128x64xbf16>) outs(%ot_e : tensor<4x128x12x64xbf16>) permutation = [0, 2, 1, 3]
    %y = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<4x128x12x64xbf16> into tensor<4x128x768xbf16>
    return %y : tensor<4x128x768xbf16>
  }
}
