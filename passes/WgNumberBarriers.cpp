// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async -> addressed: the named barriers of roles get their numbers. Barrier 0
// is the block's; each user inside a role takes one number a warpgroup.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGNUMBERBARRIERS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Named barriers of a block (PTX ISA, bar.sync).
static constexpr int64_t kBarriers = 16;

/// Turns and meetings of a warpgroup each have their own.
static LogicalResult numberBarriers(gpu::GPUFuncOp kernel) {
  Builder b(kernel.getContext());
  int64_t next = 1;
  for (wg::RoleOp role : findOps<wg::RoleOp>(kernel)) {
    auto take = [&] {
      IntegerAttr number = b.getI64IntegerAttr(next);
      next += role.getWarpgroups();
      return number;
    };
    if (role.getPingPong())
      role.setTurnIdAttr(take());
    IntegerAttr meeting;
    role.walk([&](wg::BarrierOp barrier) {
      meeting = meeting ? meeting : take();
      barrier.setIdAttr(meeting);
    });
  }
  if (next > kBarriers)
    return kernel.emitOpError() << "needs " << next << " named barriers, a "
                                << "block has " << kBarriers;
  return success();
}

namespace {
struct NumberBarriersPass
    : mlir::fa::impl::WgNumberBarriersBase<NumberBarriersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"pipelined", "specialized", "async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      if (failed(numberBarriers(kernel)))
        return signalPassFailure();
  }
};
} // namespace
