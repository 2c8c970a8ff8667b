// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_REFERENCE_PASSES_TD
#define FA_LOWERING_REFERENCE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaLowerToReference : Pass<"fa-lower-to-reference", "::mlir::ModuleOp"> {
  let summary = "Write the op's definition out as one loop nest";
  let description = [{
    Stage `buffers` to `reference`. The entry function becomes two, each a parallel
    loop over rows of the output whose body is the definition, one line after the
    other and with nothing of tiles or online softmax in it:

    * `reference`: everything in f64;
    * `low`: f32 sums, with S, P and O each rounded to the input's type, as an
      implementation without fusion has them.

    o and lse become f64 in both. For one row:

    ```
    m = max over kept j of s(j), joined by the sink
    l = sum over kept j of exp(s(j) - m), joined by exp(sink - m)
    o = (sum over kept j of exp(s(j) - m) * v[j]) / l       // 0 where l = 0
    lse = m + log l
    ```

    where s(j) = score(scale * dot(q, k[j])). Regions are cloned with f32 widened to
    f64 where the op takes it; an op that does not (a bit cast) sees its operand
    rounded to f32. They are never evaluated for a position that does not exist.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "math::MathDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

#endif // FA_LOWERING_REFERENCE_PASSES_TD
