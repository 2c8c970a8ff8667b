// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_PTX_PASSES_TD
#define FA_LOWERING_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaEmitPtx : Pass<"fa-emit-ptx", "::mlir::ModuleOp"> {
  let summary = "Compile each gpu.module to PTX text";
  let description = [{
    Replaces every `gpu.module` (stage `nvvm`, chip in `fa.target`) by a
    `gpu.binary` of the same name that holds its PTX, the form that
    `gpu.launch_func` finds its kernels in. With `to=FILE` the PTX is written
    there, too (`-` is standard output).

    ```mlir
    gpu.module @kernels attributes {fa.target = "sm_80"} { llvm.func @f() ... }
    // ==>
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "...">]
    ```
  }];
  let options = [
    Option<"to", "to", "std::string", "\"\"", "file that the PTX is written to">
  ];
}

#endif // FA_LOWERING_PTX_PASSES_TD
