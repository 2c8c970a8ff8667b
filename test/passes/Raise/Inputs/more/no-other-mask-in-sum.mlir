// The weights and their sum have different masks.
module {
  func.func @f(%arg0: tensor<2x8x2x16xbf16>, %arg1: tensor<2x8x2x16xbf16>, %arg2: tensor<2x8x2x16xbf16>) -> tensor<2x8x2x16xbf16> {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<2x8x2x16xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x8x8xf32>
    %1 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %3 = "stablehlo.multiply"(%0, %2) : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %4 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x2x8x8xi32>
    %5 = "stablehlo.iota"() <{iota_dimension = 3 : i64}> : () -> tensor<2x2x8x8xi32>
    %6 = "stablehlo.compare"(%4, %5) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x2x8x8xi32>, tensor<2x2x8x8xi32>) -> tensor<2x2x8x8xi1>
    %7 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x2x8x8xi32>
    %8 = "stablehlo.iota"() <{iota_dimension = 3 : i64}> : () -> tensor<2x2x8x8xi32>
    %9 = "stablehlo.compare"(%7, %8) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<2x2x8x8xi32>, tensor<2x2x8x8xi32>) -> tensor<2x2x8x8xi1>
    %10 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.reduce"(%3, %10) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %28 = "stablehlo.maximum"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%28) : (tensor<f32>) -> ()
    }) : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
    %13 = "stablehlo.subtract"(%3, %12) : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %14 = "stablehlo.exponential"(%13) : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %17 = "stablehlo.select"(%6, %14, %16) : (tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %20 = "stablehlo.select"(%9, %14, %19) : (tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.reduce"(%20, %21) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %28 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%28) : (tensor<f32>) -> ()
    }) : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
    %24 = "stablehlo.divide"(%17, %23) : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %25 = "stablehlo.convert"(%24) : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xbf16>
    %26 = "stablehlo.dot_general"(%25, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>}> : (tensor<2x2x8x8xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x8x16xbf16>
    %27 = "stablehlo.transpose"(%26) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x2x8x16xbf16>) -> tensor<2x8x2x16xbf16>
    return %27 : tensor<2x8x2x16xbf16>
  }
}

