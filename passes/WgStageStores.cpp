// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fragment's rows lie spread over the lanes, 2 elements each: stored from
// there, global memory would be written 4 bytes at a time. Through shared
// memory it is written 16 bytes at a time and whole rows at once.
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGSTAGESTORES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;
using ::fa::target::kChunkBytes;

static void stage(wg::StoreOp store) {
  Location loc = store.getLoc();
  wg::FragType frag = store.getFrag().getType();
  OpBuilder b(store);
  // Behind this barrier nobody reads what was in shared memory before, so that
  // the tile may have the place of another.
  wg::BarrierOp::create(b, loc, IntegerAttr());
  Value tile =
      allocateFor(store, wg::SmemType::get(frag.getRows(), frag.getCols(),
                                           frag.getElementType()));
  wg::PutOp::create(b, loc, store.getFrag(), tile);
  wg::BarrierOp::create(b, loc, IntegerAttr());
  wg::CopyOutOp::create(b, loc, tile, store.getMem(), store.getRows(),
                        store.getBytesAttr());
  store.erase();
}

namespace {
struct StageStoresPass : mlir::fa::impl::WgStageStoresBase<StageStoresPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "pipelined"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      for (wg::StoreOp store : findOps<wg::StoreOp>(kernel))
        // The warpgroups of roles do not meet for a tile that all of them fill.
        if (!kernel->hasAttr(kTmaAttr) &&
            static_cast<int64_t>(store.getBytes()) == kChunkBytes)
          stage(store);
  }
};
} // namespace
