// GPT-2: the mask is a slice of a constant buffer, the scores are divided twice.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x2x5x16xf16>, %arg1: tensor<2x2x9x16xf16>, %arg2: tensor<2x2x9x16xf16>) -> tensor<2x2x5x16xf16> {
    %cst = arith.constant dense<"0x0100030007000F001F003F007F00FF00FF01FF03FF07FF0FFF1FFF3FFF7FFFFF"> : tensor<1x1x16x16xi1>
    %extracted_slice = tensor.extract_slice %cst[0, 0, 4, 0] [1, 1, 5, 9] [1, 1, 1, 1] : tensor<1x1x16x16xi1> to tensor<1x1x5x9xi1>
    %0 = tensor.empty() : tensor<2x2x5x9xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x2x5x9xf32>) -> tensor<2x2x5x9xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x2x5x16xf16>, tensor<2x2x9x16xf16>) outs(%1 : tensor<2x2x5x9xf32>) {
    ^bb0(%in: f16, %in_6: f16, %out: f32):
      %28 = arith.extf %in : f16 to f32
      %29 = arith.extf %in_6 : f16 to f32
      %30 = arith.mulf %28, %29 : f32
      %31 = arith.addf %30, %out : f32
      linalg.yield %31 : f32
    } -> tensor<2x2x5x9xf32>
    %3 = tensor.empty() : tensor<2x2x5x9xf16>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x5x9xf32>) outs(%3 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: f32, %out: f16):
      %28 = arith.truncf %in : f32 to f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %cst_1 = arith.constant 4.000000e+00 : f16
    %5 = tensor.empty() : tensor<2x2x5x9xf16>
    %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x2x5x9xf16>) outs(%5 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: f16, %out: f16):
      %28 = arith.divf %in, %cst_1 : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %cst_2 = arith.constant 3.000000e+00 : f16
    %7 = tensor.empty() : tensor<2x2x5x9xf16>
    %8 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x2x5x9xf16>) outs(%7 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: f16, %out: f16):
      %28 = arith.divf %in, %cst_2 : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %9 = tensor.empty() : tensor<2x2x5x9xf16>
    %10 = linalg.generic {indexing_maps = [#map4, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %8 : tensor<1x1x5x9xi1>, tensor<2x2x5x9xf16>) outs(%9 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: i1, %in_6: f16, %out: f16):
      %cst_7 = arith.constant -6.550400e+04 : f16
      %28 = arith.select %in, %in_6, %cst_7 : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %11 = tensor.empty() : tensor<2x2x5xf16>
    %cst_3 = arith.constant 0xFC00 : f16
    %12 = linalg.fill ins(%cst_3 : f16) outs(%11 : tensor<2x2x5xf16>) -> tensor<2x2x5xf16>
    %13 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x2x5x9xf16>) outs(%12 : tensor<2x2x5xf16>) {
    ^bb0(%in: f16, %out: f16):
      %28 = arith.maximumf %in, %out : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5xf16>
    %14 = tensor.empty() : tensor<2x2x5x9xf16>
    %15 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<2x2x5x9xf16>, tensor<2x2x5xf16>) outs(%14 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: f16, %in_6: f16, %out: f16):
      %28 = arith.subf %in, %in_6 : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %16 = tensor.empty() : tensor<2x2x5x9xf16>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x2x5x9xf16>) outs(%16 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: f16, %out: f16):
      %28 = math.exp %in : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %18 = tensor.empty() : tensor<2x2x5xf16>
    %cst_4 = arith.constant 0.000000e+00 : f16
    %19 = linalg.fill ins(%cst_4 : f16) outs(%18 : tensor<2x2x5xf16>) -> tensor<2x2x5xf16>
    %20 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17 : tensor<2x2x5x9xf16>) outs(%19 : tensor<2x2x5xf16>) {
    ^bb0(%in: f16, %out: f16):
      %28 = arith.addf %in, %out : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5xf16>
    %21 = tensor.empty() : tensor<2x2x5x9xf16>
    %22 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %20 : tensor<2x2x5x9xf16>, tensor<2x2x5xf16>) outs(%21 : tensor<2x2x5x9xf16>) {
    ^bb0(%in: f16, %in_6: f16, %out: f16):
      %28 = arith.divf %in, %in_6 : f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x9xf16>
    %23 = tensor.empty() : tensor<2x2x5x16xf32>
    %cst_5 = arith.constant 0.000000e+00 : f32
    %24 = linalg.fill ins(%cst_5 : f32) outs(%23 : tensor<2x2x5x16xf32>) -> tensor<2x2x5x16xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map6, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%22, %arg2 : tensor<2x2x5x9xf16>, tensor<2x2x9x16xf16>) outs(%24 : tensor<2x2x5x16xf32>) {
    ^bb0(%in: f16, %in_6: f16, %out: f32):
      %28 = arith.extf %in : f16 to f32
      %29 = arith.extf %in_6 : f16 to f32
      %30 = arith.mulf %28, %29 : f32
      %31 = arith.addf %30, %out : f32
      linalg.yield %31 : f32
    } -> tensor<2x2x5x16xf32>
    %26 = tensor.empty() : tensor<2x2x5x16xf16>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<2x2x5x16xf32>) outs(%26 : tensor<2x2x5x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %28 = arith.truncf %in : f32 to f16
      linalg.yield %28 : f16
    } -> tensor<2x2x5x16xf16>
    return %27 : tensor<2x2x5x16xf16>
  }
}

