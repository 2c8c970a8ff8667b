// JAX with a symbolic batch size: dynamic_broadcast_in_dim.
module attributes {jax.uses_shape_polymorphism = true} {
  func.func @f(%arg0: tensor<?x8x2x16xbf16>, %arg1: tensor<?x8x2x16xbf16>, %arg2: tensor<?x8x2x16xbf16>) -> tensor<?x8x2x16xbf16> {
    %0 = "stablehlo.get_dimension_size"(%arg0) <{dimension = 0 : i64}> : (tensor<?x8x2x16xbf16>) -> tensor<i32>
    %1 = "stablehlo.reshape"(%0) : (tensor<i32>) -> tensor<1xi32>
    %2 = "stablehlo.constant"() <{value = dense<[2, 8, 8]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %3 = "stablehlo.concatenate"(%1, %2) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %4 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<?x8x2x16xbf16>, tensor<?x8x2x16xbf16>) -> tensor<?x2x8x8xf32>
    %5 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.dynamic_broadcast_in_dim"(%5, %3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x2x8x8xf32>
    %7 = "stablehlo.multiply"(%4, %6) : (tensor<?x2x8x8xf32>, tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
    %8 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %9 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %10 = "stablehlo.compare"(%8, %9) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %11 = "stablehlo.dynamic_broadcast_in_dim"(%10, %3) <{broadcast_dimensions = array<i64: 2, 3>}> : (tensor<8x8xi1>, tensor<4xi32>) -> tensor<?x2x8x8xi1>
    %12 = "stablehlo.constant"() <{value = dense<-2.38197633E+38> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.dynamic_broadcast_in_dim"(%12, %3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>, tensor<4xi32>) -> tensor<?x2x8x8xf32>
    %14 = "stablehlo.select"(%11, %7, %13) : (tensor<?x2x8x8xi1>, tensor<?x2x8x8xf32>, tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%14, %15) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %27 = "stablehlo.maximum"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%27) : (tensor<f32>) -> ()
    }) : (tensor<?x2x8x8xf32>, tensor<f32>) -> tensor<?x2x8xf32>
    %17 = "stablehlo.dynamic_broadcast_in_dim"(%16, %3) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x2x8xf32>, tensor<4xi32>) -> tensor<?x2x8x8xf32>
    %18 = "stablehlo.subtract"(%14, %17) : (tensor<?x2x8x8xf32>, tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
    %19 = "stablehlo.exponential"(%18) : (tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
    %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.reduce"(%19, %20) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %27 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%27) : (tensor<f32>) -> ()
    }) : (tensor<?x2x8x8xf32>, tensor<f32>) -> tensor<?x2x8xf32>
    %22 = "stablehlo.dynamic_broadcast_in_dim"(%21, %3) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<?x2x8xf32>, tensor<4xi32>) -> tensor<?x2x8x8xf32>
    %23 = "stablehlo.divide"(%19, %22) : (tensor<?x2x8x8xf32>, tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
    %24 = "stablehlo.convert"(%23) : (tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xbf16>
    %25 = "stablehlo.dot_general"(%24, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>}> : (tensor<?x2x8x8xbf16>, tensor<?x8x2x16xbf16>) -> tensor<?x2x8x16xbf16>
    %26 = "stablehlo.transpose"(%25) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<?x2x8x16xbf16>) -> tensor<?x8x2x16xbf16>
    return %26 : tensor<?x8x2x16xbf16>
  }
}

