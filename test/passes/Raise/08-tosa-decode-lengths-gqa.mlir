// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @decode_padded_cache
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<2x1x8x64xf16>, %[[K:[^:]*]]: tensor<2x2x64x64xf16>, %[[V:[^:]*]]: tensor<2x2x64x64xf16>, %[[CUR:[^:]*]]: tensor<2xi32>
// CHECK:       %[[N:.*]] = linalg.generic {{.*}} ins(%[[CUR]] : tensor<2xi32>)
// CHECK:       fa.attention ins(%{{.*}}, %[[K]], %[[V]] : tensor<2x8x1x64xf16>, tensor<2x2x64x64xf16>, tensor<2x2x64x64xf16>)
// CHECK-SAME:    kv_lengths(%[[N]] : tensor<2xi32>) {scale = 1.250000e-01 : f32}
// CHECK-NOT:   tosa.

// What:      one decoding step over a padded key/value cache: grouped queries, current length per batch entry,
//            f16 with an f32 softmax.
// Front end: MIGraphX models arrive in MLIR as TOSA like this (see rocMLIR's tests). Typical of it: tosa.matmul on
//            collapsed rank 3 with zero-point operands and an f32 accumulator; every broadcast, also that of keys
//            over their query group, is a tosa.mul with a constant of ones; the length mask compares an index
//            constant with the length; tosa.select puts -inf; reduce_max, sub, exp, reduce_sum, reciprocal, mul.
// Expect:    RAISE to one fa.attention.
//            f16, B=2, Hq=8, Hkv=2 (4 neighbouring query heads each), Sq=1, Sk=64, Dqk=Dv=64, scale 0.125.
//            mask: key lengths. Positions with index > cur[b] are dropped, so length[b] = cur[b] + 1. A mask region
//            j <= cur[b] is correct too, but loses the skipping of dead tiles.
//            K and V before the multiplication with ones; the ones die.
//            Layout: Q is [2,1,8,64], the cache [2,2,64,64] is BHSD.

