// A fused operator with an attribute that nobody here knows.
module {
  func.func @f(%arg0: tensor<4x9x16xf16>, %arg1: tensor<4x9x16xf16>, %arg2: tensor<4x9x16xf16>) -> tensor<4x9x16xf16> {
    %0 = tensor.empty() : tensor<4x9x16xf16>
    %1 = "tm_tensor.attention"(%arg0, %arg1, %arg2, %0) <{operandSegmentSizes = array<i32: 3, 1>, window_size = 4 : i64}> : (tensor<4x9x16xf16>, tensor<4x9x16xf16>, tensor<4x9x16xf16>, tensor<4x9x16xf16>) -> tensor<4x9x16xf16>
    return %1 : tensor<4x9x16xf16>
  }
}

