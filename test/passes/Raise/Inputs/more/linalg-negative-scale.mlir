// A negative scale on one operand only, an upper triangle of -inf by unsigned comparison.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x2x8x16xf16>, %arg1: tensor<2x2x8x16xf16>, %arg2: tensor<2x2x8x16xf16>) -> tensor<2x2x8x16xf16> {
    %cst = arith.constant -3.500980e-01 : f16
    %0 = tensor.empty() : tensor<2x2x8x16xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x8x16xf16>) outs(%0 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %34 = arith.mulf %in, %cst : f16
      linalg.yield %34 : f16
    } -> tensor<2x2x8x16xf16>
    %cst_0 = arith.constant 3.500980e-01 : f16
    %2 = tensor.empty() : tensor<2x2x8x16xf16>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x8x16xf16>) outs(%2 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %34 = arith.mulf %in, %cst_0 : f16
      linalg.yield %34 : f16
    } -> tensor<2x2x8x16xf16>
    %4 = tensor.empty() : tensor<2x2x8x8xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%1, %3 : tensor<2x2x8x16xf16>, tensor<2x2x8x16xf16>) outs(%5 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f16, %in_5: f16, %out: f32):
      %34 = arith.extf %in : f16 to f32
      %35 = arith.extf %in_5 : f16 to f32
      %36 = arith.mulf %34, %35 : f32
      %37 = arith.addf %36, %out : f32
      linalg.yield %37 : f32
    } -> tensor<2x2x8x8xf32>
    %7 = tensor.empty() : tensor<2x2x8x8xf16>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x2x8x8xf32>) outs(%7 : tensor<2x2x8x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %34 = arith.truncf %in : f32 to f16
      linalg.yield %34 : f16
    } -> tensor<2x2x8x8xf16>
    %9 = tensor.empty() : tensor<8x8xf16>
    %10 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<8x8xf16>) {
    ^bb0(%out: f16):
      %34 = linalg.index 0 : index
      %35 = linalg.index 1 : index
      %36 = arith.cmpi ult, %34, %35 : index
      %cst_5 = arith.constant 0xFC00 : f16
      %cst_6 = arith.constant 0.000000e+00 : f16
      %37 = arith.select %36, %cst_5, %cst_6 : f16
      linalg.yield %37 : f16
    } -> tensor<8x8xf16>
    %11 = tensor.empty() : tensor<2x2x8x8xf16>
    %12 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<2x2x8x8xf16>, tensor<8x8xf16>) outs(%11 : tensor<2x2x8x8xf16>) {
    ^bb0(%in: f16, %in_5: f16, %out: f16):
      %34 = arith.addf %in, %in_5 : f16
      linalg.yield %34 : f16
    } -> tensor<2x2x8x8xf16>
    %13 = tensor.empty() : tensor<2x2x8x8xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x2x8x8xf16>) outs(%13 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f16, %out: f32):
      %34 = arith.extf %in : f16 to f32
      linalg.yield %34 : f32
    } -> tensor<2x2x8x8xf32>
    %15 = tensor.empty() : tensor<2x2x8xf32>
    %cst_2 = arith.constant 0xFF800000 : f32
    %16 = linalg.fill ins(%cst_2 : f32) outs(%15 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x2x8x8xf32>) outs(%16 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.maximumf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<2x2x8xf32>
    %18 = tensor.empty() : tensor<2x2x8x8xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) outs(%18 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.subf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<2x2x8x8xf32>
    %20 = tensor.empty() : tensor<2x2x8x8xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x2x8x8xf32>) outs(%20 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.exp %in : f32
      linalg.yield %34 : f32
    } -> tensor<2x2x8x8xf32>
    %22 = tensor.empty() : tensor<2x2x8xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %23 = linalg.fill ins(%cst_3 : f32) outs(%22 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x2x8x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<2x2x8xf32>
    %25 = tensor.empty() : tensor<2x2x8x8xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) outs(%25 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.divf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<2x2x8x8xf32>
    %27 = tensor.empty() : tensor<2x2x8x8xf16>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x2x8x8xf32>) outs(%27 : tensor<2x2x8x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %34 = arith.truncf %in : f32 to f16
      linalg.yield %34 : f16
    } -> tensor<2x2x8x8xf16>
    %29 = tensor.empty() : tensor<2x2x8x16xf32>
    %cst_4 = arith.constant 0.000000e+00 : f32
    %30 = linalg.fill ins(%cst_4 : f32) outs(%29 : tensor<2x2x8x16xf32>) -> tensor<2x2x8x16xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%28, %arg2 : tensor<2x2x8x8xf16>, tensor<2x2x8x16xf16>) outs(%30 : tensor<2x2x8x16xf32>) {
    ^bb0(%in: f16, %in_5: f16, %out: f32):
      %34 = arith.extf %in : f16 to f32
      %35 = arith.extf %in_5 : f16 to f32
      %36 = arith.mulf %34, %35 : f32
      %37 = arith.addf %36, %out : f32
      linalg.yield %37 : f32
    } -> tensor<2x2x8x16xf32>
    %32 = tensor.empty() : tensor<2x2x8x16xf16>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x2x8x16xf32>) outs(%32 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %34 = arith.truncf %in : f32 to f16
      linalg.yield %34 : f16
    } -> tensor<2x2x8x16xf16>
    return %33 : tensor<2x2x8x16xf16>
  }
}

