// What is squeezed has a dynamic size, or a vector has none in a product: the sizes are those of the operand in order.
// shapes: 1x2x6x64, 2x4x7x16
module {

  func.func @squeezed(%x: tensor<?x?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %z = "onnx.Squeeze"(%x, %c0) : (tensor<?x?x?x64xf16>, tensor<1xi64>) -> tensor<?x?x64xf16>
    %a = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x?x64xf16>) -> tensor<1xi64>
    %b = "onnx.Dim"(%z) {axis = 1 : si64} : (tensor<?x?x64xf16>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%z, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @times_vector(%x: tensor<?x?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %vector = "onnx.Constant"() {value = dense<1.0> : tensor<64xf16>} : () -> tensor<64xf16>
    %y = "onnx.MatMul"(%x, %vector) : (tensor<?x?x?x64xf16>, tensor<64xf16>) -> tensor<?x?x?xf16>
    %z = "onnx.Squeeze"(%x, %c0) : (tensor<?x?x?x64xf16>, tensor<1xi64>) -> tensor<?x?x64xf16>
    %a = "onnx.Dim"(%y) {axis = 1 : si64} : (tensor<?x?x?xf16>) -> tensor<1xi64>
    %b = "onnx.Dim"(%y) {axis = 2 : si64} : (tensor<?x?x?xf16>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%z, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }
}
