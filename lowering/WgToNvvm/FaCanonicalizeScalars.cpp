// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's loops carry hundreds of registers by now, and the patterns that
// look for needless results of loops and branches compare all pairs of them:
// seconds, for nothing, since the tiles that the registers came from had been
// asked before.
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACANONICALIZESCALARS
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

struct FaCanonicalizeScalars
    : mlir::fa::impl::FaCanonicalizeScalarsBase<FaCanonicalizeScalars> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet found(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(found);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (!op.hasInterface<RegionBranchOpInterface>())
        op.getCanonicalizationPatterns(found, context);
    patterns = std::move(found);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      // As for the canonicalizer, what is left undone is no failure.
      (void)applyPatternsGreedily(module, patterns, config);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
