// Exponentials to the base 2, for which StableHLO has a power only.
module @jit_pow2 {
  func.func public @main(%q: tensor<2x6x6x16xbf16>, %k: tensor<2x6x2x16xbf16>, %v: tensor<2x6x2x16xbf16>) -> tensor<2x6x6x16xbf16> {
    %1 = "stablehlo.reshape"(%q) : (tensor<2x6x6x16xbf16>) -> tensor<2x6x2x3x16xbf16>
    %2 = "stablehlo.dot_general"(%1, %k) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x6x2x3x16xbf16>, tensor<2x6x2x16xbf16>) -> tensor<2x2x6x3x6xf32>
    %3 = "stablehlo.transpose"(%2) <{permutation = array<i64: 0, 1, 3, 2, 4>}> : (tensor<2x2x6x3x6xf32>) -> tensor<2x2x3x6x6xf32>
    %4 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.reduce"(%3, %4) <{dimensions = array<i64: 4>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<2x2x3x6x6xf32>, tensor<f32>) -> tensor<2x2x3x6xf32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x3x6xf32>) -> tensor<2x2x3x6x6xf32>
    %7 = "stablehlo.subtract"(%3, %6) : (tensor<2x2x3x6x6xf32>, tensor<2x2x3x6x6xf32>) -> tensor<2x2x3x6x6xf32>
    %8 = "stablehlo.constant"() <{value = dense<2.0> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x3x6x6xf32>
    %10 = "stablehlo.power"(%9, %7) : (tensor<2x2x3x6x6xf32>, tensor<2x2x3x6x6xf32>) -> tensor<2x2x3x6x6xf32>
    %11 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.reduce"(%10, %11) <{dimensions = array<i64: 4>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) : (tensor<2x2x3x6x6xf32>, tensor<f32>) -> tensor<2x2x3x6xf32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x3x6xf32>) -> tensor<2x2x3x6x6xf32>
    %14 = "stablehlo.divide"(%10, %13) : (tensor<2x2x3x6x6xf32>, tensor<2x2x3x6x6xf32>) -> tensor<2x2x3x6x6xf32>
    %15 = "stablehlo.convert"(%14) : (tensor<2x2x3x6x6xf32>) -> tensor<2x2x3x6x6xbf16>
    %16 = "stablehlo.dot_general"(%15, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x3x6x6xbf16>, tensor<2x6x2x16xbf16>) -> tensor<2x2x3x6x16xbf16>
    %17 = "stablehlo.transpose"(%16) <{permutation = array<i64: 0, 3, 1, 2, 4>}> : (tensor<2x2x3x6x16xbf16>) -> tensor<2x6x2x3x16xbf16>
    %18 = "stablehlo.reshape"(%17) : (tensor<2x6x2x3x16xbf16>) -> tensor<2x6x6x16xbf16>
    return %18 : tensor<2x6x6x16xbf16>
  }
}
