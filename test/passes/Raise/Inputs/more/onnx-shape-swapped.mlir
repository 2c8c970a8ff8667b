// Reshapes that swap the sizes of batch and length move elements.
// shapes: 2x6x64, 6x4x7x16
module {

  func.func @reversed(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %back = "onnx.Slice"(%s, %c1, %m10, %c0, %m1) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %a = "onnx.Gather"(%back, %c0) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%back, %c1) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @step_of_two(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m2 = "onnx.Constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %back = "onnx.Slice"(%s, %max, %m10, %c0, %m2) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %rest = "onnx.Slice"(%s, %m2, %max, %c0, %c1) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %a = "onnx.Gather"(%rest, %c0) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%back, %c1) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @negative(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %m3 = "onnx.Constant"() {value = dense<[-3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m2 = "onnx.Constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %a = "onnx.Gather"(%s, %m3) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%s, %m2) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%b, %a, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @shape_of_some(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) {start = -2 : si64} : (tensor<?x?x64xf16>) -> tensor<2xi64>
    %b = "onnx.Gather"(%s, %c0) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%b, %m1, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @transposed(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %t = "onnx.Transpose"(%x) {perm = [1, 0, 2]} : (tensor<?x?x64xf16>) -> tensor<?x?x64xf16>
    %a = "onnx.Dim"(%t) {axis = 0 : si64} : (tensor<?x?x64xf16>) -> tensor<1xi64>
    %b = "onnx.Dim"(%t) {axis = 1 : si64} : (tensor<?x?x64xf16>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }
}
