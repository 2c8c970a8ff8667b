// Dimensions are counted without the one that is squeezed, though its size is dynamic.
// shapes: 1x2x2x1x6x16, 2x8x7x16
func.func @squeezed(%x: tensor<?x?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %k = "onnx.Squeeze"(%x, %c0) : (tensor<?x?x2x1x?x16xf16>, tensor<1xi64>) -> tensor<?x2x1x?x16xf16>
  %b = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x2x1x?x16xf16>) -> tensor<1xi64>
  %s = "onnx.Dim"(%x) {axis = 4 : si64} : (tensor<?x?x2x1x?x16xf16>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}
