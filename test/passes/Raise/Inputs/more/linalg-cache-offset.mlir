// Causal behind a cache of dynamic length: the diagonal moves by a number of the program.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x2x?x16xf16>, %arg1: tensor<2x2x?x16xf16>, %arg2: tensor<2x2x?x16xf16>) -> tensor<2x2x?x16xf16> {
    %c2 = arith.constant 2 : index
    %dim = tensor.dim %arg0, %c2 : tensor<2x2x?x16xf16>
    %c2_0 = arith.constant 2 : index
    %dim_1 = tensor.dim %arg1, %c2_0 : tensor<2x2x?x16xf16>
    %0 = arith.subi %dim_1, %dim : index
    %1 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x2x?x?xf32>) -> tensor<2x2x?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x2x?x16xf16>, tensor<2x2x?x16xf16>) outs(%2 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f16, %in_6: f16, %out: f32):
      %33 = arith.extf %in : f16 to f32
      %34 = arith.extf %in_6 : f16 to f32
      %35 = arith.mulf %33, %34 : f32
      %36 = arith.addf %35, %out : f32
      linalg.yield %36 : f32
    } -> tensor<2x2x?x?xf32>
    %4 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf16>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<2x2x?x?xf32>) outs(%4 : tensor<2x2x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %33 = arith.truncf %in : f32 to f16
      linalg.yield %33 : f16
    } -> tensor<2x2x?x?xf16>
    %cst_2 = arith.constant 2.500000e-01 : f16
    %6 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf16>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x2x?x?xf16>) outs(%6 : tensor<2x2x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %33 = arith.mulf %in, %cst_2 : f16
      linalg.yield %33 : f16
    } -> tensor<2x2x?x?xf16>
    %8 = tensor.empty(%dim, %dim_1) : tensor<?x?xi1>
    %9 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%8 : tensor<?x?xi1>) {
    ^bb0(%out: i1):
      %33 = linalg.index 0 : index
      %34 = linalg.index 1 : index
      %35 = arith.addi %33, %0 : index
      %36 = arith.cmpi sle, %34, %35 : index
      linalg.yield %36 : i1
    } -> tensor<?x?xi1>
    %10 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf16>
    %11 = linalg.generic {indexing_maps = [#map5, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %7 : tensor<?x?xi1>, tensor<2x2x?x?xf16>) outs(%10 : tensor<2x2x?x?xf16>) {
    ^bb0(%in: i1, %in_6: f16, %out: f16):
      %cst_7 = arith.constant 0xFC00 : f16
      %33 = arith.select %in, %in_6, %cst_7 : f16
      linalg.yield %33 : f16
    } -> tensor<2x2x?x?xf16>
    %12 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x2x?x?xf16>) outs(%12 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f16, %out: f32):
      %33 = arith.extf %in : f16 to f32
      linalg.yield %33 : f32
    } -> tensor<2x2x?x?xf32>
    %14 = tensor.empty(%dim) : tensor<2x2x?xf32>
    %cst_3 = arith.constant 0xFF800000 : f32
    %15 = linalg.fill ins(%cst_3 : f32) outs(%14 : tensor<2x2x?xf32>) -> tensor<2x2x?xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x2x?x?xf32>) outs(%15 : tensor<2x2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.maximumf %in, %out : f32
      linalg.yield %33 : f32
    } -> tensor<2x2x?xf32>
    %17 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %16 : tensor<2x2x?x?xf32>, tensor<2x2x?xf32>) outs(%17 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %33 = arith.subf %in, %in_6 : f32
      linalg.yield %33 : f32
    } -> tensor<2x2x?x?xf32>
    %19 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x2x?x?xf32>) outs(%19 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = math.exp %in : f32
      linalg.yield %33 : f32
    } -> tensor<2x2x?x?xf32>
    %21 = tensor.empty(%dim) : tensor<2x2x?xf32>
    %cst_4 = arith.constant 0.000000e+00 : f32
    %22 = linalg.fill ins(%cst_4 : f32) outs(%21 : tensor<2x2x?xf32>) -> tensor<2x2x?xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<2x2x?x?xf32>) outs(%22 : tensor<2x2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.addf %in, %out : f32
      linalg.yield %33 : f32
    } -> tensor<2x2x?xf32>
    %24 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %23 : tensor<2x2x?x?xf32>, tensor<2x2x?xf32>) outs(%24 : tensor<2x2x?x?xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %33 = arith.divf %in, %in_6 : f32
      linalg.yield %33 : f32
    } -> tensor<2x2x?x?xf32>
    %26 = tensor.empty(%dim, %dim_1) : tensor<2x2x?x?xf16>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<2x2x?x?xf32>) outs(%26 : tensor<2x2x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %33 = arith.truncf %in : f32 to f16
      linalg.yield %33 : f16
    } -> tensor<2x2x?x?xf16>
    %28 = tensor.empty(%dim) : tensor<2x2x?x16xf32>
    %cst_5 = arith.constant 0.000000e+00 : f32
    %29 = linalg.fill ins(%cst_5 : f32) outs(%28 : tensor<2x2x?x16xf32>) -> tensor<2x2x?x16xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%27, %arg2 : tensor<2x2x?x?xf16>, tensor<2x2x?x16xf16>) outs(%29 : tensor<2x2x?x16xf32>) {
    ^bb0(%in: f16, %in_6: f16, %out: f32):
      %33 = arith.extf %in : f16 to f32
      %34 = arith.extf %in_6 : f16 to f32
      %35 = arith.mulf %33, %34 : f32
      %36 = arith.addf %35, %out : f32
      linalg.yield %36 : f32
    } -> tensor<2x2x?x16xf32>
    %31 = tensor.empty(%dim) : tensor<2x2x?x16xf16>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x2x?x16xf32>) outs(%31 : tensor<2x2x?x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %33 = arith.truncf %in : f32 to f16
      linalg.yield %33 : f16
    } -> tensor<2x2x?x16xf16>
    return %32 : tensor<2x2x?x16xf16>
  }
}

