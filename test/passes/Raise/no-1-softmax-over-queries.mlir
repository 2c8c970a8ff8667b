// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise 2>&1 | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise 2>&1 | FileCheck %s
// CHECK: remark: not raised: expects softmax along the keys: the normalised dimension is not the one that the second product contracts
// CHECK-NOT: fa.attention

// What:      slot attention: the softmax runs over the QUERIES (the slots compete for each input), not over the keys.
//            Shapes alone do not give it away: Sq = Sk = 64.
// Front end: upstream named linalg operators; the same program as ordinary attention but for the dimension of
//            linalg.softmax.
// Expect:    DECLINE. Remark: the normalised dimension is not the one that the second product contracts.

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>

module {
  func.func @slots(%q: tensor<6x64x32xf16>,
      %k: tensor<6x64x32xf16>,
      %v: tensor<6x64x32xf16>) -> tensor<6x64x32xf16> {
    %z = arith.constant 0.000000e+00 : f32
    %c = arith.constant 0.176776692 : f32
    %s_0_e = tensor.empty() : tensor<6x64x64xf32>
    %s_0 = linalg.fill ins(%z : f32) outs(%s_0_e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
    %s = linalg.batch_matmul indexing_maps = [#bmk, #bnk, #bmn] ins(%q, %k : tensor<6x64x32xf16>, tensor<6x64x32xf16>) outs(%s_0 : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
    %scale_e = tensor.empty() : tensor<6x64x64xf32>
    %scale = linalg.fill ins(%c : f32) outs(%scale_e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
    %e = tensor.empty() : tensor<6x64x64xf32>
    %ss = linalg.mul ins(%s, %scale : tensor<6x64x64xf32>, tensor<6x64x64xf32>) outs(%e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
    %p = linalg.softmax dimension(1) ins(%ss : tensor<6x64x64xf32>) outs(%e : tensor<6x64x64xf32>) -> tensor<6x64x64xf32>
    %ph = arith.truncf %p : tensor<6x64x64xf32> to tensor<6x64x64xf16>
    %o_0_e = tensor.empty() : tensor<6x64x32xf32>
    %o_0 = linalg.fill ins(%z : f32) outs(%o_0_e : tensor<6x64x32xf32>) -> tensor<6x64x32xf32>
    %o = linalg.batch_matmul ins(%ph, %v : tensor<6x64x64xf16>, tensor<6x64x32xf16>) outs(%o_0 : tensor<6x64x32xf32>) -> tensor<6x64x32xf32>
    %oh = arith.truncf %o : tensor<6x64x32xf32> to tensor<6x64x32xf16>
    return %oh : tensor<6x64x32xf16>
  }
}
