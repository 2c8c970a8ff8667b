// Keys and values are repeated by Expand and Reshape; batch and length are Dims of the input of the projections.
module {
  func.func @llama(%x: tensor<?x?x128xf16>, %wq: tensor<128x128xf16>, %wk: tensor<128x32xf16>, %wv: tensor<128x32xf16>) -> tensor<?x?x128xf16> {
    %1 = "onnx.MatMul"(%x, %wq) : (tensor<?x?x128xf16>, tensor<128x128xf16>) -> tensor<?x?x128xf16>
    %2 = "onnx.MatMul"(%x, %wk) : (tensor<?x?x128xf16>, tensor<128x32xf16>) -> tensor<?x?x32xf16>
    %3 = "onnx.MatMul"(%x, %wv) : (tensor<?x?x128xf16>, tensor<128x32xf16>) -> tensor<?x?x32xf16>
    %4 = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %5 = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %6 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
    %7 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %8 = "onnx.Concat"(%4, %5, %6, %7) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %9 = "onnx.Reshape"(%1, %8) {allowzero = 0 : si64} : (tensor<?x?x128xf16>, tensor<4xi64>) -> tensor<?x?x8x16xf16>
    %10 = "onnx.Transpose"(%9) {perm = [0, 2, 1, 3]} : (tensor<?x?x8x16xf16>) -> tensor<?x8x?x16xf16>
    %11 = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %12 = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %13 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %14 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %15 = "onnx.Concat"(%11, %12, %13, %14) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %16 = "onnx.Reshape"(%2, %15) {allowzero = 0 : si64} : (tensor<?x?x32xf16>, tensor<4xi64>) -> tensor<?x?x2x16xf16>
    %17 = "onnx.Transpose"(%16) {perm = [0, 2, 1, 3]} : (tensor<?x?x2x16xf16>) -> tensor<?x2x?x16xf16>
    %18 = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %19 = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %20 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %21 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %22 = "onnx.Concat"(%18, %19, %20, %21) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %23 = "onnx.Reshape"(%3, %22) {allowzero = 0 : si64} : (tensor<?x?x32xf16>, tensor<4xi64>) -> tensor<?x?x2x16xf16>
    %24 = "onnx.Transpose"(%23) {perm = [0, 2, 1, 3]} : (tensor<?x?x2x16xf16>) -> tensor<?x2x?x16xf16>
    %25 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %26 = "onnx.Unsqueeze"(%17, %25) : (tensor<?x2x?x16xf16>, tensor<1xi64>) -> tensor<?x2x1x?x16xf16>
    %27 = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %28 = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %29 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %30 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %31 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %32 = "onnx.Concat"(%27, %29, %30, %28, %31) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
    %33 = "onnx.Expand"(%26, %32) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
    %34 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
    %35 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %36 = "onnx.Concat"(%27, %34, %28, %35) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %37 = "onnx.Reshape"(%33, %36) {allowzero = 0 : si64} : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
    %38 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %39 = "onnx.Unsqueeze"(%24, %38) : (tensor<?x2x?x16xf16>, tensor<1xi64>) -> tensor<?x2x1x?x16xf16>
    %40 = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %41 = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %42 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %43 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %44 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %45 = "onnx.Concat"(%40, %42, %43, %41, %44) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
    %46 = "onnx.Expand"(%39, %45) : (tensor<?x2x1x?x16xf16>, tensor<5xi64>) -> tensor<?x2x4x?x16xf16>
    %47 = "onnx.Constant"() {value = dense<[8]> : tensor<1xi64>} : () -> tensor<1xi64>
    %48 = "onnx.Constant"() {value = dense<[16]> : tensor<1xi64>} : () -> tensor<1xi64>
    %49 = "onnx.Concat"(%40, %47, %41, %48) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %50 = "onnx.Reshape"(%46, %49) {allowzero = 0 : si64} : (tensor<?x2x4x?x16xf16>, tensor<4xi64>) -> tensor<?x8x?x16xf16>
    %51 = "onnx.Transpose"(%37) {perm = [0, 1, 3, 2]} : (tensor<?x8x?x16xf16>) -> tensor<?x8x16x?xf16>
    %52 = "onnx.Constant"() {value = dense<5.000000e-01> : tensor<f16>} : () -> tensor<f16>
    %53 = "onnx.Mul"(%10, %52) : (tensor<?x8x?x16xf16>, tensor<f16>) -> tensor<?x8x?x16xf16>
    %54 = "onnx.Mul"(%51, %52) : (tensor<?x8x16x?xf16>, tensor<f16>) -> tensor<?x8x16x?xf16>
    %55 = "onnx.MatMul"(%53, %54) : (tensor<?x8x?x16xf16>, tensor<?x8x16x?xf16>) -> tensor<?x8x?x?xf16>
    %56 = "onnx.Softmax"(%55) {axis = -1 : si64} : (tensor<?x8x?x?xf16>) -> tensor<?x8x?x?xf16>
    %57 = "onnx.MatMul"(%56, %50) : (tensor<?x8x?x?xf16>, tensor<?x8x?x16xf16>) -> tensor<?x8x?x16xf16>
    %58 = "onnx.Transpose"(%57) {perm = [0, 2, 1, 3]} : (tensor<?x8x?x16xf16>) -> tensor<?x?x8x16xf16>
    %59 = "onnx.Dim"(%x) {axis = 0 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %60 = "onnx.Dim"(%x) {axis = 1 : si64} : (tensor<?x?x128xf16>) -> tensor<1xi64>
    %61 = "onnx.Constant"() {value = dense<[128]> : tensor<1xi64>} : () -> tensor<1xi64>
    %62 = "onnx.Concat"(%59, %60, %61) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
    %63 = "onnx.Reshape"(%58, %62) {allowzero = 0 : si64} : (tensor<?x?x8x16xf16>, tensor<3xi64>) -> tensor<?x?x128xf16>
    "onnx.Return"(%63) : (tensor<?x?x128xf16>) -> ()
  }
}
