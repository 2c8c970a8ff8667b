// Keys repeated by tensor.extract in an operation without inputs, dynamic sizes.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<?x6x?x16xf16>, %arg1: tensor<?x2x?x16xf16>, %arg2: tensor<?x2x?x16xf16>) -> tensor<?x6x?x16xf16> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x6x?x16xf16>
    %c2 = arith.constant 2 : index
    %dim_0 = tensor.dim %arg0, %c2 : tensor<?x6x?x16xf16>
    %c2_1 = arith.constant 2 : index
    %dim_2 = tensor.dim %arg1, %c2_1 : tensor<?x2x?x16xf16>
    %0 = tensor.empty(%dim, %dim_2) : tensor<?x2x3x?x16xf16>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<?x2x3x?x16xf16>) {
    ^bb0(%out: f16):
      %32 = linalg.index 0 : index
      %33 = linalg.index 1 : index
      %34 = linalg.index 3 : index
      %35 = linalg.index 4 : index
      %extracted = tensor.extract %arg1[%32, %33, %34, %35] : tensor<?x2x?x16xf16>
      linalg.yield %extracted : f16
    } -> tensor<?x2x3x?x16xf16>
    %collapsed = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<?x2x3x?x16xf16> into tensor<?x6x?x16xf16>
    %2 = tensor.empty(%dim, %dim_2) : tensor<?x2x3x?x16xf16>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%2 : tensor<?x2x3x?x16xf16>) {
    ^bb0(%out: f16):
      %32 = linalg.index 0 : index
      %33 = linalg.index 1 : index
      %34 = linalg.index 3 : index
      %35 = linalg.index 4 : index
      %extracted = tensor.extract %arg2[%32, %33, %34, %35] : tensor<?x2x?x16xf16>
      linalg.yield %extracted : f16
    } -> tensor<?x2x3x?x16xf16>
    %collapsed_3 = tensor.collapse_shape %3 [[0], [1, 2], [3], [4]] : tensor<?x2x3x?x16xf16> into tensor<?x6x?x16xf16>
    %4 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x6x?x?xf32>) -> tensor<?x6x?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed : tensor<?x6x?x16xf16>, tensor<?x6x?x16xf16>) outs(%5 : tensor<?x6x?x?xf32>) {
    ^bb0(%in: f16, %in_8: f16, %out: f32):
      %32 = arith.extf %in : f16 to f32
      %33 = arith.extf %in_8 : f16 to f32
      %34 = arith.mulf %32, %33 : f32
      %35 = arith.addf %34, %out : f32
      linalg.yield %35 : f32
    } -> tensor<?x6x?x?xf32>
    %7 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf16>
    %8 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<?x6x?x?xf32>) outs(%7 : tensor<?x6x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %32 = arith.truncf %in : f32 to f16
      linalg.yield %32 : f16
    } -> tensor<?x6x?x?xf16>
    %cst_4 = arith.constant 2.500000e-01 : f16
    %9 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf16>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<?x6x?x?xf16>) outs(%9 : tensor<?x6x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %32 = arith.mulf %in, %cst_4 : f16
      linalg.yield %32 : f16
    } -> tensor<?x6x?x?xf16>
    %11 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<?x6x?x?xf16>) outs(%11 : tensor<?x6x?x?xf32>) {
    ^bb0(%in: f16, %out: f32):
      %32 = arith.extf %in : f16 to f32
      linalg.yield %32 : f32
    } -> tensor<?x6x?x?xf32>
    %13 = tensor.empty(%dim, %dim_0) : tensor<?x6x?xf32>
    %cst_5 = arith.constant 0xFF800000 : f32
    %14 = linalg.fill ins(%cst_5 : f32) outs(%13 : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%12 : tensor<?x6x?x?xf32>) outs(%14 : tensor<?x6x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.maximumf %in, %out : f32
      linalg.yield %32 : f32
    } -> tensor<?x6x?xf32>
    %16 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %15 : tensor<?x6x?x?xf32>, tensor<?x6x?xf32>) outs(%16 : tensor<?x6x?x?xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %32 = arith.subf %in, %in_8 : f32
      linalg.yield %32 : f32
    } -> tensor<?x6x?x?xf32>
    %18 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<?x6x?x?xf32>) outs(%18 : tensor<?x6x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.exp %in : f32
      linalg.yield %32 : f32
    } -> tensor<?x6x?x?xf32>
    %20 = tensor.empty(%dim, %dim_0) : tensor<?x6x?xf32>
    %cst_6 = arith.constant 0.000000e+00 : f32
    %21 = linalg.fill ins(%cst_6 : f32) outs(%20 : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
    %22 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<?x6x?x?xf32>) outs(%21 : tensor<?x6x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %in, %out : f32
      linalg.yield %32 : f32
    } -> tensor<?x6x?xf32>
    %23 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %22 : tensor<?x6x?x?xf32>, tensor<?x6x?xf32>) outs(%23 : tensor<?x6x?x?xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %32 = arith.divf %in, %in_8 : f32
      linalg.yield %32 : f32
    } -> tensor<?x6x?x?xf32>
    %25 = tensor.empty(%dim, %dim_0, %dim_2) : tensor<?x6x?x?xf16>
    %26 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<?x6x?x?xf32>) outs(%25 : tensor<?x6x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %32 = arith.truncf %in : f32 to f16
      linalg.yield %32 : f16
    } -> tensor<?x6x?x?xf16>
    %27 = tensor.empty(%dim, %dim_0) : tensor<?x6x?x16xf32>
    %cst_7 = arith.constant 0.000000e+00 : f32
    %28 = linalg.fill ins(%cst_7 : f32) outs(%27 : tensor<?x6x?x16xf32>) -> tensor<?x6x?x16xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%26, %collapsed_3 : tensor<?x6x?x?xf16>, tensor<?x6x?x16xf16>) outs(%28 : tensor<?x6x?x16xf32>) {
    ^bb0(%in: f16, %in_8: f16, %out: f32):
      %32 = arith.extf %in : f16 to f32
      %33 = arith.extf %in_8 : f16 to f32
      %34 = arith.mulf %32, %33 : f32
      %35 = arith.addf %34, %out : f32
      linalg.yield %35 : f32
    } -> tensor<?x6x?x16xf32>
    %30 = tensor.empty(%dim, %dim_0) : tensor<?x6x?x16xf16>
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<?x6x?x16xf32>) outs(%30 : tensor<?x6x?x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %32 = arith.truncf %in : f32 to f16
      linalg.yield %32 : f16
    } -> tensor<?x6x?x16xf16>
    return %31 : tensor<?x6x?x16xf16>
  }
}

