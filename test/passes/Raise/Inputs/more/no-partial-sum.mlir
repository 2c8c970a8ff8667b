// The sum leaves a key out.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x2x8x16xf16>, %arg1: tensor<2x2x8x16xf16>, %arg2: tensor<2x2x8x16xf16>) -> tensor<2x2x8x16xf16> {
    %0 = tensor.empty() : tensor<2x2x8x8xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>) outs(%1 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f16, %in_3: f16, %out: f32):
      %19 = arith.extf %in : f16 to f32
      %20 = arith.extf %in_3 : f16 to f32
      %21 = arith.mulf %19, %20 : f32
      %22 = arith.addf %21, %out : f32
      linalg.yield %22 : f32
    } -> tensor<2x2x8x8xf32>
    %cst_0 = arith.constant 2.500000e-01 : f32
    %3 = tensor.empty() : tensor<2x2x8x8xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x8x8xf32>) outs(%3 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.mulf %in, %cst_0 : f32
      linalg.yield %19 : f32
    } -> tensor<2x2x8x8xf32>
    %5 = tensor.empty() : tensor<2x2x8x8xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x2x8x8xf32>) outs(%5 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = math.exp %in : f32
      linalg.yield %19 : f32
    } -> tensor<2x2x8x8xf32>
    %extracted_slice = tensor.extract_slice %6[0, 0, 0, 1] [2, 2, 8, 7] [1, 1, 1, 1] : tensor<2x2x8x8xf32> to tensor<2x2x8x7xf32>
    %7 = tensor.empty() : tensor<2x2x8xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %8 = linalg.fill ins(%cst_1 : f32) outs(%7 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice : tensor<2x2x8x7xf32>) outs(%8 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %in, %out : f32
      linalg.yield %19 : f32
    } -> tensor<2x2x8xf32>
    %10 = tensor.empty() : tensor<2x2x8x8xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) outs(%10 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %19 = arith.divf %in, %in_3 : f32
      linalg.yield %19 : f32
    } -> tensor<2x2x8x8xf32>
    %12 = tensor.empty() : tensor<2x2x8x8xf16>
    %13 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x2x8x8xf32>) outs(%12 : tensor<2x2x8x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %19 = arith.truncf %in : f32 to f16
      linalg.yield %19 : f16
    } -> tensor<2x2x8x8xf16>
    %14 = tensor.empty() : tensor<2x2x8x16xf32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %15 = linalg.fill ins(%cst_2 : f32) outs(%14 : tensor<2x2x8x16xf32>) -> tensor<2x2x8x16xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%13, %arg2 : tensor<2x2x8x8xf16>, tensor<2x2x8x16xf16>) outs(%15 : tensor<2x2x8x16xf32>) {
    ^bb0(%in: f16, %in_3: f16, %out: f32):
      %19 = arith.extf %in : f16 to f32
      %20 = arith.extf %in_3 : f16 to f32
      %21 = arith.mulf %19, %20 : f32
      %22 = arith.addf %21, %out : f32
      linalg.yield %22 : f32
    } -> tensor<2x2x8x16xf32>
    %17 = tensor.empty() : tensor<2x2x8x16xf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x2x8x16xf32>) outs(%17 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %19 = arith.truncf %in : f32 to f16
      linalg.yield %19 : f16
    } -> tensor<2x2x8x16xf16>
    return %18 : tensor<2x2x8x16xf16>
  }
}

