// online_attention that goes on from what other keys have given.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @f(%arg0: tensor<2x2x5x16xf16>, %arg1: tensor<2x2x7x16xf16>, %arg2: tensor<2x2x7x8xf16>) -> tensor<2x2x5x8xf16> {
    %cst = arith.constant 2.500000e-01 : f16
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant -3.40282347E+38 : f32
    %0 = tensor.empty() : tensor<2x2x5x8xf32>
    %1 = tensor.empty() : tensor<2x2x5xf32>
    %2 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x2x5x8xf32>) -> tensor<2x2x5x8xf32>
    %3 = linalg.fill ins(%cst_1 : f32) outs(%1 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %5:3 = "iree_linalg_ext.online_attention"(%arg0, %arg1, %arg2, %cst, %2, %3, %4) <{indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> ()>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>]}> ({
    ^bb0(%arg3: f32):
      %8 = "iree_linalg_ext.index"() <{dim = 2 : i64}> : () -> index
      %9 = "iree_linalg_ext.index"() <{dim = 3 : i64}> : () -> index
      %10 = arith.cmpi sge, %8, %9 : index
      %cst_2 = arith.constant 0xFF800000 : f32
      %11 = arith.select %10, %arg3, %cst_2 : f32
      "iree_linalg_ext.yield"(%11) : (f32) -> ()
    }) : (tensor<2x2x5x16xf16>, tensor<2x2x7x16xf16>, tensor<2x2x7x8xf16>, f16, tensor<2x2x5x8xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) -> (tensor<2x2x5x8xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %6 = tensor.empty() : tensor<2x2x5x8xf16>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5#2, %5#0 : tensor<2x2x5xf32>, tensor<2x2x5x8xf32>) outs(%6 : tensor<2x2x5x8xf16>) {
    ^bb0(%in: f32, %in_2: f32, %out: f16):
      %cst_3 = arith.constant 1.000000e+00 : f32
      %8 = arith.divf %cst_3, %in : f32
      %9 = arith.mulf %8, %in_2 : f32
      %10 = arith.truncf %9 : f32 to f16
      linalg.yield %10 : f16
    } -> tensor<2x2x5x8xf16>
    return %7 : tensor<2x2x5x8xf16>
  }
}

