// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of bf16 without calls.
#include "lowering/Cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDBF16
#include "lowering/Cpu/Passes.h.inc"

namespace {

struct FaExpandBf16 : impl::FaExpandBf16Base<FaExpandBf16> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::fa
