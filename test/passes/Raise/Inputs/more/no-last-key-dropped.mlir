// What is cut off behind the softmax is a key: a product with the query, not a sink.
module {
  func.func @nullkey(%q: tensor<1x2x4x16xf16>, %k: tensor<1x2x5x16xf16>, %v: tensor<1x2x4x16xf16>) -> tensor<1x2x4x16xf16> {
    %zero = arith.constant 0.000000e+00 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %v1 = tensor.empty() : tensor<1x2x16x5xf16>
    %v2 = linalg.transpose ins(%k : tensor<1x2x5x16xf16>) outs(%v1 : tensor<1x2x16x5xf16>) permutation = [0, 1, 3, 2]
    %v3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x2x4x16xf16> into tensor<2x4x16xf16>
    %v4 = tensor.collapse_shape %v2 [[0, 1], [2], [3]] : tensor<1x2x16x5xf16> into tensor<2x16x5xf16>
    %v5 = tensor.empty() : tensor<2x4x5xf32>
    %v6 = linalg.fill ins(%zero : f32) outs(%v5 : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
    %v7 = linalg.batch_matmul ins(%v3, %v4 : tensor<2x4x16xf16>, tensor<2x16x5xf16>) outs(%v6 : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
    %v8 = tensor.empty() : tensor<2x4x5xf16>
    %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v7 : tensor<2x4x5xf32>) outs(%v8 : tensor<2x4x5xf16>) {
    ^bb0(%in0: f32, %out: f16):
      %r = arith.truncf %in0 : f32 to f16
      linalg.yield %r : f16
    } -> tensor<2x4x5xf16>
    %v10 = tensor.expand_shape %v9 [[0, 1], [2], [3]] output_shape [1, 2, 4, 5] : tensor<2x4x5xf16> into tensor<1x2x4x5xf16>
    %v11 = tensor.empty() : tensor<1x2x4x5xf32>
    %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v10 : tensor<1x2x4x5xf16>) outs(%v11 : tensor<1x2x4x5xf32>) {
    ^bb0(%in0: f16, %out: f32):
      %r = arith.extf %in0 : f16 to f32
      linalg.yield %r : f32
    } -> tensor<1x2x4x5xf32>
    %v13 = tensor.empty() : tensor<1x2x4x1xf32>
    %v14 = linalg.fill ins(%ninf : f32) outs(%v13 : tensor<1x2x4x1xf32>) -> tensor<1x2x4x1xf32>
    %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v12 : tensor<1x2x4x5xf32>) outs(%v14 : tensor<1x2x4x1xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = arith.maximumf %in0, %out : f32
      linalg.yield %r : f32
    } -> tensor<1x2x4x1xf32>
    %v16 = tensor.empty() : tensor<1x2x4x5xf32>
    %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12, %v15 : tensor<1x2x4x5xf32>, tensor<1x2x4x1xf32>) outs(%v16 : tensor<1x2x4x5xf32>) {
    ^bb0(%in0: f32, %in1: f32, %out: f32):
      %r = arith.subf %in0, %in1 : f32
      linalg.yield %r : f32
    } -> tensor<1x2x4x5xf32>
    %v18 = tensor.empty() : tensor<1x2x4x5xf32>
    %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v17 : tensor<1x2x4x5xf32>) outs(%v18 : tensor<1x2x4x5xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = math.exp %in0 : f32
      linalg.yield %r : f32
    } -> tensor<1x2x4x5xf32>
    %v20 = tensor.empty() : tensor<1x2x4x1xf32>
    %v21 = linalg.fill ins(%zero : f32) outs(%v20 : tensor<1x2x4x1xf32>) -> tensor<1x2x4x1xf32>
    %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v19 : tensor<1x2x4x5xf32>) outs(%v21 : tensor<1x2x4x1xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = arith.addf %in0, %out : f32
      linalg.yield %r : f32
    } -> tensor<1x2x4x1xf32>
    %v23 = tensor.empty() : tensor<1x2x4x5xf32>
    %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v19, %v22 : tensor<1x2x4x5xf32>, tensor<1x2x4x1xf32>) outs(%v23 : tensor<1x2x4x5xf32>) {
    ^bb0(%in0: f32, %in1: f32, %out: f32):
      %r = arith.divf %in0, %in1 : f32
      linalg.yield %r : f32
    } -> tensor<1x2x4x5xf32>
    %v25 = tensor.extract_slice %v24[0, 0, 0, 0] [1, 2, 4, 4] [1, 1, 1, 1] : tensor<1x2x4x5xf32> to tensor<1x2x4x4xf32>
    %v26 = tensor.empty() : tensor<1x2x4x4xf16>
    %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v25 : tensor<1x2x4x4xf32>) outs(%v26 : tensor<1x2x4x4xf16>) {
    ^bb0(%in0: f32, %out: f16):
      %r = arith.truncf %in0 : f32 to f16
      linalg.yield %r : f16
    } -> tensor<1x2x4x4xf16>
    %v28 = tensor.collapse_shape %v27 [[0, 1], [2], [3]] : tensor<1x2x4x4xf16> into tensor<2x4x4xf16>
    %v29 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<1x2x4x16xf16> into tensor<2x4x16xf16>
    %v30 = tensor.empty() : tensor<2x4x16xf32>
    %v31 = linalg.fill ins(%zero : f32) outs(%v30 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %v32 = linalg.batch_matmul ins(%v28, %v29 : tensor<2x4x4xf16>, tensor<2x4x16xf16>) outs(%v31 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %v33 = tensor.empty() : tensor<2x4x16xf16>
    %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v32 : tensor<2x4x16xf32>) outs(%v33 : tensor<2x4x16xf16>) {
    ^bb0(%in0: f32, %out: f16):
      %r = arith.truncf %in0 : f32 to f16
      linalg.yield %r : f16
    } -> tensor<2x4x16xf16>
    %v35 = tensor.expand_shape %v34 [[0, 1], [2], [3]] output_shape [1, 2, 4, 16] : tensor<2x4x16xf16> into tensor<1x2x4x16xf16>
    return %v35 : tensor<1x2x4x16xf16>
  }
}
