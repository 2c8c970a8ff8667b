// torch-mlir: a sink as one more column of the scores, under a second maximum, cut off again behind the softmax.
module {
  func.func @gptoss(%q: tensor<1x4x6x16xbf16>, %k: tensor<1x2x6x16xbf16>, %v: tensor<1x2x6x16xbf16>, %sinks: tensor<4xbf16>) -> tensor<1x6x4x16xbf16> {
    %zero = arith.constant 0.000000e+00 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %v1 = tensor.expand_shape %k [[0], [1, 2], [3], [4]] output_shape [1, 2, 1, 6, 16] : tensor<1x2x6x16xbf16> into tensor<1x2x1x6x16xbf16>
    %v2 = tensor.empty() : tensor<1x2x2x6x16xbf16>
    %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v1 : tensor<1x2x1x6x16xbf16>) outs(%v2 : tensor<1x2x2x6x16xbf16>) {
    ^bb0(%in0: bf16, %out: bf16):
      linalg.yield %in0 : bf16
    } -> tensor<1x2x2x6x16xbf16>
    %v4 = tensor.collapse_shape %v3 [[0], [1, 2], [3], [4]] : tensor<1x2x2x6x16xbf16> into tensor<1x4x6x16xbf16>
    %v5 = tensor.expand_shape %v [[0], [1, 2], [3], [4]] output_shape [1, 2, 1, 6, 16] : tensor<1x2x6x16xbf16> into tensor<1x2x1x6x16xbf16>
    %v6 = tensor.empty() : tensor<1x2x2x6x16xbf16>
    %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x1x6x16xbf16>) outs(%v6 : tensor<1x2x2x6x16xbf16>) {
    ^bb0(%in0: bf16, %out: bf16):
      linalg.yield %in0 : bf16
    } -> tensor<1x2x2x6x16xbf16>
    %v8 = tensor.collapse_shape %v7 [[0], [1, 2], [3], [4]] : tensor<1x2x2x6x16xbf16> into tensor<1x4x6x16xbf16>
    %v9 = tensor.empty() : tensor<1x4x16x6xbf16>
    %v10 = linalg.transpose ins(%v4 : tensor<1x4x6x16xbf16>) outs(%v9 : tensor<1x4x16x6xbf16>) permutation = [0, 1, 3, 2]
    %v11 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x4x6x16xbf16> into tensor<4x6x16xbf16>
    %v12 = tensor.collapse_shape %v10 [[0, 1], [2], [3]] : tensor<1x4x16x6xbf16> into tensor<4x16x6xbf16>
    %v13 = tensor.empty() : tensor<4x6x6xf32>
    %v14 = linalg.fill ins(%zero : f32) outs(%v13 : tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
    %v15 = linalg.batch_matmul ins(%v11, %v12 : tensor<4x6x16xbf16>, tensor<4x16x6xbf16>) outs(%v14 : tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
    %v16 = tensor.empty() : tensor<4x6x6xbf16>
    %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v15 : tensor<4x6x6xf32>) outs(%v16 : tensor<4x6x6xbf16>) {
    ^bb0(%in0: f32, %out: bf16):
      %r = arith.truncf %in0 : f32 to bf16
      linalg.yield %r : bf16
    } -> tensor<4x6x6xbf16>
    %v18 = tensor.expand_shape %v17 [[0, 1], [2], [3]] output_shape [1, 4, 6, 6] : tensor<4x6x6xbf16> into tensor<1x4x6x6xbf16>
    %scale = arith.constant 2.500000e-01 : bf16
    %v19 = tensor.empty() : tensor<1x4x6x6xbf16>
    %v20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v18 : tensor<1x4x6x6xbf16>) outs(%v19 : tensor<1x4x6x6xbf16>) {
    ^bb0(%in0: bf16, %out: bf16):
      %r = arith.mulf %in0, %scale : bf16
      linalg.yield %r : bf16
    } -> tensor<1x4x6x6xbf16>
    %nb = arith.constant 0xFF80 : bf16
    %zb = arith.constant 0.0 : bf16
    %v21 = tensor.empty() : tensor<6x6xbf16>
    %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%v21 : tensor<6x6xbf16>) {
    ^bb0(%out: bf16):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = arith.cmpi sgt, %j, %i : index
      %r = arith.select %c, %nb, %zb : bf16
      linalg.yield %r : bf16
    } -> tensor<6x6xbf16>
    %v23 = tensor.empty() : tensor<1x4x6x6xbf16>
    %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v20, %v22 : tensor<1x4x6x6xbf16>, tensor<6x6xbf16>) outs(%v23 : tensor<1x4x6x6xbf16>) {
    ^bb0(%in0: bf16, %in1: bf16, %out: bf16):
      %r = arith.addf %in0, %in1 : bf16
      linalg.yield %r : bf16
    } -> tensor<1x4x6x6xbf16>
    %v25 = tensor.expand_shape %sinks [[0, 1, 2, 3]] output_shape [1, 4, 1, 1] : tensor<4xbf16> into tensor<1x4x1x1xbf16>
    %v26 = tensor.empty() : tensor<1x4x6x1xbf16>
    %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v25 : tensor<1x4x1x1xbf16>) outs(%v26 : tensor<1x4x6x1xbf16>) {
    ^bb0(%in0: bf16, %out: bf16):
      linalg.yield %in0 : bf16
    } -> tensor<1x4x6x1xbf16>
    %v28 = tensor.concat dim(3) %v24, %v27 : (tensor<1x4x6x6xbf16>, tensor<1x4x6x1xbf16>) -> tensor<1x4x6x7xbf16>
    %v29 = tensor.empty() : tensor<1x4x6x7xf32>
    %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v28 : tensor<1x4x6x7xbf16>) outs(%v29 : tensor<1x4x6x7xf32>) {
    ^bb0(%in0: bf16, %out: f32):
      %r = arith.extf %in0 : bf16 to f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x7xf32>
    %v31 = tensor.empty() : tensor<1x4x6x1xf32>
    %v32 = linalg.fill ins(%ninf : f32) outs(%v31 : tensor<1x4x6x1xf32>) -> tensor<1x4x6x1xf32>
    %v33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v30 : tensor<1x4x6x7xf32>) outs(%v32 : tensor<1x4x6x1xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = arith.maximumf %in0, %out : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x1xf32>
    %v34 = tensor.empty() : tensor<1x4x6x7xf32>
    %v35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v30, %v33 : tensor<1x4x6x7xf32>, tensor<1x4x6x1xf32>) outs(%v34 : tensor<1x4x6x7xf32>) {
    ^bb0(%in0: f32, %in1: f32, %out: f32):
      %r = arith.subf %in0, %in1 : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x7xf32>
    %v36 = tensor.empty() : tensor<1x4x6x1xf32>
    %v37 = linalg.fill ins(%ninf : f32) outs(%v36 : tensor<1x4x6x1xf32>) -> tensor<1x4x6x1xf32>
    %v38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v35 : tensor<1x4x6x7xf32>) outs(%v37 : tensor<1x4x6x1xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = arith.maximumf %in0, %out : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x1xf32>
    %v39 = tensor.empty() : tensor<1x4x6x7xf32>
    %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v35, %v38 : tensor<1x4x6x7xf32>, tensor<1x4x6x1xf32>) outs(%v39 : tensor<1x4x6x7xf32>) {
    ^bb0(%in0: f32, %in1: f32, %out: f32):
      %r = arith.subf %in0, %in1 : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x7xf32>
    %v41 = tensor.empty() : tensor<1x4x6x7xf32>
    %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v40 : tensor<1x4x6x7xf32>) outs(%v41 : tensor<1x4x6x7xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = math.exp %in0 : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x7xf32>
    %v43 = tensor.empty() : tensor<1x4x6x1xf32>
    %v44 = linalg.fill ins(%zero : f32) outs(%v43 : tensor<1x4x6x1xf32>) -> tensor<1x4x6x1xf32>
    %v45 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v42 : tensor<1x4x6x7xf32>) outs(%v44 : tensor<1x4x6x1xf32>) {
    ^bb0(%in0: f32, %out: f32):
      %r = arith.addf %in0, %out : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x1xf32>
    %v46 = tensor.empty() : tensor<1x4x6x7xf32>
    %v47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v42, %v45 : tensor<1x4x6x7xf32>, tensor<1x4x6x1xf32>) outs(%v46 : tensor<1x4x6x7xf32>) {
    ^bb0(%in0: f32, %in1: f32, %out: f32):
      %r = arith.divf %in0, %in1 : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x7xf32>
    %v48 = tensor.extract_slice %v47[0, 0, 0, 0] [1, 4, 6, 6] [1, 1, 1, 1] : tensor<1x4x6x7xf32> to tensor<1x4x6x6xf32>
    %v49 = tensor.empty() : tensor<1x4x6x6xbf16>
    %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v48 : tensor<1x4x6x6xf32>) outs(%v49 : tensor<1x4x6x6xbf16>) {
    ^bb0(%in0: f32, %out: bf16):
      %r = arith.truncf %in0 : f32 to bf16
      linalg.yield %r : bf16
    } -> tensor<1x4x6x6xbf16>
    %v51 = tensor.collapse_shape %v50 [[0, 1], [2], [3]] : tensor<1x4x6x6xbf16> into tensor<4x6x6xbf16>
    %v52 = tensor.collapse_shape %v8 [[0, 1], [2], [3]] : tensor<1x4x6x16xbf16> into tensor<4x6x16xbf16>
    %v53 = tensor.empty() : tensor<4x6x16xf32>
    %v54 = linalg.fill ins(%zero : f32) outs(%v53 : tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
    %v55 = linalg.batch_matmul ins(%v51, %v52 : tensor<4x6x6xbf16>, tensor<4x6x16xbf16>) outs(%v54 : tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
    %v56 = tensor.empty() : tensor<4x6x16xbf16>
    %v57 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v55 : tensor<4x6x16xf32>) outs(%v56 : tensor<4x6x16xbf16>) {
    ^bb0(%in0: f32, %out: bf16):
      %r = arith.truncf %in0 : f32 to bf16
      linalg.yield %r : bf16
    } -> tensor<4x6x16xbf16>
    %v58 = tensor.expand_shape %v57 [[0, 1], [2], [3]] output_shape [1, 4, 6, 16] : tensor<4x6x16xbf16> into tensor<1x4x6x16xbf16>
    %v59 = tensor.empty() : tensor<1x6x4x16xbf16>
    %v60 = linalg.transpose ins(%v58 : tensor<1x4x6x16xbf16>) outs(%v59 : tensor<1x6x4x16xbf16>) permutation = [0, 2, 1, 3]
    return %v60 : tensor<1x6x4x16xbf16>
  }
}
