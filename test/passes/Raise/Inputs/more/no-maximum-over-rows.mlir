// What is subtracted is the maximum over the queries of each key.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x2x8x16xf16>, %arg1: tensor<2x2x8x16xf16>, %arg2: tensor<2x2x8x16xf16>) -> tensor<2x2x8x16xf16> {
    %0 = tensor.empty() : tensor<2x2x8x8xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>) outs(%1 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f16, %in_4: f16, %out: f32):
      %20 = arith.extf %in : f16 to f32
      %21 = arith.extf %in_4 : f16 to f32
      %22 = arith.mulf %20, %21 : f32
      %23 = arith.addf %22, %out : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x8x8xf32>
    %cst_0 = arith.constant 2.500000e-01 : f32
    %3 = tensor.empty() : tensor<2x2x8x8xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x8x8xf32>) outs(%3 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.mulf %in, %cst_0 : f32
      linalg.yield %20 : f32
    } -> tensor<2x2x8x8xf32>
    %5 = tensor.empty() : tensor<2x2x8xf32>
    %cst_1 = arith.constant 0xFF800000 : f32
    %6 = linalg.fill ins(%cst_1 : f32) outs(%5 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%4 : tensor<2x2x8x8xf32>) outs(%6 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %in, %out : f32
      linalg.yield %20 : f32
    } -> tensor<2x2x8xf32>
    %8 = tensor.empty() : tensor<2x2x8x8xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %7 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) outs(%8 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %20 = arith.subf %in, %in_4 : f32
      %21 = math.exp %20 : f32
      linalg.yield %21 : f32
    } -> tensor<2x2x8x8xf32>
    %10 = tensor.empty() : tensor<2x2x8xf32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %11 = linalg.fill ins(%cst_2 : f32) outs(%10 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<2x2x8x8xf32>) outs(%11 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %in, %out : f32
      linalg.yield %20 : f32
    } -> tensor<2x2x8xf32>
    %13 = tensor.empty() : tensor<2x2x8x8xf16>
    %14 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %12 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) outs(%13 : tensor<2x2x8x8xf16>) {
    ^bb0(%in: f32, %in_4: f32, %out: f16):
      %20 = arith.divf %in, %in_4 : f32
      %21 = arith.truncf %20 : f32 to f16
      linalg.yield %21 : f16
    } -> tensor<2x2x8x8xf16>
    %15 = tensor.empty() : tensor<2x2x8x16xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %16 = linalg.fill ins(%cst_3 : f32) outs(%15 : tensor<2x2x8x16xf32>) -> tensor<2x2x8x16xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map6, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%14, %arg2 : tensor<2x2x8x8xf16>, tensor<2x2x8x16xf16>) outs(%16 : tensor<2x2x8x16xf32>) {
    ^bb0(%in: f16, %in_4: f16, %out: f32):
      %20 = arith.extf %in : f16 to f32
      %21 = arith.extf %in_4 : f16 to f32
      %22 = arith.mulf %20, %21 : f32
      %23 = arith.addf %22, %out : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x8x16xf32>
    %18 = tensor.empty() : tensor<2x2x8x16xf16>
    %19 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x2x8x16xf32>) outs(%18 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %20 = arith.truncf %in : f32 to f16
      linalg.yield %20 : f16
    } -> tensor<2x2x8x16xf16>
    return %19 : tensor<2x2x8x16xf16>
  }
}

