// Batch and length of a Reshape are those of its operand, read off its Shape in several ways.
// shapes: 2x6x64, 2x4x7x16
module {

  func.func @negative(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %m3 = "onnx.Constant"() {value = dense<[-3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m2 = "onnx.Constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %a = "onnx.Gather"(%s, %m3) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%s, %m2) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @reversed_twice(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %back = "onnx.Slice"(%s, %c1, %m10, %c0, %m1) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %again = "onnx.Slice"(%back, %max, %m10, %m1, %m1) : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %a = "onnx.Gather"(%again, %c0) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%again, %c1) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @start_behind(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c64 = "onnx.Constant"() {value = dense<[64]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c2 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %back = "onnx.Slice"(%s, %c64, %m10, %c0, %m1) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
    %a = "onnx.Gather"(%back, %c2) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%back, %c1) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @start_in_front(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
    %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) : (tensor<?x?x64xf16>) -> tensor<3xi64>
    %all = "onnx.Slice"(%s, %m10, %max, %c0, %c1) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
    %a = "onnx.Gather"(%all, %c0) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%all, %c1) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @shape_of_some(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %m2 = "onnx.Constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = "onnx.Shape"(%x) {start = -10 : si64, end = -1 : si64} : (tensor<?x?x64xf16>) -> tensor<2xi64>
    %a = "onnx.Gather"(%s, %m2) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = "onnx.Gather"(%s, %m1) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sh = "onnx.Concat"(%a, %b, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }

  func.func @as_before(%x: tensor<?x?x64xf16>, %q: tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16> {
    %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %sh = "onnx.Concat"(%c0, %m1, %c4, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %r = "onnx.Reshape"(%x, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
    %kt = "onnx.Transpose"(%r) {perm = [0, 2, 3, 1]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x16x?xf16>
    %v = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
    %p = "onnx.MatMul"(%q, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x?xf16>) -> tensor<?x4x?x?xf16>
    %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x4x?x?xf16>) -> tensor<?x4x?x?xf16>
    %o = "onnx.MatMul"(%w, %v) : (tensor<?x4x?x?xf16>, tensor<?x4x?x16xf16>) -> tensor<?x4x?x16xf16>
    return %o : tensor<?x4x?x16xf16>
  }
}
