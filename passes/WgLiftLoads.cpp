// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: what a region reads for a whole tile (ALiBi's slope of the head) is
// read once in front of the map, and where an earlier tile has read it already,
// as the one in front of the key loop does, not at all. Neither is left to the
// back end: waits and barriers in between look to it as if they wrote memory.
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGLIFTLOADS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Whether `load` gives the same value for every element of `map`.
static bool isUniform(memref::LoadOp load, wg::MapOp map) {
  return llvm::none_of(load->getOperands(), [&](Value operand) {
    return map.getBody().isAncestor(operand.getParentRegion());
  });
}

/// Whether `earlier` reads what `later` does: the same place, and nothing
/// writes between them.
static bool isSame(memref::LoadOp earlier, memref::LoadOp later,
                   DominanceInfo &dominance) {
  if (!llvm::equal(earlier->getOperands(), later->getOperands()) ||
      !dominance.properlyDominates(earlier.getOperation(),
                                   later.getOperation()))
    return false;
  Operation *around = earlier->getBlock()->findAncestorOpInBlock(*later);
  for (Operation *op = earlier; op != around; op = op->getNextNode())
    if (mayWriteGlobal(op))
      return false;
  // In a loop also what stands behind it.
  return around == later || !mayWriteGlobal(around);
}

static void liftLoads(gpu::GPUFuncOp kernel) {
  SmallVector<memref::LoadOp> lifted;
  DominanceInfo dominance(kernel);
  for (wg::MapOp map : findOps<wg::MapOp>(kernel))
    for (auto load :
         llvm::make_early_inc_range(map.getBody().getOps<memref::LoadOp>())) {
      if (!isUniform(load, map))
        continue;
      load->moveBefore(map);
      auto same = llvm::find_if(lifted, [&](memref::LoadOp other) {
        return isSame(other, load, dominance);
      });
      if (same == lifted.end()) {
        lifted.push_back(load);
        continue;
      }
      load.getResult().replaceAllUsesWith(same->getResult());
      load.erase();
    }
}

namespace {
struct LiftLoadsPass : mlir::fa::impl::WgLiftLoadsBase<LiftLoadsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      if (kernel->hasAttr(kTmaAttr))
        liftLoads(kernel);
  }
};
} // namespace
