// onnx.Attention on packed inputs with a cache.
module {
  func.func @f(%arg0: tensor<2x4x64xf16>, %arg1: tensor<2x4x32xf16>, %arg2: tensor<2x4x32xf16>, %arg3: tensor<2x2x6x16xf16>, %arg4: tensor<2x2x6x16xf16>) -> (tensor<2x4x64xf16>, tensor<2x2x10x16xf16>, tensor<2x2x10x16xf16>) {
    %0 = "onnx.NoValue"() <{value}> : () -> none
    %1:4 = "onnx.Attention"(%arg0, %arg1, %arg2, %0, %arg3, %arg4, %0) <{is_causal = 1 : si64, kv_num_heads = 2 : si64, q_num_heads = 4 : si64}> : (tensor<2x4x64xf16>, tensor<2x4x32xf16>, tensor<2x4x32xf16>, none, tensor<2x2x6x16xf16>, tensor<2x2x6x16xf16>, none) -> (tensor<2x4x64xf16>, tensor<2x2x10x16xf16>, tensor<2x2x10x16xf16>, none)
    "onnx.Return"(%1#0, %1#1, %1#2) : (tensor<2x4x64xf16>, tensor<2x2x10x16xf16>, tensor<2x2x10x16xf16>) -> ()
  }
}

