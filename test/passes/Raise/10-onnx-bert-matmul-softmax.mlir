// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise | FileCheck %s
// CHECK-LABEL: func.func @encoder_layer
// CHECK:       %[[BIAS:.*]] = "onnx.Mul"
// CHECK:       fa.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x12x64xf16>, tensor<?x?x12x64xf16>, tensor<?x?x12x64xf16>)
// CHECK-SAME:    layout = #fa.layout<bshd>, scale = 1.250000e-01 : f32} score
// CHECK:         tensor.extract %[[BIAS]]
// CHECK-NOT:   onnx.Softmax
// CHECK-NOT:   onnx.Transpose

// What:      encoder self-attention with dynamic batch and sequence length and a padding mask, f16.
// Front end: a BERT export at an opset without Attention, as onnx-mlir reads it: MatMul, Div, Add, Softmax, MatMul on
//            rank 4, in generic form. Typical of it: the key goes straight to [B,H,D,S] by perm [0,2,3,1]; the
//            target shape of Reshape is a Concat of Dim results and constants; scale by division with a rank-0
//            constant; softmax is one operator with axis = -1.
// Expect:    RAISE to one fa.attention.
//            f16, B=?, Hq=Hkv=12, Sq=Sk=?, Dqk=Dv=64, scale 0.125.
//            The mask stays a bias, score region s + bias[b, 0, 0, j]: finite fill, data dependent. Sequences with at
//            least one token agree to rounding. One that is padding throughout does not, whatever is raised: in f16
//            the sum -65504 + s forgets s, in f32 it does not.
//            Layout: BSHD for all four (Q, V and the result by perm [0,2,1,3], K by perm [0,2,3,1]).
//            The precision of onnx.Softmax on f16 is not defined further; f32 is allowed.
//            Left over: projections, bias of the mask, residual add; the Reshape shapes stay if still used.

