// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @prefill
// CHECK:       fa.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x96x16x64xf16>, tensor<2x96x4x64xf16>, tensor<2x96x4x64xf16>)
// CHECK-SAME:    layout = #fa.layout<bshd>, mask = #fa.mask<top_left, causal>, scale = 1.250000e-01 : f32} score
// CHECK:         math.tanh
// CHECK-NOT:   onnx.Attention
// CHECK-LABEL: func.func @chunk
// CHECK:       %[[K:.*]] = tensor.concat dim(2)
// CHECK:       %[[V:.*]] = tensor.concat dim(2)
// CHECK:       %[[O:.*]] = fa.attention ins(%{{.*}}, %[[K]], %[[V]] : tensor<2x16x4x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>)
// CHECK-SAME:    {mask = #fa.mask<bottom_right, causal>, scale = 1.000000e-01 : f32}
// CHECK-NOT:   score
// CHECK:       "onnx.Return"(%{{.*}}, %[[K]], %[[V]])

// What:      two uses of the ONNX operator Attention (opset 24): @prefill with packed [B,S,heads*D] inputs, grouped
//            queries, causal mask and softcap; @chunk with a key/value cache that the operator itself extends.
// Front end: onnx-mlir, "onnx.Attention" in generic form: 7 operands (absent ones are onnx.NoValue of type none),
//            4 results, onnx.Return as terminator, attributes as properties. onnx-mlir has no lowering for it.
// Expect:    RAISE both.
//            @prefill: f16, B=2, Hq=16, Hkv=4, Sq=Sk=96, Dqk=Dv=64, scale 1/sqrt(64) (no attribute), softcap 30
//            before the mask (so does the reference implementation; the operator's text has drawn it the other way
//            round), mask causal top_left. Layout: the packed inputs expand to BSHD without a copy.
//            softmax_precision 1 (f32) is what fa.attention does.
//            @chunk: f16, B=2, Hq=16, Hkv=4, Sq=4, Sk=64 (60 cached + 4 new), Dqk=Dv=64, scale 0.1 as given, mask
//            causal bottom_right (the offset is the cache length: row i keeps j <= i + 60), BHSD. The extended key
//            and value are results of the operator and have to be made by concatenation along axis 2; the
//            attention then reads them.
//            Decline when the fourth result is used or a mask is combined with nonpad_kv_seqlen in a way the op
//            cannot say.

module {
  func.func @prefill(%q: tensor<2x96x1024xf16>,
      %k: tensor<2x96x256xf16>,
      %v: tensor<2x96x256xf16>,
      %wo: tensor<1024x1024xf16>,
      %skip: tensor<2x96x1024xf16>) -> tensor<2x96x1024xf16> {
    %none = "onnx.NoValue"() <{value}> : () -> none
    %att:4 = "onnx.Attention"(%q, %k, %v, %none, %none, %none, %none) <{is_causal = 1 : si64, kv_num_heads = 4 : si64, q_num_heads = 16 : si64, qk_matmul_output_mode = 0 : si64, softcap = 3.000000e+01 : f32, softmax_precision = 1 : si64}> {onnx_node_name = "/layers.0/attn/Attention"} : (tensor<2x96x1024xf16>, tensor<2x96x256xf16>, tensor<2x96x256xf16>, none, none, none, none) -> (tensor<2x96x1024xf16>, none, none, none)
    %y = "onnx.MatMul"(%att#0, %wo) : (tensor<2x96x1024xf16>, tensor<1024x1024xf16>) -> tensor<2x96x1024xf16>
    %r = "onnx.Add"(%skip, %y) : (tensor<2x96x1024xf16>, tensor<2x96x1024xf16>) -> tensor<2x96x1024xf16>
    "onnx.Return"(%r) : (tensor<2x96x1024xf16>) -> ()
  }

  func.func @chunk(%q: tensor<2x16x4x64xf16>,
      %k: tensor<2x4x4x64xf16>,
      %v: tensor<2x4x4x64xf16>,
      %past_k: tensor<2x4x60x64xf16>,
      %past_v: tensor<2x4x60x64xf16>) -> (tensor<2x4x1024xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) {
    %none = "onnx.NoValue"() <{value}> : () -> none
    %shape = "onnx.Constant"() <{value = dense<[2, 4, 1024]> : tensor<3xi64>}> : () -> tensor<3xi64>
    %att:4 = "onnx.Attention"(%q, %k, %v, %none, %past_k, %past_v, %none) <{is_causal = 1 : si64, qk_matmul_output_mode = 0 : si64, scale = 1.000000e-01 : f32, softcap = 0.000000e+00 : f32}> {onnx_node_name = "/layers.1/attn/Attention"} : (tensor<2x16x4x64xf16>, tensor<2x4x4x64xf16>, tensor<2x4x4x64xf16>, none, tensor<2x4x60x64xf16>, tensor<2x4x60x64xf16>, none) -> (tensor<2x16x4x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, none)
    %t = "onnx.Transpose"(%att#0) <{perm = [0, 2, 1, 3]}> : (tensor<2x16x4x64xf16>) -> tensor<2x4x16x64xf16>
    %y = "onnx.Reshape"(%t, %shape) <{allowzero = 0 : si64}> : (tensor<2x4x16x64xf16>, tensor<3xi64>) -> tensor<2x4x1024xf16>
    "onnx.Return"(%y, %att#1, %att#2) : (tensor<2x4x1024xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>) -> ()
  }
}
