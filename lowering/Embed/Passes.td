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


#endif // FA_LOWERING_EMBED_PASSES_TD
