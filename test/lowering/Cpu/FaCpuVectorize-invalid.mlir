// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-cpu-vectorize

// expected-error @+1 {{expects IR at stage packed, got outlined}}
module attributes {fa.stage = "outlined"} {
}

// -----

module attributes {fa.stage = "packed"} {
  func.func @odd(%a: tensor<8x16xf32>, %b: tensor<16x20xf32>, %c: tensor<8x20xf32>) -> tensor<8x20xf32> {
    // expected-error @+1 {{expects a result of a multiple of 8 columns and vectors of 256 or 512 bits, got 20 columns and 256 bits}}
    %d = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x20xf32>) outs(%c : tensor<8x20xf32>) -> tensor<8x20xf32>
    return %d : tensor<8x20xf32>
  }
}
