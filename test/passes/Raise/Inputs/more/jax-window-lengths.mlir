// jax.nn.dot_product_attention with a window and both lengths; rows that do not exist are multiplied by 0 afterwards.
module {
  func.func @f(%arg0: tensor<2x8x2x16xbf16>, %arg1: tensor<2x8x2x16xbf16>, %arg2: tensor<2x8x2x16xbf16>, %arg3: tensor<2xi32>, %arg4: tensor<2xi32>) -> tensor<2x8x2x16xbf16> {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (tensor<2x8x2x16xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x8x8xf32>
    %1 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %3 = "stablehlo.multiply"(%0, %2) : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %4 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %5 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %6 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %8 = "stablehlo.subtract"(%4, %7) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %9 = "stablehlo.compare"(%8, %5) <{comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %10 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %12 = "stablehlo.add"(%4, %11) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %13 = "stablehlo.compare"(%12, %5) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %14 = "stablehlo.and"(%9, %13) : (tensor<8x8xi1>, tensor<8x8xi1>) -> tensor<8x8xi1>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 2, 3>}> : (tensor<8x8xi1>) -> tensor<2x1x8x8xi1>
    %16 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x1x8x8xi32>
    %17 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1x8x8xi32>
    %18 = "stablehlo.compare"(%16, %17) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x1x8x8xi32>, tensor<2x1x8x8xi32>) -> tensor<2x1x8x8xi1>
    %19 = "stablehlo.iota"() <{iota_dimension = 3 : i64}> : () -> tensor<2x1x8x8xi32>
    %20 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1x8x8xi32>
    %21 = "stablehlo.compare"(%19, %20) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x1x8x8xi32>, tensor<2x1x8x8xi32>) -> tensor<2x1x8x8xi1>
    %22 = "stablehlo.and"(%18, %21) : (tensor<2x1x8x8xi1>, tensor<2x1x8x8xi1>) -> tensor<2x1x8x8xi1>
    %23 = "stablehlo.and"(%15, %22) : (tensor<2x1x8x8xi1>, tensor<2x1x8x8xi1>) -> tensor<2x1x8x8xi1>
    %24 = "stablehlo.reshape"(%23) : (tensor<2x1x8x8xi1>) -> tensor<2x8x8xi1>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64: 0, 2, 3>}> : (tensor<2x8x8xi1>) -> tensor<2x2x8x8xi1>
    %26 = "stablehlo.constant"() <{value = dense<-2.38197633E+38> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x8x8xf32>
    %28 = "stablehlo.select"(%25, %3, %27) : (tensor<2x2x8x8xi1>, tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %29 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.reduce"(%28, %29) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %46 = "stablehlo.maximum"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%46) : (tensor<f32>) -> ()
    }) : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
    %32 = "stablehlo.subtract"(%28, %31) : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %33 = "stablehlo.exponential"(%32) : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %34 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.reduce"(%33, %34) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %46 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%46) : (tensor<f32>) -> ()
    }) : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
    %37 = "stablehlo.divide"(%33, %36) : (tensor<2x2x8x8xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %38 = "stablehlo.convert"(%37) : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xbf16>
    %39 = "stablehlo.dot_general"(%38, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>}> : (tensor<2x2x8x8xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x2x8x16xbf16>
    %40 = "stablehlo.transpose"(%39) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x2x8x16xbf16>) -> tensor<2x8x2x16xbf16>
    %41 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x8x2x16xi32>
    %42 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x8x2x16xi32>
    %43 = "stablehlo.compare"(%41, %42) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x8x2x16xi32>, tensor<2x8x2x16xi32>) -> tensor<2x8x2x16xi1>
    %44 = "stablehlo.convert"(%43) : (tensor<2x8x2x16xi1>) -> tensor<2x8x2x16xbf16>
    %45 = "stablehlo.multiply"(%40, %44) : (tensor<2x8x2x16xbf16>, tensor<2x8x2x16xbf16>) -> tensor<2x8x2x16xbf16>
    return %45 : tensor<2x8x2x16xbf16>
  }
}

