// Operators of dialects that are not registered have not been verified: what is malformed stays as it is, and fused
// operators get a remark.
// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise --verify-diagnostics | FileCheck %s
// CHECK-NOT: fa.attention

!q = tensor<2x4x8x16xf16>
!s = tensor<2x4x8x8xf16>

// Softmax and the second product as they should be, over scores that have no definition.
func.func @scores(%q: !q, %v: !q, %one: tensor<f16>, %i: tensor<2xi64>) -> (!q, !q, !q, !q, !q, !q) {
  %0 = "onnx.MatMul"(%q) : (!q) -> !s
  %1 = "onnx.Softmax"(%0) <{axis = 9 : si64}> : (!s) -> !s
  %2 = "onnx.MatMul"(%1, %v) : (!s, !q) -> !q
  %3 = "onnx.Where"(%0) : (!s) -> !s
  %4 = "onnx.Softmax"(%3) <{axis = 3 : si64}> : (!s) -> !s
  // expected-remark@+1 {{not raised: expects a product of queries and keys}}
  %5 = "onnx.MatMul"(%4, %v) : (!s, !q) -> !q
  %6 = "onnx.Trilu"(%one) <{upper = 1 : si64}> : (tensor<f16>) -> !s
  %7 = "onnx.Softmax"(%6) <{axis = 3 : si64}> : (!s) -> !s
  // expected-remark@+1 {{not raised: expects a product of queries and keys}}
  %8 = "onnx.MatMul"(%7, %v) : (!s, !q) -> !q
  %9 = "stablehlo.dot_general"(%q, %q) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [7], rhs_contracting_dimensions = [-1]>}> : (!q, !q) -> !s
  %10 = "onnx.Softmax"(%9) <{axis = 3 : si64}> : (!s) -> !s
  // expected-remark@+1 {{not raised: expects a product of queries and keys}}
  %11 = "onnx.MatMul"(%10, %v) : (!s, !q) -> !q
  %12 = "stablehlo.select"(%0) : (!s) -> !s
  %13 = "onnx.Softmax"(%12) <{axis = 3 : si64}> : (!s) -> !s
  // expected-remark@+1 {{not raised: expects a product of queries and keys}}
  %14 = "onnx.MatMul"(%13, %v) : (!s, !q) -> !q
  %15 = "stablehlo.iota"() <{iota_dimension = 5 : i64}> : () -> !s
  %16 = "stablehlo.reduce"(%15, %one) <{dimensions = array<i64: 9>}> ({
    "stablehlo.return"() : () -> ()
  }) : (!s, tensor<f16>) -> !s
  %17 = "onnx.Softmax"(%16) <{axis = 3 : si64}> : (!s) -> !s
  // expected-remark@+1 {{not raised: expects a product of queries and keys}}
  %18 = "onnx.MatMul"(%17, %v) : (!s, !q) -> !q
  return %2, %5, %8, %11, %14, %18 : !q, !q, !q, !q, !q, !q
}

func.func @fused(%q: !q, %t: tensor<8x16xf16>, %none: none, %scale: f16) -> (!q, !q, !q, !q, !q) {
  // expected-remark@+1 {{not raised: expects 4 or 5 operands of rank 2 or more}}
  %0 = "tm_tensor.attention"(%q, %q) : (!q, !q) -> !q
  // expected-remark@+1 {{not raised: expects q, k and the result to have one rank}}
  %1 = "tm_tensor.attention"(%q, %t, %t, %q) : (!q, tensor<8x16xf16>, tensor<8x16xf16>, !q) -> !q
  // expected-remark@+1 {{not raised: expects attributes that are known here, got 'window_size'}}
  %2 = "tm_tensor.attention"(%q, %q, %q, %q) {window_size = 4 : i64} : (!q, !q, !q, !q) -> !q
  // expected-remark@+1 {{not raised: expects indexing maps}}
  %3 = "iree_linalg_ext.attention"(%q, %q, %q, %scale, %q) {indexing_maps = [1, 2, 3, 4, 5]} : (!q, !q, !q, f16, !q) -> !q
  // expected-remark@+1 {{not raised: expects}}
  %4 = "onnx.Attention"(%q, %none) : (!q, none) -> !q
  return %0, %1, %2, %3, %4 : !q, !q, !q, !q, !q
}

// Shapes and positions from operators that lack operands, or name what is not there.
func.func @shapes(%q: tensor<?x?x64xf16>, %k: tensor<?x4x9x16xf16>, %x: tensor<*xf16>) -> tensor<?x4x?x16xf16> {
  %none = "onnx.Dim"() {axis = 0 : si64} : () -> tensor<1xi64>
  %far = "onnx.Dim"(%q) {axis = 9 : si64} : (tensor<?x?x64xf16>) -> tensor<1xi64>
  %un = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<*xf16>) -> tensor<1xi64>
  %emptyc = "onnx.Concat"() {axis = 0 : si64} : () -> tensor<0xi64>
  %few = "onnx.Constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %minus = "onnx.Constant"() {value = dense<-9> : tensor<1xi64>} : () -> tensor<1xi64>
  %g = "onnx.Gather"(%few, %minus) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %sl = "onnx.Slice"(%emptyc, %g) : (tensor<0xi64>, tensor<1xi64>) -> tensor<1xi64>
  %sh = "onnx.Concat"(%none, %far, %g, %sl) {axis = 7 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%q, %sh) : (tensor<?x?x64xf16>, tensor<4xi64>) -> tensor<?x?x4x16xf16>
  %qt = "onnx.Transpose"(%r) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x16xf16>) -> tensor<?x4x?x16xf16>
  %kt = "onnx.Transpose"(%k) {perm = [0, 1, 3, 2]} : (tensor<?x4x9x16xf16>) -> tensor<?x4x16x9xf16>
  %s = "onnx.MatMul"(%qt, %kt) : (tensor<?x4x?x16xf16>, tensor<?x4x16x9xf16>) -> tensor<?x4x?x9xf16>
  %c = "onnx.Concat"(%s) {axis = 11 : si64} : (tensor<?x4x?x9xf16>) -> tensor<?x4x?x9xf16>
  %w = "onnx.Softmax"(%c) {axis = -1 : si64} : (tensor<?x4x?x9xf16>) -> tensor<?x4x?x9xf16>
  %d = "onnx.Slice"(%w, %g, %g, %g) : (tensor<?x4x?x9xf16>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4x?x9xf16>
  // expected-remark@+1 {{expects softmax weights in the second product, got exponentials changed by onnx.Slice}}
  %o = "onnx.MatMul"(%d, %k) : (tensor<?x4x?x9xf16>, tensor<?x4x9x16xf16>) -> tensor<?x4x?x16xf16>
  return %o : tensor<?x4x?x16xf16>
}
