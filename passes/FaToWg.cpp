// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// outlined -> values: tiles as tensors become tiles in registers and in shared
// memory, one op for one op. What an op is for plays no part; its shape does:
//
//   tensor.pad of a memref's rows     a load into shared memory
//   linalg.matmul                     wg.mma
//   linalg.generic, all parallel      wg.map
//   linalg.generic, rows reduced      wg.reduce_rows
//   linalg.fill                       wg.splat
//   materialize_in_destination        wg.store, wg.store_rows
//
// Loops and branches keep their form and carry the new types.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/ToWg.h"
#include "passes/WgKernel.h"
#include "passes/WgRegisters.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FATOWG
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct ToWgPass : mlir::fa::impl::FaToWgBase<ToWgPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"outlined"})))
      return signalPassFailure();
    FailureOr<SmallVector<gpu::GPUFuncOp>> kernels = expectKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : *kernels)
      if (failed(convert(kernel)))
        return signalPassFailure();
    setStage(module, "values");
  }

  LogicalResult convert(gpu::GPUFuncOp kernel) {
    auto schedule = kernel->getAttrOfType<ScheduleAttr>(kScheduleAttr);
    if (!schedule)
      return kernel.emitOpError() << "expects the attribute " << kScheduleAttr
                                  << ", which says how many warps share a tile";
    if (!llvm::hasSingleElement(kernel.getBody()))
      return kernel.emitOpError() << "expects a body of one block, got "
                                  << kernel.getBody().getBlocks().size();
    auto access = kernel->getAttrOfType<IntegerAttr>(kAccessAttr);
    bool byTma = kernel->hasAttr(kTmaAttr);
    if (failed(ToWgConverter(kernel, schedule.getWarps(),
                             access ? access.getInt() : 2,
                             byTma ? wg::Swizzle::Sw128 : wg::Swizzle::Xor)
                   .run()))
      return failure();
    return checkRegisters(kernel);
  }
};
} // namespace
