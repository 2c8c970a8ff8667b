// The mask once more behind the exponential, in the weights and in their sum.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x2x8x16xf16>, %arg1: tensor<2x2x8x16xf16>, %arg2: tensor<2x2x8x16xf16>) -> tensor<2x2x8x16xf16> {
    %0 = tensor.empty() : tensor<2x2x8x8xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>) outs(%1 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f16, %in_4: f16, %out: f32):
      %26 = arith.extf %in : f16 to f32
      %27 = arith.extf %in_4 : f16 to f32
      %28 = arith.mulf %26, %27 : f32
      %29 = arith.addf %28, %out : f32
      linalg.yield %29 : f32
    } -> tensor<2x2x8x8xf32>
    %cst_0 = arith.constant 2.500000e-01 : f32
    %3 = tensor.empty() : tensor<2x2x8x8xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x8x8xf32>) outs(%3 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.mulf %in, %cst_0 : f32
      linalg.yield %26 : f32
    } -> tensor<2x2x8x8xf32>
    %5 = tensor.empty() : tensor<8x8xi1>
    %6 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<8x8xi1>) {
    ^bb0(%out: i1):
      %26 = linalg.index 0 : index
      %27 = linalg.index 1 : index
      %28 = arith.cmpi sge, %26, %27 : index
      linalg.yield %28 : i1
    } -> tensor<8x8xi1>
    %7 = tensor.empty() : tensor<2x2x8x8xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %4 : tensor<8x8xi1>, tensor<2x2x8x8xf32>) outs(%7 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: i1, %in_4: f32, %out: f32):
      %cst_5 = arith.constant -1.000000e+30 : f32
      %26 = arith.select %in, %in_4, %cst_5 : f32
      linalg.yield %26 : f32
    } -> tensor<2x2x8x8xf32>
    %9 = tensor.empty() : tensor<2x2x8xf32>
    %cst_1 = arith.constant 0xFF800000 : f32
    %10 = linalg.fill ins(%cst_1 : f32) outs(%9 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x2x8x8xf32>) outs(%10 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.maximumf %in, %out : f32
      linalg.yield %26 : f32
    } -> tensor<2x2x8xf32>
    %12 = tensor.empty() : tensor<2x2x8x8xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map6, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %11, %6 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>, tensor<8x8xi1>) outs(%12 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %in_5: i1, %out: f32):
      %26 = arith.subf %in, %in_4 : f32
      %27 = math.exp %26 : f32
      %cst_6 = arith.constant 0.000000e+00 : f32
      %28 = arith.select %in_5, %27, %cst_6 : f32
      linalg.yield %28 : f32
    } -> tensor<2x2x8x8xf32>
    %14 = tensor.empty() : tensor<2x2x8xf32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %15 = linalg.fill ins(%cst_2 : f32) outs(%14 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x2x8x8xf32>) outs(%15 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.addf %in, %out : f32
      linalg.yield %26 : f32
    } -> tensor<2x2x8xf32>
    %17 = tensor.empty() : tensor<2x2x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %16 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) outs(%17 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %26 = arith.divf %in, %in_4 : f32
      linalg.yield %26 : f32
    } -> tensor<2x2x8x8xf32>
    %19 = tensor.empty() : tensor<2x2x8x8xf16>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x2x8x8xf32>) outs(%19 : tensor<2x2x8x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %26 = arith.truncf %in : f32 to f16
      linalg.yield %26 : f16
    } -> tensor<2x2x8x8xf16>
    %21 = tensor.empty() : tensor<2x2x8x16xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %22 = linalg.fill ins(%cst_3 : f32) outs(%21 : tensor<2x2x8x16xf32>) -> tensor<2x2x8x16xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%20, %arg2 : tensor<2x2x8x8xf16>, tensor<2x2x8x16xf16>) outs(%22 : tensor<2x2x8x16xf32>) {
    ^bb0(%in: f16, %in_4: f16, %out: f32):
      %26 = arith.extf %in : f16 to f32
      %27 = arith.extf %in_4 : f16 to f32
      %28 = arith.mulf %26, %27 : f32
      %29 = arith.addf %28, %out : f32
      linalg.yield %29 : f32
    } -> tensor<2x2x8x16xf32>
    %24 = tensor.empty() : tensor<2x2x8x16xf16>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x2x8x16xf32>) outs(%24 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %26 = arith.truncf %in : f32 to f16
      linalg.yield %26 : f16
    } -> tensor<2x2x8x16xf16>
    return %25 : tensor<2x2x8x16xf16>
  }
}