module {
  func.func @decode_padded_cache(%q: tensor<2x1x8x64xf16>,
      %kcache: tensor<2x2x64x64xf16>,
      %vcache: tensor<2x2x64x64xf16>,
      %cur: tensor<2xi32>) -> tensor<2x1x512xf16> {
    %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zp = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %sc = "tosa.const"() <{values = dense<1.250000e-01> : tensor<1x1x1x1xf16>}> : () -> tensor<1x1x1x1xf16>
    %ninf = "tosa.const"() <{values = dense<0xFC00> : tensor<2x8x1x64xf16>}> : () -> tensor<2x8x1x64xf16>
    %ones5 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<2x2x4x64x64xf16>}> : () -> tensor<2x2x4x64x64xf16>
    %onesr = "tosa.const"() <{values = dense<1.000000e+00> : tensor<2x8x1x64xf32>}> : () -> tensor<2x8x1x64xf32>
    %onesi = "tosa.const"() <{values = dense<1> : tensor<2x8x1x64xi32>}> : () -> tensor<2x8x1x64xi32>
    %pos = "tosa.const"() <{values = dense<[[[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]]]]> : tensor<1x1x1x64xi32>}> : () -> tensor<1x1x1x64xi32>

    %qh = tosa.transpose %q {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x1x8x64xf16>) -> tensor<2x8x1x64xf16>
    %k5 = tensor.expand_shape %kcache [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 64, 64] : tensor<2x2x64x64xf16> into tensor<2x2x1x64x64xf16>
    %v5 = tensor.expand_shape %vcache [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 64, 64] : tensor<2x2x64x64xf16> into tensor<2x2x1x64x64xf16>
    %k5t = tosa.transpose %k5 {perms = array<i32: 0, 1, 2, 4, 3>} : (tensor<2x2x1x64x64xf16>) -> tensor<2x2x1x64x64xf16>
    %kg = tosa.mul %k5t, %ones5, %shift : (tensor<2x2x1x64x64xf16>, tensor<2x2x4x64x64xf16>, tensor<1xi8>) -> tensor<2x2x4x64x64xf16>
    %vg = tosa.mul %v5, %ones5, %shift : (tensor<2x2x1x64x64xf16>, tensor<2x2x4x64x64xf16>, tensor<1xi8>) -> tensor<2x2x4x64x64xf16>
    %ql = tensor.collapse_shape %qh [[0, 1], [2], [3]] : tensor<2x8x1x64xf16> into tensor<16x1x64xf16>
    %kl = tensor.collapse_shape %kg [[0, 1, 2], [3], [4]] : tensor<2x2x4x64x64xf16> into tensor<16x64x64xf16>
    %vl = tensor.collapse_shape %vg [[0, 1, 2], [3], [4]] : tensor<2x2x4x64x64xf16> into tensor<16x64x64xf16>
    %s3 = tosa.matmul %ql, %kl, %zp, %zp {acc_type = f32} : (tensor<16x1x64xf16>, tensor<16x64x64xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<16x1x64xf16>
    %s4 = tensor.expand_shape %s3 [[0, 1], [2], [3]] output_shape [2, 8, 1, 64] : tensor<16x1x64xf16> into tensor<2x8x1x64xf16>
    %ss = tosa.mul %s4, %sc, %shift : (tensor<2x8x1x64xf16>, tensor<1x1x1x1xf16>, tensor<1xi8>) -> tensor<2x8x1x64xf16>

    %sh4 = tosa.const_shape {values = dense<[2, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %cur4 = tosa.reshape %cur, %sh4 : (tensor<2xi32>, !tosa.shape<4>) -> tensor<2x1x1x1xi32>
    %posb = tosa.mul %pos, %onesi, %shift : (tensor<1x1x1x64xi32>, tensor<2x8x1x64xi32>, tensor<1xi8>) -> tensor<2x8x1x64xi32>
    %curb = tosa.mul %cur4, %onesi, %shift : (tensor<2x1x1x1xi32>, tensor<2x8x1x64xi32>, tensor<1xi8>) -> tensor<2x8x1x64xi32>
    %late = tosa.greater %posb, %curb : (tensor<2x8x1x64xi32>, tensor<2x8x1x64xi32>) -> tensor<2x8x1x64xi1>
    %sm = tosa.select %late, %ninf, %ss : (tensor<2x8x1x64xi1>, tensor<2x8x1x64xf16>, tensor<2x8x1x64xf16>) -> tensor<2x8x1x64xf16>

    %s32 = tosa.cast %sm : (tensor<2x8x1x64xf16>) -> tensor<2x8x1x64xf32>
    %mx = tosa.reduce_max %s32 {axis = 3 : i32} : (tensor<2x8x1x64xf32>) -> tensor<2x8x1x1xf32>
    %mxb = tosa.mul %mx, %onesr, %shift : (tensor<2x8x1x1xf32>, tensor<2x8x1x64xf32>, tensor<1xi8>) -> tensor<2x8x1x64xf32>
    %d = tosa.sub %s32, %mxb : (tensor<2x8x1x64xf32>, tensor<2x8x1x64xf32>) -> tensor<2x8x1x64xf32>
    %ex = tosa.exp %d : (tensor<2x8x1x64xf32>) -> tensor<2x8x1x64xf32>
    %su = tosa.reduce_sum %ex {axis = 3 : i32} : (tensor<2x8x1x64xf32>) -> tensor<2x8x1x1xf32>
    %sub = tosa.mul %su, %onesr, %shift : (tensor<2x8x1x1xf32>, tensor<2x8x1x64xf32>, tensor<1xi8>) -> tensor<2x8x1x64xf32>
    %rc = tosa.reciprocal %sub : (tensor<2x8x1x64xf32>) -> tensor<2x8x1x64xf32>
    %p = tosa.mul %ex, %rc, %shift : (tensor<2x8x1x64xf32>, tensor<2x8x1x64xf32>, tensor<1xi8>) -> tensor<2x8x1x64xf32>
    %p16 = tosa.cast %p : (tensor<2x8x1x64xf32>) -> tensor<2x8x1x64xf16>

    %pl = tensor.collapse_shape %p16 [[0, 1], [2], [3]] : tensor<2x8x1x64xf16> into tensor<16x1x64xf16>
    %o3 = tosa.matmul %pl, %vl, %zp, %zp {acc_type = f32} : (tensor<16x1x64xf16>, tensor<16x64x64xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<16x1x64xf16>
    %o4 = tensor.expand_shape %o3 [[0, 1], [2], [3]] output_shape [2, 8, 1, 64] : tensor<16x1x64xf16> into tensor<2x8x1x64xf16>
    %ot = tosa.transpose %o4 {perms = array<i32: 0, 2, 1, 3>} : (tensor<2x8x1x64xf16>) -> tensor<2x1x8x64xf16>
    %y = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<2x1x8x64xf16> into tensor<2x1x512xf16>
    return %y : tensor<2x1x512xf16>
  }
}
