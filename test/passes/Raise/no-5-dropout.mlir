// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise 2>&1 | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise 2>&1 | FileCheck %s
// CHECK: remark: not raised: expects nothing between softmax and the second product, got dropout (an elementwise product with a tensor)
// CHECK-NOT: fa.attention

// What:      attention in training mode: the probabilities are multiplied by a dropout mask and by 1/0.9 before they
//            meet V.
// Front end: TOSA with the random mask as an argument.
// Expect:    DECLINE. Remark: dropout (an elementwise product with a tensor) between softmax and the second product.
//            A product with a constant splat alone could be moved behind the second product; with the mask it cannot.

module {
  func.func @dropout_attention(%q: tensor<4x64x64xf16>,
      %k: tensor<4x64x64xf16>,
      %v: tensor<4x64x64xf16>,
      %keep: tensor<4x64x64xi1>) -> tensor<4x64x64xf16> {
    %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zp = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %sc = "tosa.const"() <{values = dense<1.250000e-01> : tensor<1x1x1xf16>}> : () -> tensor<1x1x1xf16>
    %inv = "tosa.const"() <{values = dense<1.11111116> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
    %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
    %s = tosa.matmul %q, %kt, %zp, %zp {acc_type = f32} : (tensor<4x64x64xf16>, tensor<4x64x64xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<4x64x64xf16>
    %ss = tosa.mul %s, %sc, %shift : (tensor<4x64x64xf16>, tensor<1x1x1xf16>, tensor<1xi8>) -> tensor<4x64x64xf16>
    %s32 = tosa.cast %ss : (tensor<4x64x64xf16>) -> tensor<4x64x64xf32>
    %mx = tosa.reduce_max %s32 {axis = 2 : i32} : (tensor<4x64x64xf32>) -> tensor<4x64x1xf32>
    %d = tosa.sub %s32, %mx : (tensor<4x64x64xf32>, tensor<4x64x1xf32>) -> tensor<4x64x64xf32>
    %ex = tosa.exp %d : (tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %su = tosa.reduce_sum %ex {axis = 2 : i32} : (tensor<4x64x64xf32>) -> tensor<4x64x1xf32>
    %rc = tosa.reciprocal %su : (tensor<4x64x1xf32>) -> tensor<4x64x1xf32>
    %p = tosa.mul %ex, %rc, %shift : (tensor<4x64x64xf32>, tensor<4x64x1xf32>, tensor<1xi8>) -> tensor<4x64x64xf32>

    %kf = tosa.cast %keep : (tensor<4x64x64xi1>) -> tensor<4x64x64xi32>
    %kff = tosa.cast %kf : (tensor<4x64x64xi32>) -> tensor<4x64x64xf32>
    %pk = tosa.mul %p, %kff, %shift : (tensor<4x64x64xf32>, tensor<4x64x64xf32>, tensor<1xi8>) -> tensor<4x64x64xf32>
    %pd = tosa.mul %pk, %inv, %shift : (tensor<4x64x64xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<4x64x64xf32>
    %ph = tosa.cast %pd : (tensor<4x64x64xf32>) -> tensor<4x64x64xf16>
    %o = tosa.matmul %ph, %v, %zp, %zp {acc_type = f32} : (tensor<4x64x64xf16>, tensor<4x64x64xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<4x64x64xf16>
    return %o : tensor<4x64x64xf16>
  }
}
