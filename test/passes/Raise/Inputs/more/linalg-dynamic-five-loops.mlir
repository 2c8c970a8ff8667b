// torch-mlir with dynamic batch and heads: products of five loops, softmax in f16 from the lowest finite number.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @f(%arg0: tensor<?x?x?x16xf16>, %arg1: tensor<?x?x?x16xf16>, %arg2: tensor<?x?x?x16xf16>) -> tensor<?x?x?x16xf16> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x?x16xf16>
    %c1 = arith.constant 1 : index
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?x?x16xf16>
    %c2 = arith.constant 2 : index
    %dim_1 = tensor.dim %arg0, %c2 : tensor<?x?x?x16xf16>
    %c2_2 = arith.constant 2 : index
    %dim_3 = tensor.dim %arg1, %c2_2 : tensor<?x?x?x16xf16>
    %0 = tensor.empty(%dim, %dim_0, %dim_3) : tensor<?x?x16x?xf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<?x?x?x16xf16>) outs(%0 : tensor<?x?x16x?xf16>) permutation = [0, 1, 3, 2] 
    %1 = tensor.empty(%dim, %dim_0, %dim_1, %dim_3) : tensor<?x?x?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %transposed : tensor<?x?x?x16xf16>, tensor<?x?x16x?xf16>) outs(%2 : tensor<?x?x?x?xf32>) {
    ^bb0(%in: f16, %in_8: f16, %out: f32):
      %25 = arith.extf %in : f16 to f32
      %26 = arith.extf %in_8 : f16 to f32
      %27 = arith.mulf %25, %26 : f32
      %28 = arith.addf %27, %out : f32
      linalg.yield %28 : f32
    } -> tensor<?x?x?x?xf32>
    %4 = tensor.empty(%dim, %dim_0, %dim_1, %dim_3) : tensor<?x?x?x?xf16>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<?x?x?x?xf32>) outs(%4 : tensor<?x?x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %25 = arith.truncf %in : f32 to f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?x?xf16>
    %cst_4 = arith.constant 2.500000e-01 : f16
    %6 = tensor.empty(%dim, %dim_0, %dim_1, %dim_3) : tensor<?x?x?x?xf16>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<?x?x?x?xf16>) outs(%6 : tensor<?x?x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %25 = arith.mulf %in, %cst_4 : f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?x?xf16>
    %8 = tensor.empty(%dim, %dim_0, %dim_1) : tensor<?x?x?xf16>
    %cst_5 = arith.constant -6.550400e+04 : f16
    %9 = linalg.fill ins(%cst_5 : f16) outs(%8 : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
    %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<?x?x?x?xf16>) outs(%9 : tensor<?x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %25 = arith.maximumf %in, %out : f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?xf16>
    %11 = tensor.empty(%dim, %dim_0, %dim_1, %dim_3) : tensor<?x?x?x?xf16>
    %12 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10 : tensor<?x?x?x?xf16>, tensor<?x?x?xf16>) outs(%11 : tensor<?x?x?x?xf16>) {
    ^bb0(%in: f16, %in_8: f16, %out: f16):
      %25 = arith.subf %in, %in_8 : f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?x?xf16>
    %13 = tensor.empty(%dim, %dim_0, %dim_1, %dim_3) : tensor<?x?x?x?xf16>
    %14 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<?x?x?x?xf16>) outs(%13 : tensor<?x?x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %25 = math.exp %in : f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?x?xf16>
    %15 = tensor.empty(%dim, %dim_0, %dim_1) : tensor<?x?x?xf16>
    %cst_6 = arith.constant 0.000000e+00 : f16
    %16 = linalg.fill ins(%cst_6 : f16) outs(%15 : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
    %17 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<?x?x?x?xf16>) outs(%16 : tensor<?x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %25 = arith.addf %in, %out : f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?xf16>
    %18 = tensor.empty(%dim, %dim_0, %dim_1, %dim_3) : tensor<?x?x?x?xf16>
    %19 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<?x?x?x?xf16>, tensor<?x?x?xf16>) outs(%18 : tensor<?x?x?x?xf16>) {
    ^bb0(%in: f16, %in_8: f16, %out: f16):
      %25 = arith.divf %in, %in_8 : f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?x?xf16>
    %20 = tensor.empty(%dim, %dim_0, %dim_1) : tensor<?x?x?x16xf32>
    %cst_7 = arith.constant 0.000000e+00 : f32
    %21 = linalg.fill ins(%cst_7 : f32) outs(%20 : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%19, %arg2 : tensor<?x?x?x?xf16>, tensor<?x?x?x16xf16>) outs(%21 : tensor<?x?x?x16xf32>) {
    ^bb0(%in: f16, %in_8: f16, %out: f32):
      %25 = arith.extf %in : f16 to f32
      %26 = arith.extf %in_8 : f16 to f32
      %27 = arith.mulf %25, %26 : f32
      %28 = arith.addf %27, %out : f32
      linalg.yield %28 : f32
    } -> tensor<?x?x?x16xf32>
    %23 = tensor.empty(%dim, %dim_0, %dim_1) : tensor<?x?x?x16xf16>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<?x?x?x16xf32>) outs(%23 : tensor<?x?x?x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %25 = arith.truncf %in : f32 to f16
      linalg.yield %25 : f16
    } -> tensor<?x?x?x16xf16>
    return %24 : tensor<?x?x?x16xf16>
  }
}

