// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No heap, and no stack that grows in a loop.
#include "lowering/Cpu/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPUCHECKBUFFERS
#include "lowering/Cpu/Passes.h.inc"

namespace {

struct FaCpuCheckBuffers : impl::FaCpuCheckBuffersBase<FaCpuCheckBuffers> {
  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      if (isa<memref::AllocOp>(op)) {
        op->emitOpError(
            "is left in a CPU kernel: expects every buffer of a tile "
            "to be of static size and small enough for the stack");
        failed = true;
      }
      if (isa<memref::AllocaOp>(op) &&
          op->getParentOfType<LoopLikeOpInterface>()) {
        op->emitOpError("is inside a loop of a CPU kernel, where it would grow "
                        "the stack at every trip");
        failed = true;
      }
    });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::fa
