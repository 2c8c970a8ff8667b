// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WG_DIALECT_TD
#define WG_DIALECT_TD

include "mlir/IR/OpBase.td"

def Wg_Dialect : Dialect {
  let name = "wg";
  let cppNamespace = "::mlir::wg";
  let summary = "Kernels on tiles: a group of warps acts as one worker";
  let description = [{
    The middle level between `linalg` on tiles and a chip's instructions. A value
    is a tile of the whole group (registers or shared memory); its type says who
    holds which element. An op is executed by all warps of the group together:
    those of the block, or inside `wg.role` those of one warpgroup.

    A kernel is a `gpu.func` in a `gpu.module`, with upstream scf, arith, memref
    and affine ops around the wg ops. dialect/README.md has both dialects on one
    page, the constraints K1 to Kn, and a map of the accumulator layout.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // WG_DIALECT_TD
