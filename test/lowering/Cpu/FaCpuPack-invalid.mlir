// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-cpu-pack

// expected-error @+1 {{expects IR at stage outlined, got vectors}}
module attributes {fa.stage = "vectors"} {
}

// -----

module attributes {fa.stage = "outlined"} {
  func.func @wide(%a: tensor<8x16xf32>, %b: tensor<16x24xf32>, %c: tensor<8x24xf32>) -> tensor<8x24xf32> {
    // expected-error @+1 {{expects static tiles of f16 or bf16 tensors, got 'tensor<8x16xf32>'}}
    %d = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x24xf32>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
    return %d : tensor<8x24xf32>
  }
}

// -----

module attributes {fa.stage = "outlined"} {
  func.func @dynamic(%a: tensor<?x16xf16>, %b: tensor<16x24xf16>, %c: tensor<?x24xf32>) -> tensor<?x24xf32> {
    // expected-error @+1 {{expects static tiles of f16 or bf16 tensors, got 'tensor<?x16xf16>'}}
    %d = linalg.matmul ins(%a, %b : tensor<?x16xf16>, tensor<16x24xf16>) outs(%c : tensor<?x24xf32>) -> tensor<?x24xf32>
    return %d : tensor<?x24xf32>
  }
}

// -----

module attributes {fa.stage = "outlined"} {
  func.func @narrow_sums(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf16>) -> tensor<8x24xf16> {
    // expected-error @+1 {{expects to accumulate in f32, got 'tensor<8x24xf16>'}}
    %d = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf16>) -> tensor<8x24xf16>
    return %d : tensor<8x24xf16>
  }
}
