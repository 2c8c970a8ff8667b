// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_PASSES_TD
#define FA_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaEntryToBuffers : Pass<"fa-entry-to-buffers", "ModuleOp"> {
  let summary = "Give the entry function its final arguments";
  let description = [{
    Finds the function that holds the one `fa.attention` (or the one named by
    `entry`) and makes its arguments the artefact's: a memref of any strides for
    each tensor, named by `fa.tensor`, results as memrefs after them, and the
    scale as the last argument. Inside, `bufferization.to_tensor` and
    `materialize_in_destination` join the new arguments to the old values, so that
    one-shot bufferization can finish the step.

    ```mlir
    func.func @f(%q: tensor<1x2x8x64xf16>, ...) -> tensor<1x2x8x64xf16>
    ==>
    func.func @f(%q: memref<1x2x8x64xf16, strided<[?, ?, ?, 1], offset: ?>>
                   {fa.tensor = #fa.tensor<"q", in, [1, 2, 8, 64]>}, ...,
                 %o: memref<...> {fa.tensor = #fa.tensor<"o", out, [1, 2, 8, 64]>},
                 %scale: f32 {fa.name = "scale"})
    ```

    Other ops in the function may only be constants, `tensor.empty`, casts and
    what the regions capture; an argument that is no operand of the attention must
    be named by `fa.name`.
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "Name of the entry function, where several hold an attention op">
  ];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def FaTile : Pass<"fa-tile", "ModuleOp"> {
  let summary = "Tile attention into a parallel loop over query tiles";
  let description = [{
    buffers -> tiled. `scf.forall (batch, head, query tile)` around the same op on
    one query tile and all its keys; `at` tells the tile where it stands. In the
    packed form the loop is over (head, tile), and each iteration first finds the
    sequence that its tile belongs to.
  }];
  let dependentDialects = [
    "affine::AffineDialect", "memref::MemRefDialect", "scf::SCFDialect"];
}

#endif // FA_PASSES_TD
