// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_EMBED_PASSES_TD
#define FA_LOWERING_EMBED_PASSES_TD

include "mlir/Pass/PassBase.td"

/// What fa-compile has as command line options.
defvar compileOptions = [
  Option<"chip", "chip", "std::string", "\"sm_80\"",
         "sm_80, sm_86, sm_89, sm_90a or cpu">,
  Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
         "with chip=cpu: x86-64-v3, x86-64-v4, native, or a name that LLVM's "
         "-mcpu takes">,
  Option<"queryTile", "query-tile", "int64_t", "0", "rows of a query tile">,
  Option<"keyTile", "key-tile", "int64_t", "0", "keys of a key tile">,
  Option<"warps", "warps", "int64_t", "0", "warps that share a query tile">,
  Option<"stages", "stages", "int64_t", "0",
         "depth of the ring of K and V tiles">,
  Option<"mask", "mask", "std::string", "\"\"", "every, guard or split">,
  Option<"schedule", "schedule", "std::string", "\"\"",
         "any fields of the schedule, as #fa.schedule has them">,
  ListOption<"skip", "skip", "std::string",
             "optional stages to leave out (masked, pipelined)">
];

def FaEmitArtifact : Pass<"fa-emit-artifact", "::mlir::ModuleOp"> {
  let summary = "Compile a module with one fa.attention to an artefact";
  let description = [{
    The program fa-compile as a pass: takes the module from the stage that it is
    at to the last one, and puts the artefact (PTX text with its manifest, or an
    ELF shared object) into the module's attribute `fa.artifact`, a string of
    bytes. With `to=FILE` the artefact is written there instead (`-` is standard
    output).

    ```
    mlir-opt --load-dialect-plugin=fa-plugin.so --load-pass-plugin=fa-plugin.so
      --pass-pipeline='builtin.module(fa-emit-artifact{chip=sm_80 to=a.ptx})' a.mlir
    ```
  }];
  let options = compileOptions # [
    Option<"reference", "reference", "bool", "false",
           "with chip=cpu: the op's definition in float64">,
    Option<"entry", "entry", "std::string", "\"\"",
           "the entry function, where several hold an attention op">,
    Option<"to", "to", "std::string", "\"\"",
           "file that the artefact is written to">
  ];
}

def FaEmbed : Pass<"fa-embed", "::mlir::ModuleOp"> {
  let summary = "Compile every fa.attention of a module in its place";
  let description = [{
    For modules in which attention stands among other code: each `fa.attention`,
    on tensors or memrefs, in any function, becomes a call of a function that
    launches its kernel. Ops that are equal but for their scale share one.
    `host` says who launches:

    * `runtime`: libfa_runtime, which the program has to be linked with. The
      artefact is a constant of the module, and may be for a GPU or for the CPU.
    * `launch_func`: the program's own GPU runtime. The PTX is a `gpu.binary`;
      which kernel fits is decided around `gpu.launch_func`. For kernels that
      take tensor maps or stay on their multiprocessors the module calls the
      CUDA driver, which the program then has to be linked with.

    Tensors are handed over by `bufferization.to_buffer` and come back by
    `to_tensor`, so the host's own bufferization runs later, as ever.

    ```mlir
    %o = fa.attention ins(%q, %k, %v : ...) outs(%init : tensor<2x4x33x64xf16>)
    // ==>
    %dest = bufferization.alloc_tensor() : tensor<2x4x33x64xf16>
    %out = bufferization.to_buffer %dest : ...
    call @fa_attention_0(%q_buffer, %k_buffer, %v_buffer, %out, %scale) : ...
    %o = bufferization.to_tensor %out restrict writable : ...
    ```
  }];
  let options = compileOptions # [
    Option<"host", "host", "std::string", "\"runtime\"",
           "runtime or launch_func">
  ];
}

#endif // FA_LOWERING_EMBED_PASSES_TD
