// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No heap, and no stack that grows in a loop.
#include "lowering/Cpu/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPUCHECKBUFFERS
#include "lowering/Cpu/Passes.h.inc"

namespace {

/// The buffer was not put on the stack.
void refuse(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  InFlightDiagnostic diag = alloc.emitError();
  if (!type.hasStaticShape()) {
    diag << "expects tiles of static size in a CPU kernel, got " << type;
    return;
  }
  int64_t bytes = llvm::divideCeil(
      type.getNumElements() * type.getElementTypeBitWidth(), 8);
  diag << "needs " << bytes << " bytes for a tile of " << type
       << ", a CPU kernel has " << kMostTileBytes
       << " of the stack for each: smaller query or key tiles may fit";
}

struct FaCpuCheckBuffers : impl::FaCpuCheckBuffersBase<FaCpuCheckBuffers> {
  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        refuse(alloc);
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
