// Keys of a dynamic length that are a part of a tensor of dynamic length.
// shapes: 2x6x4x16, 2x4x7x16
module {

  func.func @first(%x: tensor<?x?x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = "onnx.Slice"(%x, %c0, %c4, %c1, %c1) : (tensor<?x?x4x16xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @all_but_last(%x: tensor<?x?x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = "onnx.Slice"(%x, %c0, %m1, %c1, %c1) : (tensor<?x?x4x16xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @from_second(%x: tensor<?x?x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c2 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = "onnx.Slice"(%x, %c2, %max, %c1, %c1) : (tensor<?x?x4x16xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @every_second(%x: tensor<?x?x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c2 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = "onnx.Slice"(%x, %c0, %max, %c1, %c2) : (tensor<?x?x4x16xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @all(%x: tensor<?x?x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = "onnx.Slice"(%x, %c0, %max, %c1, %c1) : (tensor<?x?x4x16xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @first_of_six(%x: tensor<?x6x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = "onnx.Slice"(%x, %c0, %c4, %c1, %c1) : (tensor<?x6x4x16xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @extracted(%x: tensor<?x?x4x16xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {

    %zero = arith.constant 0 : index
    %batch = tensor.dim %x, %zero : tensor<?x?x4x16xf16>
    %four = arith.constant 4 : index
    %r = tensor.extract_slice %x[0, 0, 0, 0] [%batch, %four, 4, 16] [1, 1, 1, 1] : tensor<?x?x4x16xf16> to tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }
}
