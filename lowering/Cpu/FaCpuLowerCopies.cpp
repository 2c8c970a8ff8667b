// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of buffers as loops instead of calls.
#include "lowering/Cpu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPULOWERCOPIES
#include "lowering/Cpu/Passes.h.inc"

namespace {

struct FaCpuLowerCopies : impl::FaCpuLowerCopiesBase<FaCpuLowerCopies> {
  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp copy) {
      OpBuilder builder(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    });
  }
};

} // namespace
} // namespace mlir::fa
