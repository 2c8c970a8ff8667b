// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of a kernel's body become buffers.
#include "lowering/Cpu/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPUBUFFERIZE
#include "lowering/Cpu/Passes.h.inc"

namespace {

/// The value whose buffer `value` takes over, if every op on the way writes in
/// place: follows destinations backwards as far as they go.
Value sourceOfBuffer(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    if (auto dest = dyn_cast<DestinationStyleOpInterface>(op))
      value = dest.getTiedOpOperand(result)->get();
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      value = loop.getTiedLoopInit(result)->get();
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      value = branch.thenYield().getOperand(result.getResultNumber());
    else
      break;
  }
  return value;
}

/// A loop can only carry a tile in one buffer: where the next value of a
/// carried tile was made elsewhere, copies it back at the end of the trip.
void copyBackCarriedTiles(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  OpBuilder builder(yield);
  for (auto [arg, operand] :
       llvm::zip(loop.getRegionIterArgs(), yield->getOpOperands())) {
    if (!isa<RankedTensorType>(arg.getType()) ||
        sourceOfBuffer(operand.get()) == arg)
      continue;
    auto copy =
        linalg::CopyOp::create(builder, yield.getLoc(), operand.get(), arg);
    operand.set(copy.getResult(0));
  }
}

struct FaCpuBufferize : impl::FaCpuBufferizeBase<FaCpuBufferize> {
  void runOnOperation() override {
    if (failed(expectStage(getOperation(), {"vectors", "outlined"})))
      return signalPassFailure();
    getOperation().walk(copyBackCarriedTiles);

    bufferization::OneShotBufferizationOptions options;
    bufferization::BufferizationState state;
    if (failed(
            bufferization::runOneShotBufferize(getOperation(), options, state)))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::fa
