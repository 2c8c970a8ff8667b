// The scale is the root of 1 / sqrt of a dimension, on both operands; a triangle by Trilu, Equal and Where.
module {
  func.func @sdpa(%q: tensor<1x4x6x16xf16>, %k: tensor<1x4x6x16xf16>, %v: tensor<1x4x6x16xf16>) -> tensor<1x4x6x16xf16> {
    %1 = "onnx.Shape"(%q) : (tensor<1x4x6x16xf16>) -> tensor<4xi64>
    %2 = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    %3 = "onnx.Gather"(%1, %2) {axis = 0 : si64} : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
    %4 = "onnx.Cast"(%3) {to = f16} : (tensor<i64>) -> tensor<f16>
    %5 = "onnx.Sqrt"(%4) : (tensor<f16>) -> tensor<f16>
    %6 = "onnx.Constant"() {value = dense<1.000000e+00> : tensor<f16>} : () -> tensor<f16>
    %7 = "onnx.Div"(%6, %5) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    %8 = "onnx.Sqrt"(%7) : (tensor<f16>) -> tensor<f16>
    %9 = "onnx.Transpose"(%k) {perm = [0, 1, 3, 2]} : (tensor<1x4x6x16xf16>) -> tensor<1x4x16x6xf16>
    %10 = "onnx.Mul"(%q, %8) : (tensor<1x4x6x16xf16>, tensor<f16>) -> tensor<1x4x6x16xf16>
    %11 = "onnx.Mul"(%9, %8) : (tensor<1x4x16x6xf16>, tensor<f16>) -> tensor<1x4x16x6xf16>
    %12 = "onnx.MatMul"(%10, %11) : (tensor<1x4x6x16xf16>, tensor<1x4x16x6xf16>) -> tensor<1x4x6x6xf16>
    %13 = "onnx.Constant"() {value = dense<1.000000e+00> : tensor<6x6xf16>} : () -> tensor<6x6xf16>
    %14 = "onnx.NoValue"() {value} : () -> none
    %15 = "onnx.Trilu"(%13, %14) {upper = 0 : si64} : (tensor<6x6xf16>, none) -> tensor<6x6xf16>
    %16 = "onnx.Constant"() {value = dense<0.000000e+00> : tensor<f16>} : () -> tensor<f16>
    %17 = "onnx.Equal"(%15, %16) : (tensor<6x6xf16>, tensor<f16>) -> tensor<6x6xi1>
    %18 = "onnx.Constant"() {value = dense<0xFC00> : tensor<f16>} : () -> tensor<f16>
    %19 = "onnx.Where"(%17, %18, %15) : (tensor<6x6xi1>, tensor<f16>, tensor<6x6xf16>) -> tensor<6x6xf16>
    %20 = "onnx.Constant"() {value = dense<0xFC00> : tensor<f16>} : () -> tensor<f16>
    %21 = "onnx.Constant"() {value = dense<0.000000e+00> : tensor<f16>} : () -> tensor<f16>
    %22 = "onnx.Where"(%17, %20, %21) : (tensor<6x6xi1>, tensor<f16>, tensor<f16>) -> tensor<6x6xf16>
    %23 = "onnx.Add"(%12, %22) : (tensor<1x4x6x6xf16>, tensor<6x6xf16>) -> tensor<1x4x6x6xf16>
    %24 = "onnx.Softmax"(%23) {axis = -1 : si64} : (tensor<1x4x6x6xf16>) -> tensor<1x4x6x6xf16>
    %25 = "onnx.MatMul"(%24, %v) : (tensor<1x4x6x6xf16>, tensor<1x4x6x16xf16>) -> tensor<1x4x6x16xf16>
    "onnx.Return"(%25) : (tensor<1x4x6x16xf16>) -> ()
  }
}
