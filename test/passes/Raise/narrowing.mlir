// RUN: fa-opt %s --fa-raise 2>&1 | FileCheck %s --check-prefix=DECLINED
// RUN: fa-opt %s --fa-raise=allow-narrowing=bf16 | FileCheck %s
// RUN: not fa-opt %s --fa-raise=allow-narrowing=f8 2>&1 | FileCheck %s --check-prefix=OPTION

// Attention on f32 is rounded only on request.

// DECLINED: remark: not raised: expects f16 or bf16 operands, got f32 (allow-narrowing rounds them)
// DECLINED-NOT: fa.attention
// OPTION: error: fa-raise: allow-narrowing expects f16 or bf16, got f8

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>

// CHECK-LABEL: func.func @f32
// CHECK:       %[[Q:.*]] = arith.truncf %{{.*}} : tensor<6x1x10x32xf32> to tensor<6x1x10x32xbf16>
// CHECK:       fa.attention ins(%[[Q]], %{{.*}}, %{{.*}} : tensor<6x1x10x32xbf16>
// CHECK-SAME:    outs(%{{.*}} : tensor<6x1x10x32xf32>) {scale = 1.000000e+00 : f32}
func.func @f32(%q: tensor<6x10x32xf32>, %k: tensor<6x14x32xf32>, %v: tensor<6x14x32xf32>) -> tensor<6x10x32xf32> {
  %z = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<6x10x14xf32>
  %s1 = linalg.fill ins(%z : f32) outs(%s0 : tensor<6x10x14xf32>) -> tensor<6x10x14xf32>
  %s = linalg.batch_matmul indexing_maps = [#bmk, #bnk, #bmn] ins(%q, %k : tensor<6x10x32xf32>, tensor<6x14x32xf32>)
    outs(%s1 : tensor<6x10x14xf32>) -> tensor<6x10x14xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<6x10x14xf32>) outs(%s0 : tensor<6x10x14xf32>) -> tensor<6x10x14xf32>
  %o0 = tensor.empty() : tensor<6x10x32xf32>
  %o1 = linalg.fill ins(%z : f32) outs(%o0 : tensor<6x10x32xf32>) -> tensor<6x10x32xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<6x10x14xf32>, tensor<6x14x32xf32>)
    outs(%o1 : tensor<6x10x32xf32>) -> tensor<6x10x32xf32>
  return %o : tensor<6x10x32xf32>
}
