// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @bshd_constant_mask
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<2x16x4x32xf16>, %[[K:[^:]*]]: tensor<2x16x4x32xf16>, %[[V:[^:]*]]: tensor<2x16x4x32xf16>
// CHECK:       fa.attention ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:    layout = #fa.layout<bshd>, mask = #fa.mask<top_left, causal>, scale = 0.176776692 : f32}
// CHECK-LABEL: func.func @named_ops
// CHECK:       fa.attention ins(%{{.*}} : tensor<12x1x40x64xbf16>, tensor<12x1x56x64xbf16>, tensor<12x1x56x48xbf16>)
// CHECK-SAME:    outs(%{{.*}} : tensor<12x1x40x48xf32>) {scale = 1.250000e-01 : f32}

// What:      two hand-written linalg programs: @bshd_constant_mask contracts [B,S,H,D] directly, without any
//            transpose, and adds a constant 0 / -inf triangle; @named_ops uses named operators throughout.
// Front end: upstream linalg as compiler engineers post it (IREE and Lighthouse users): linalg.generic contractions
//            with widening in the body, linalg.map, linalg.broadcast, linalg.softmax, arith on whole tensors;
//            batch_matmul with indexing maps that read the key untransposed, the scale as a filled tensor.
// Expect:    RAISE both.
//            @bshd_constant_mask: f16, B=2, Hq=Hkv=4, Sq=Sk=16, Dqk=Dv=32, scale 0.1767767 (f32), mask causal
//            top_left read off the literal, BSHD.
//            @named_ops: bf16, rank 3, so B=12 and Hq=Hkv=1; Sq=40, Sk=56, Dqk=64, Dv=48, scale 0.125, no mask,
//            result kept in f32 (fa.attention may write f32). The softmax runs in f32 on f32 scores.

#qk_q = affine_map<(b, h, i, j, d) -> (b, i, h, d)>
#qk_k = affine_map<(b, h, i, j, d) -> (b, j, h, d)>
#qk_s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv_p = affine_map<(b, i, h, d, j) -> (b, h, i, j)>
#pv_v = affine_map<(b, i, h, d, j) -> (b, j, h, d)>
#pv_o = affine_map<(b, i, h, d, j) -> (b, i, h, d)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>

module {
  func.func @bshd_constant_mask(%q: tensor<2x16x4x32xf16>,
      %k: tensor<2x16x4x32xf16>,
      %v: tensor<2x16x4x32xf16>) -> tensor<2x16x4x32xf16> {
    %z = arith.constant 0.000000e+00 : f32
    %scale = arith.constant 0.176776692 : f32
    %tri = arith.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000],
      [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<16x16xf32>
    %se = tensor.empty() : tensor<2x4x16x16xf32>
    %s0 = linalg.fill ins(%z : f32) outs(%se : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x16x4x32xf16>, tensor<2x16x4x32xf16>) outs(%s0 : tensor<2x4x16x16xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %xf = arith.extf %x : f16 to f32
      %yf = arith.extf %y : f16 to f32
      %xy = arith.mulf %xf, %yf : f32
      %sum = arith.addf %acc, %xy : f32
      linalg.yield %sum : f32
    } -> tensor<2x4x16x16xf32>
    %ss = linalg.map ins(%s : tensor<2x4x16x16xf32>) outs(%se : tensor<2x4x16x16xf32>)
      (%x: f32, %unused: f32) {
        %m = arith.mulf %x, %scale : f32
        linalg.yield %m : f32
      }
    %trib = linalg.broadcast ins(%tri : tensor<16x16xf32>) outs(%se : tensor<2x4x16x16xf32>) dimensions = [0, 1]
    %sm = linalg.add ins(%ss, %trib : tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) outs(%se : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    %p = linalg.softmax dimension(3) ins(%sm : tensor<2x4x16x16xf32>) outs(%se : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    %ph = arith.truncf %p : tensor<2x4x16x16xf32> to tensor<2x4x16x16xf16>
    %o0_e = tensor.empty() : tensor<2x16x4x32xf32>
    %o0 = linalg.fill ins(%z : f32) outs(%o0_e : tensor<2x16x4x32xf32>) -> tensor<2x16x4x32xf32>
    %o = linalg.generic {indexing_maps = [#pv_p, #pv_v, #pv_o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%ph, %v : tensor<2x4x16x16xf16>, tensor<2x16x4x32xf16>) outs(%o0 : tensor<2x16x4x32xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %xf = arith.extf %x : f16 to f32
      %yf = arith.extf %y : f16 to f32
      %xy = arith.mulf %xf, %yf : f32
      %sum = arith.addf %acc, %xy : f32
      linalg.yield %sum : f32
    } -> tensor<2x16x4x32xf32>
    %oh = arith.truncf %o : tensor<2x16x4x32xf32> to tensor<2x16x4x32xf16>
    %r = arith.addf %oh, %q : tensor<2x16x4x32xf16>
    return %r : tensor<2x16x4x32xf16>
  }

  func.func @named_ops(%q: tensor<12x40x64xbf16>,
      %k: tensor<12x56x64xbf16>,
      %v: tensor<12x56x48xbf16>) -> tensor<12x40x48xf32> {
    %z = arith.constant 0.000000e+00 : f32
    %eighth = arith.constant 1.250000e-01 : f32
    %s_0_e = tensor.empty() : tensor<12x40x56xf32>
    %s_0 = linalg.fill ins(%z : f32) outs(%s_0_e : tensor<12x40x56xf32>) -> tensor<12x40x56xf32>
    %s = linalg.batch_matmul indexing_maps = [#bmk, #bnk, #bmn] ins(%q, %k : tensor<12x40x64xbf16>, tensor<12x56x64xbf16>) outs(%s_0 : tensor<12x40x56xf32>) -> tensor<12x40x56xf32>
    %scale_e = tensor.empty() : tensor<12x40x56xf32>
    %scale = linalg.fill ins(%eighth : f32) outs(%scale_e : tensor<12x40x56xf32>) -> tensor<12x40x56xf32>
    %se = tensor.empty() : tensor<12x40x56xf32>
    %ss = linalg.mul ins(%s, %scale : tensor<12x40x56xf32>, tensor<12x40x56xf32>) outs(%se : tensor<12x40x56xf32>) -> tensor<12x40x56xf32>
    %p = linalg.softmax dimension(2) ins(%ss : tensor<12x40x56xf32>) outs(%se : tensor<12x40x56xf32>) -> tensor<12x40x56xf32>
    %pb = arith.truncf %p : tensor<12x40x56xf32> to tensor<12x40x56xbf16>
    %o_0_e = tensor.empty() : tensor<12x40x48xf32>
    %o_0 = linalg.fill ins(%z : f32) outs(%o_0_e : tensor<12x40x48xf32>) -> tensor<12x40x48xf32>
    %o = linalg.batch_matmul ins(%pb, %v : tensor<12x40x56xbf16>, tensor<12x56x48xbf16>) outs(%o_0 : tensor<12x40x48xf32>) -> tensor<12x40x48xf32>
    return %o : tensor<12x40x48xf32>
  }
}
