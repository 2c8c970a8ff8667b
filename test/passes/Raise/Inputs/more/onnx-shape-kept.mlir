// The Reshape that makes heads of what was repeated keeps batch and length: its sizes are read off several ways.
// shapes: 2x2x1x6x16, 2x8x7x16
func.func @constants(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%c0, %c8, %m1, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @negative(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %m5 = "onnx.Constant"() {value = dense<[-5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m2 = "onnx.Constant"() {value = dense<[-2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) : (tensor<?x2x1x?x16xf16>) -> tensor<5xi64>
  %b = "onnx.Gather"(%sizes, %m5) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "onnx.Gather"(%sizes, %m2) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @reversed_twice(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c3 = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) : (tensor<?x2x1x?x16xf16>) -> tensor<5xi64>
  %back = "onnx.Slice"(%sizes, %c3, %m10, %c0, %m1) : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %again = "onnx.Slice"(%back, %max, %m10, %m1, %m1) : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %b = "onnx.Gather"(%again, %c0) {axis = 0 : si64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "onnx.Gather"(%again, %c3) {axis = 0 : si64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @start_behind(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %c64 = "onnx.Constant"() {value = dense<[64]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c4 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) : (tensor<?x2x1x?x16xf16>) -> tensor<5xi64>
  %back = "onnx.Slice"(%sizes, %c64, %m10, %c0, %m1) : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %b = "onnx.Gather"(%back, %c4) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "onnx.Gather"(%back, %c1) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @start_in_front(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %m10 = "onnx.Constant"() {value = dense<[-10]> : tensor<1xi64>} : () -> tensor<1xi64>
  %max = "onnx.Constant"() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c0 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c3 = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) : (tensor<?x2x1x?x16xf16>) -> tensor<5xi64>
  %all = "onnx.Slice"(%sizes, %m10, %max, %c0, %c1) : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %b = "onnx.Gather"(%all, %c0) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "onnx.Gather"(%all, %c3) {axis = 0 : si64} : (tensor<5xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}

func.func @shape_of_some(%k: tensor<?x2x1x?x16xf16>, %q: tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16> {
  %m4 = "onnx.Constant"() {value = dense<[-4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c8 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c16 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
  %repeat = "onnx.Constant"() {value = dense<[1, 1, 4, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %sizes = "onnx.Shape"(%k) {start = -10 : si64, end = -1 : si64} : (tensor<?x2x1x?x16xf16>) -> tensor<4xi64>
  %b = "onnx.Gather"(%sizes, %m4) {axis = 0 : si64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "onnx.Gather"(%sizes, %m1) {axis = 0 : si64} : (tensor<4xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
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
  %b = "onnx.Dim"(%x) {axis = 3 : si64} : (tensor<?x2x1x?x16xf16>) -> tensor<1xi64>
  %s = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x2x1x?x16xf16>) -> tensor<1xi64>
  %e = "onnx.Expand"(%k, %repeat) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
  %sh = "onnx.Concat"(%b, %c8, %s, %c16) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%e, %sh) : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
  %t = "onnx.Transpose"(%r) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
  %p = "onnx.MatMul"(%q, %t) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
  %w = "onnx.Softmax"(%p) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
  %o = "onnx.MatMul"(%w, %r) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
  return %o : tensor<?x8x?x16xf16>
}
