// RUN: fa-opt %s --allow-unregistered-dialect --fa-raise 2>&1 | FileCheck %s
// RUN: fa-opt %s --allow-unregistered-dialect --canonicalize --cse --fa-raise 2>&1 | FileCheck %s
// CHECK: remark: not raised: expects nothing between softmax and the second product, got an operator that changes single probabilities
// CHECK-NOT: fa.attention

// What:      the mask is applied to the probabilities, after the softmax, and nothing is normalised again: rows no
//            longer sum to 1.
// Front end: ONNX operators as onnx-mlir reads them, generic form.
// Expect:    DECLINE. Remark: an operator between softmax and the second product changes single probabilities.
//            Not to be confused with the guard of a safe softmax, whose condition is one value per row.

module {
  func.func @masked_after_softmax(%q: tensor<2x6x80x64xf16>,
      %kt: tensor<2x6x64x80xf16>,
      %v: tensor<2x6x80x64xf16>,
      %keep: tensor<2x1x80x80xi1>) -> tensor<2x6x80x64xf16> {
    %c = "onnx.Constant"() <{value = dense<1.250000e-01> : tensor<f16>}> : () -> tensor<f16>
    %zero = "onnx.Constant"() <{value = dense<0.000000e+00> : tensor<f16>}> : () -> tensor<f16>
    %s = "onnx.MatMul"(%q, %kt) : (tensor<2x6x80x64xf16>, tensor<2x6x64x80xf16>) -> tensor<2x6x80x80xf16>
    %ss = "onnx.Mul"(%s, %c) : (tensor<2x6x80x80xf16>, tensor<f16>) -> tensor<2x6x80x80xf16>
    %p = "onnx.Softmax"(%ss) <{axis = -1 : si64}> : (tensor<2x6x80x80xf16>) -> tensor<2x6x80x80xf16>
    %pm = "onnx.Where"(%keep, %p, %zero) : (tensor<2x1x80x80xi1>, tensor<2x6x80x80xf16>, tensor<f16>) -> tensor<2x6x80x80xf16>
    %o = "onnx.MatMul"(%pm, %v) : (tensor<2x6x80x80xf16>, tensor<2x6x80x64xf16>) -> tensor<2x6x80x64xf16>
    "onnx.Return"(%o) : (tensor<2x6x80x64xf16>) -> ()
  }
}
