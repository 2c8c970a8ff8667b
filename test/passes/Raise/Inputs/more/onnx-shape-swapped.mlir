// Reshapes that swap the sizes of batch and length move elements, and what they make is no repetition of heads.
// shapes: 2x2x1x6x16, 6x8x7x16
func.func @negative(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %m2 = "onnx.Constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m5 = "onnx.Constant"() {value = dense<[-5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) : (tensor<?x2x1x?x16xf16>) -> tensor<5xi64>
  %s = "onnx.Gather"(%sizes, %m2) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b = "onnx.Gather"(%sizes, %m5) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%s, %c8, %b, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @reversed(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c3 = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) : (tensor<?x2x1x?x16xf16>) -> tensor<5xi64>
  %back = "onnx.Slice"(%sizes, %c3, %m10, %c0, %m1) : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %s = "onnx.Gather"(%back, %c0) {axis = 0 : si64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b = "onnx.Gather"(%back, %c3) {axis = 0 : si64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%s, %c8, %b, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @every_second(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c2 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %x = "onnx.Transpose"(%k) {perm = [4, 0, 3, 1, 2]} : (tensor<?x2x1x?x16xf16>) -> tensor<16x?x?x2x1xf16>
  %sizes = "onnx.Shape"(%x) : (tensor<16x?x?x2x1xf16>) -> tensor<5xi64>
  %some = "onnx.Slice"(%sizes, %c0, %max, %c0, %c2) : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %s = "onnx.Gather"(%some, %c1) {axis = 0 : si64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%s, %c8, %m1, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @shape_of_some(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) {start = -2 : si64} : (tensor<?x2x1x?x16xf16>) -> tensor<2xi64>
  %s = "onnx.Gather"(%sizes, %c0) {axis = 0 : si64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%s, %c8, %m1, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @transposed(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %x = "onnx.Transpose"(%k) {perm = [3, 1, 2, 0, 4]} : (tensor<?x2x1x?x16xf16>) -> tensor<?x2x1x?x16xf16>
  %s = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x2x1x?x16xf16>) -> tensor<1xi64>
  %b = "onnx.Dim"(%x) {axis = 3 : si64} : (tensor<?x2x1x?x16xf16>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%s, %c8, %b, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @times_vector(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %x = "onnx.Transpose"(%k) {perm = [3, 0, 1, 2, 4]} : (tensor<?x2x1x?x16xf16>) -> tensor<?x?x2x1x16xf16>
  %vector = "onnx.Constant"() {value = dense<1.0> : tensor<16xf16>} : () -> tensor<16xf16>
  %y = "onnx.MatMul"(%x, %vector) : (tensor<?x?x2x1x16xf16>, tensor<16xf16>) -> tensor<?x?x2x1xf16>
  %s = "onnx.Dim"(%y) {axis = 0 : si64} : (tensor<?x?x2x1xf16>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%s, %c8, %m1, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}