module {
  func.func @encoder_layer(%x: tensor<?x?x768xf16>,
      %ids_mask: tensor<?x?xi64>,
      %wq: tensor<768x768xf16>,
      %wk: tensor<768x768xf16>,
      %wv: tensor<768x768xf16>,
      %wo: tensor<768x768xf16>,
      %bk: tensor<768xf16>) -> tensor<?x?x768xf16> {
    %h = "onnx.Constant"() <{value = dense<12> : tensor<1xi64>}> : () -> tensor<1xi64>
    %d = "onnx.Constant"() <{value = dense<64> : tensor<1xi64>}> : () -> tensor<1xi64>
    %c = "onnx.Constant"() <{value = dense<768> : tensor<1xi64>}> : () -> tensor<1xi64>
    %axes = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %one = "onnx.Constant"() <{value = dense<1.000000e+00> : tensor<f16>}> : () -> tensor<f16>
    %low = "onnx.Constant"() <{value = dense<-6.550400e+04> : tensor<f16>}> : () -> tensor<f16>
    %root = "onnx.Constant"() <{value = dense<8.000000e+00> : tensor<f16>}> : () -> tensor<f16>
    %b = "onnx.Dim"(%x) <{axis = 0 : si64}> : (tensor<?x?x768xf16>) -> tensor<1xi64>
    %t = "onnx.Dim"(%x) <{axis = 1 : si64}> : (tensor<?x?x768xf16>) -> tensor<1xi64>
    %sh4 = "onnx.Concat"(%b, %t, %h, %d) <{axis = 0 : si64}> : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %sh3 = "onnx.Concat"(%b, %t, %c) <{axis = 0 : si64}> : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>

    %m4 = "onnx.Unsqueeze"(%ids_mask, %axes) : (tensor<?x?xi64>, tensor<2xi64>) -> tensor<?x1x1x?xi64>
    %mf = "onnx.Cast"(%m4) <{saturate = 1 : si64, to = f16}> : (tensor<?x1x1x?xi64>) -> tensor<?x1x1x?xf16>
    %inv = "onnx.Sub"(%one, %mf) : (tensor<f16>, tensor<?x1x1x?xf16>) -> tensor<?x1x1x?xf16>
    %bias = "onnx.Mul"(%inv, %low) : (tensor<?x1x1x?xf16>, tensor<f16>) -> tensor<?x1x1x?xf16>

    %q = "onnx.MatMul"(%x, %wq) : (tensor<?x?x768xf16>, tensor<768x768xf16>) -> tensor<?x?x768xf16>
    %k0 = "onnx.MatMul"(%x, %wk) : (tensor<?x?x768xf16>, tensor<768x768xf16>) -> tensor<?x?x768xf16>
    %k = "onnx.Add"(%k0, %bk) : (tensor<?x?x768xf16>, tensor<768xf16>) -> tensor<?x?x768xf16>
    %v = "onnx.MatMul"(%x, %wv) : (tensor<?x?x768xf16>, tensor<768x768xf16>) -> tensor<?x?x768xf16>
    %q4 = "onnx.Reshape"(%q, %sh4) <{allowzero = 0 : si64}> : (tensor<?x?x768xf16>, tensor<4xi64>) -> tensor<?x?x12x64xf16>
    %k4 = "onnx.Reshape"(%k, %sh4) <{allowzero = 0 : si64}> : (tensor<?x?x768xf16>, tensor<4xi64>) -> tensor<?x?x12x64xf16>
    %v4 = "onnx.Reshape"(%v, %sh4) <{allowzero = 0 : si64}> : (tensor<?x?x768xf16>, tensor<4xi64>) -> tensor<?x?x12x64xf16>
    %qh = "onnx.Transpose"(%q4) <{perm = [0, 2, 1, 3]}> : (tensor<?x?x12x64xf16>) -> tensor<?x12x?x64xf16>
    %kt = "onnx.Transpose"(%k4) <{perm = [0, 2, 3, 1]}> : (tensor<?x?x12x64xf16>) -> tensor<?x12x64x?xf16>
    %vh = "onnx.Transpose"(%v4) <{perm = [0, 2, 1, 3]}> : (tensor<?x?x12x64xf16>) -> tensor<?x12x?x64xf16>
    %s = "onnx.MatMul"(%qh, %kt) {onnx_node_name = "/attn/MatMul"} : (tensor<?x12x?x64xf16>, tensor<?x12x64x?xf16>) -> tensor<?x12x?x?xf16>
    %sd = "onnx.Div"(%s, %root) : (tensor<?x12x?x?xf16>, tensor<f16>) -> tensor<?x12x?x?xf16>
    %sb = "onnx.Add"(%sd, %bias) : (tensor<?x12x?x?xf16>, tensor<?x1x1x?xf16>) -> tensor<?x12x?x?xf16>
    %p = "onnx.Softmax"(%sb) <{axis = -1 : si64}> : (tensor<?x12x?x?xf16>) -> tensor<?x12x?x?xf16>
    %o = "onnx.MatMul"(%p, %vh) {onnx_node_name = "/attn/MatMul_1"} : (tensor<?x12x?x?xf16>, tensor<?x12x?x64xf16>) -> tensor<?x12x?x64xf16>
    %ot = "onnx.Transpose"(%o) <{perm = [0, 2, 1, 3]}> : (tensor<?x12x?x64xf16>) -> tensor<?x?x12x64xf16>
    %om = "onnx.Reshape"(%ot, %sh3) <{allowzero = 0 : si64}> : (tensor<?x?x12x64xf16>, tensor<3xi64>) -> tensor<?x?x768xf16>
    %y = "onnx.MatMul"(%om, %wo) : (tensor<?x?x768xf16>, tensor<768x768xf16>) -> tensor<?x?x768xf16>
    %r = "onnx.Add"(%y, %x) : (tensor<?x?x768xf16>, tensor<?x?x768xf16>) -> tensor<?x?x768xf16>
    "onnx.Return"(%r) : (tensor<?x?x768xf16>) -> ()
  }
}
