// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a gpu.module at stage `nvvm` to PTX text, with LLVM's NVPTX back end and
// nothing else: no CUDA toolkit, no device library.
#ifndef FA_LOWERING_PTX_EMITPTX_H
#define FA_LOWERING_PTX_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::fa {

/// PTX text and what it says about itself.
struct PtxText {
  std::string text;
  /// Of its `.target` line, "sm_80".
  std::string chip;
  /// Of its `.version` line, "7.0": the oldest PTX that a driver must take.
  std::string version;
};

/// Compiles `module`, whose chip is its attribute `fa.target`. The same input
/// gives the same bytes. An error at the op that is to blame says what cannot
/// be PTX: above all calls to functions that the module does not define, which
/// no driver would load.
FailureOr<PtxText> emitPtx(gpu::GPUModuleOp module);

/// A gpu.binary called `name` with `ptx`, where gpu.launch_func finds it.
gpu::BinaryOp createPtxBinary(OpBuilder &b, Location loc, StringRef name,
                              const PtxText &ptx);

/// What emitPtx needs in the context that `registry` belongs to.
void registerPtxTranslations(DialectRegistry &registry);

} // namespace mlir::fa

#endif // FA_LOWERING_PTX_EMITPTX_H
