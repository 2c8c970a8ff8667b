// Query head h reads key head h / 3 and value head h mod 2.
module {
  func.func @f(%arg0: tensor<2x8x6x16xbf16>, %arg1: tensor<2x8x2x16xbf16>, %arg2: tensor<2x8x2x16xbf16>) -> tensor<2x8x6x16xbf16> {
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 0, 1, 2, 4>}> : (tensor<2x8x2x16xbf16>) -> tensor<2x8x2x3x16xbf16>
    %1 = "stablehlo.reshape"(%0) : (tensor<2x8x2x3x16xbf16>) -> tensor<2x8x6x16xbf16>
    %2 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 0, 1, 3, 4>}> : (tensor<2x8x2x16xbf16>) -> tensor<2x8x3x2x16xbf16>
    %3 = "stablehlo.reshape"(%2) : (tensor<2x8x3x2x16xbf16>) -> tensor<2x8x6x16xbf16>
    %4 = "stablehlo.dot_general"(%arg0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<2x8x6x16xbf16>, tensor<2x8x6x16xbf16>) -> tensor<2x6x8x8xf32>
    %5 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x6x8x8xf32>
    %7 = "stablehlo.multiply"(%4, %6) : (tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
    %8 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.reduce"(%7, %8) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %20 = "stablehlo.maximum"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<2x6x8x8xf32>, tensor<f32>) -> tensor<2x6x8xf32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x6x8xf32>) -> tensor<2x6x8x8xf32>
    %11 = "stablehlo.subtract"(%7, %10) : (tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
    %12 = "stablehlo.exponential"(%11) : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.reduce"(%12, %13) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %20 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<2x6x8x8xf32>, tensor<f32>) -> tensor<2x6x8xf32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x6x8xf32>) -> tensor<2x6x8x8xf32>
    %16 = "stablehlo.divide"(%12, %15) : (tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
    %17 = "stablehlo.convert"(%16) : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xbf16>
    %18 = "stablehlo.dot_general"(%17, %3) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>}> : (tensor<2x6x8x8xbf16>, tensor<2x8x6x16xbf16>) -> tensor<2x6x8x16xbf16>
    %19 = "stablehlo.transpose"(%18) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x6x8x16xbf16>) -> tensor<2x8x6x16xbf16>
    return %19 : tensor<2x8x6x16xbf16>
  }
}

