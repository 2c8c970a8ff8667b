// Grouped queries; the logarithm of the sum is a result, and read before the second product.
module {
  func.func @f(%arg0: tensor<2x8x4x16xbf16>, %arg1: tensor<2x8x2x16xbf16>, %arg2: tensor<2x8x2x16xbf16>) -> (tensor<2x8x2x2x16xbf16>, tensor<2x8x2x2xf32>, tensor<2x8x4xf32>) {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<2x8x4x16xbf16>) -> tensor<2x8x2x2x16xbf16>
    %1 = "stablehlo.dot_general"(%0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [3]>}> : (tensor<2x8x2x2x16xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x8x2x8xf32>
    %2 = "stablehlo.transpose"(%1) <{permutation = array<i64: 0, 1, 3, 2, 4>}> : (tensor<2x2x8x2x8xf32>) -> tensor<2x2x2x8x8xf32>
    %3 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x8x8xf32>
    %5 = "stablehlo.multiply"(%2, %4) : (tensor<2x2x2x8x8xf32>, tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %6 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %23 = "stablehlo.maximum"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%23) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x2x8xf32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8x8xf32>
    %9 = "stablehlo.subtract"(%5, %8) : (tensor<2x2x2x8x8xf32>, tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %10 = "stablehlo.exponential"(%9) : (tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.reduce"(%10, %11) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %23 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%23) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x2x8xf32>
    %13 = "stablehlo.log"(%12) : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
    %14 = "stablehlo.add"(%13, %7) : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
    %15 = "stablehlo.transpose"(%14) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x2x2x8xf32>) -> tensor<2x8x2x2xf32>
    %16 = "stablehlo.multiply"(%15, %15) : (tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>) -> tensor<2x8x2x2xf32>
    %17 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8x8xf32>
    %18 = "stablehlo.divide"(%10, %17) : (tensor<2x2x2x8x8xf32>, tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %19 = "stablehlo.convert"(%18) : (tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xbf16>
    %20 = "stablehlo.dot_general"(%19, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [1]>}> : (tensor<2x2x2x8x8xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x2x8x16xbf16>
    %21 = "stablehlo.transpose"(%20) <{permutation = array<i64: 0, 3, 1, 2, 4>}> : (tensor<2x2x2x8x16xbf16>) -> tensor<2x8x2x2x16xbf16>
    %22 = "stablehlo.reshape"(%15) : (tensor<2x8x2x2xf32>) -> tensor<2x8x4xf32>
    return %21, %16, %22 : tensor<2x8x2x2x16xbf16>, tensor<2x8x2x2xf32>, tensor<2x8x4xf32>
  }
}

