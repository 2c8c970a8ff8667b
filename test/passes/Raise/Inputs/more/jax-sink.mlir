// A learned logit for each query head joins the sum, and the maximum.
module {
  func.func @f(%arg0: tensor<2x8x4x16xbf16>, %arg1: tensor<2x8x2x16xbf16>, %arg2: tensor<2x8x2x16xbf16>, %arg3: tensor<4xbf16>) -> tensor<2x8x2x2x16xbf16> {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<2x8x4x16xbf16>) -> tensor<2x8x2x2x16xbf16>
    %1 = "stablehlo.dot_general"(%0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [3]>}> : (tensor<2x8x2x2x16xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x8x2x8xf32>
    %2 = "stablehlo.transpose"(%1) <{permutation = array<i64: 0, 1, 3, 2, 4>}> : (tensor<2x2x8x2x8xf32>) -> tensor<2x2x2x8x8xf32>
    %3 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x8x8xf32>
    %5 = "stablehlo.multiply"(%2, %4) : (tensor<2x2x2x8x8xf32>, tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %6 = "stablehlo.convert"(%arg3) : (tensor<4xbf16>) -> tensor<4xf32>
    %7 = "stablehlo.reshape"(%6) : (tensor<4xf32>) -> tensor<2x2xf32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<2x2xf32>) -> tensor<2x2x2x8xf32>
    %9 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.reduce"(%5, %9) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %25 = "stablehlo.maximum"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%25) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x2x8xf32>
    %11 = "stablehlo.maximum"(%10, %8) : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8x8xf32>
    %13 = "stablehlo.subtract"(%5, %12) : (tensor<2x2x2x8x8xf32>, tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %14 = "stablehlo.exponential"(%13) : (tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%14, %15) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %25 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%25) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x2x8xf32>
    %17 = "stablehlo.subtract"(%8, %11) : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
    %18 = "stablehlo.exponential"(%17) : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
    %19 = "stablehlo.add"(%16, %18) : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8x8xf32>
    %21 = "stablehlo.divide"(%14, %20) : (tensor<2x2x2x8x8xf32>, tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xf32>
    %22 = "stablehlo.convert"(%21) : (tensor<2x2x2x8x8xf32>) -> tensor<2x2x2x8x8xbf16>
    %23 = "stablehlo.dot_general"(%22, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [1]>}> : (tensor<2x2x2x8x8xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x2x8x16xbf16>
    %24 = "stablehlo.transpose"(%23) <{permutation = array<i64: 0, 3, 1, 2, 4>}> : (tensor<2x2x2x8x16xbf16>) -> tensor<2x8x2x2x16xbf16>
    return %24 : tensor<2x8x2x2x16xbf16>
  }
}

