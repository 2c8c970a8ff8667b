// Sizes by slices with steps: the last Reshape swaps batch and length, which is no repetition of heads.
// shapes: 1x2x1x3, 3x8x5x16, 192
func.func @steps(%x: tensor<?x?x?x?xf16>, %q: tensor<?x8x?x16xf16>, %y: tensor<?xf16>) -> tensor<?x8x?x16xf16> {
  %sizes = "onnx.Shape"(%x) : (tensor<?x?x?x?xf16>) -> tensor<4xi64>
  %b = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x?x?xf16>) -> tensor<1xi64>
  %s = "onnx.Dim"(%x) {axis = 3 : si64} : (tensor<?x?x?x?xf16>) -> tensor<1xi64>
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c2 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c3 = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %sa = "onnx.Slice"(%sizes, %c2, %m10, %c0, %m1) : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %sb = "onnx.Slice"(%sizes, %c0, %c4, %c0, %c3) : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %d1 = "onnx.Gather"(%sa, %c1) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %d3 = "onnx.Gather"(%sb, %c1) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %sh5 = "onnx.Concat"(%b, %c2, %c1, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %k5 = "onnx.Reshape"(%y, %sh5) : (tensor<?xf16>, tensor<5xi64>) -> tensor<?x2x1x?x16xf16>
  %ex = "onnx.Concat"(%b, %c2, %c4, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %ke = "onnx.Expand"(%k5, %ex) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh4 = "onnx.Concat"(%d3, %c8, %d1, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %k = "onnx.Reshape"(%ke, %sh4) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %kt = "onnx.Transpose"(%k) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %sc = "onnx.MatMul"(%q, %kt) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%sc) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %k) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}
