// A sink by Concat and Slice, one query row.
module {
  func.func @sink(%q: tensor<2x4x1x16xf16>, %k: tensor<2x4x9x16xf16>, %v: tensor<2x4x9x16xf16>, %sink: tensor<4xf16>) -> tensor<2x4x1x16xf16> {
    %1 = "onnx.Transpose"(%k) {perm = [0, 1, 3, 2]} : (tensor<2x4x9x16xf16>) -> tensor<2x4x16x9xf16>
    %2 = "onnx.MatMul"(%q, %1) : (tensor<2x4x1x16xf16>, tensor<2x4x16x9xf16>) -> tensor<2x4x1x9xf16>
    %3 = "onnx.Constant"() {value = dense<2.5e-01> : tensor<f16>} : () -> tensor<f16>
    %4 = "onnx.Mul"(%2, %3) : (tensor<2x4x1x9xf16>, tensor<f16>) -> tensor<2x4x1x9xf16>
    %5 = "onnx.Constant"() {value = dense<[1, -1, 1, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %6 = "onnx.Reshape"(%sink, %5) : (tensor<4xf16>, tensor<4xi64>) -> tensor<1x4x1x1xf16>
    %7 = "onnx.Constant"() {value = dense<[2, 4, 1, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %8 = "onnx.Expand"(%6, %7) : (tensor<1x4x1x1xf16>, tensor<4xi64>) -> tensor<2x4x1x1xf16>
    %9 = "onnx.Concat"(%4, %8) {axis = -1 : si64} : (tensor<2x4x1x9xf16>, tensor<2x4x1x1xf16>) -> tensor<2x4x1x10xf16>
    %10 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %11 = "onnx.ReduceMax"(%9, %10) {keepdims = 1 : si64} : (tensor<2x4x1x10xf16>, tensor<1xi64>) -> tensor<2x4x1x1xf16>
    %12 = "onnx.Sub"(%9, %11) : (tensor<2x4x1x10xf16>, tensor<2x4x1x1xf16>) -> tensor<2x4x1x10xf16>
    %13 = "onnx.Softmax"(%12) {axis = -1 : si64} : (tensor<2x4x1x10xf16>) -> tensor<2x4x1x10xf16>
    %14 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %15 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %16 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %17 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %18 = "onnx.Slice"(%13, %14, %15, %16, %17) : (tensor<2x4x1x10xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4x1x9xf16>
    %19 = "onnx.MatMul"(%18, %v) : (tensor<2x4x1x9xf16>, tensor<2x4x9x16xf16>) -> tensor<2x4x1x16xf16>
    "onnx.Return"(%19) : (tensor<2x4x1x16xf16>) -> ()
  }
}
