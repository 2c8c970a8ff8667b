// attention.mlir under a causal mask that is aligned to the last query and the last key.
// RUN: fa-opt %s --verify-roundtrip -o %t.mlir
// RUN: fa-compile %s --chip=sm_80 -o %t.ptx
// RUN: fa-compile %s --chip=cpu -o %t.so
// RUN: fa-run %t.so --device cpu

func.func @attention(%q: tensor<1x16x1280x128xf16>, %k: tensor<1x16x1536x128xf16>, %v: tensor<1x16x1536x128xf16>)
    -> tensor<1x16x1280x128xf16> {
  %init = tensor.empty() : tensor<1x16x1280x128xf16>
  %o = fa.attention
    ins(%q, %k, %v : tensor<1x16x1280x128xf16>, tensor<1x16x1536x128xf16>, tensor<1x16x1536x128xf16>)
    outs(%init : tensor<1x16x1280x128xf16>)
    {mask = #fa.mask<bottom_right, causal>, scale = 1.0 : f32}
  return %o : tensor<1x16x1280x128xf16>
}
