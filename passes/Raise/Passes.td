// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_RAISE_PASSES_TD
#define FA_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaRaise : Pass<"fa-raise", "ModuleOp"> {
  let summary = "Make fa.attention of attention that other compilers wrote out";
  let description = [{
    Any text -> problem. Recognises attention as torch-mlir (linalg on tensors),
    JAX (StableHLO), TOSA, ONNX and IREE write it, spelt out or as one operator,
    and puts `fa.attention` in its place; what stands around it stays. Dialects
    that are not registered may come in generic form
    (`--allow-unregistered-dialect`).

    Materialised masks become a mask attribute, key lengths or a mask region,
    repeated keys and values query groups, transposes around the op a layout. A
    change of the result beyond rounding is no raising: where a condition does
    not hold, the product with V gets a remark that says which one, and the text
    stays as it was. passes/Raise/README.md has the conditions.

    ```mlir
    %s = linalg.batch_matmul ins(%q, %kt ...)   // and scale, softmax, truncation
    %o = linalg.batch_matmul ins(%p, %v ...)
    ==>
    %o = fa.attention ins(%q, %k, %v : ...) outs(%init : ...) {scale = 0.125 : f32}
    ```
  }];
  let options = [
    Option<"allowNarrowing", "allow-narrowing", "std::string", /*default=*/"",
           "f16 or bf16: round f32 operands to it; without this, attention on "
           "f32 is declined">
  ];
  let dependentDialects = [
    "fa::FaDialect", "affine::AffineDialect", "arith::ArithDialect",
    "linalg::LinalgDialect", "math::MathDialect", "tensor::TensorDialect"
  ];
}

#endif // FA_RAISE_PASSES_TD
