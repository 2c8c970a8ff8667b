// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgRegisters.h"

#include "dialect/Target/GpuTarget.h"
#include "dialect/Wg/WgOps.h"
#include "passes/ManifestBuilder.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fa;

/// Registers of 32 bits that a thread holds of `value`.
static int64_t registersOf(Value value) {
  if (auto frag = dyn_cast<wg::FragType>(value.getType()))
    return llvm::divideCeil(frag.getGroupLayout().regs() *
                                frag.getElementType().getIntOrFloatBitWidth(),
                            32);
  if (auto rows = dyn_cast<wg::RowsType>(value.getType()))
    return rows.getRowLayout().regs();
  return 0;
}

/// The most that is held in front of any op of `block`, where `outer` is held
/// for all of it. A result may take the place of an operand, so only what is
/// there before an op counts.
static int64_t mostIn(Block &block, const DenseSet<Value> &outer,
                      const Liveness &liveness) {
  const LivenessBlockInfo *info = liveness.getLiveness(&block);
  int64_t most = 0;
  for (Operation &op : block) {
    DenseSet<Value> held = outer, across = outer;
    for (Value value : info->currentlyLiveValues(&op)) {
      if (value.getDefiningOp() == &op || registersOf(value) == 0)
        continue;
      held.insert(value);
      if (!liveness.isDeadAfter(value, &op))
        across.insert(value);
    }
    int64_t sum = 0;
    for (Value value : held)
      sum += registersOf(value);
    most = std::max(most, sum);
    if (isa<scf::SCFDialect>(op.getDialect()))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          most = std::max(most, mostIn(inner, across, liveness));
  }
  return most;
}

int64_t mlir::fa::leastRegisters(gpu::GPUFuncOp kernel) {
  Liveness liveness(kernel);
  return mostIn(kernel.getBody().front(), {}, liveness);
}

LogicalResult mlir::fa::checkRegisters(gpu::GPUFuncOp kernel) {
  auto chip = kernel->getParentOp()->getAttrOfType<StringAttr>(kTargetAttr);
  const ::fa::target::GpuTarget *target =
      chip ? ::fa::target::findGpuTarget(chip.getValue()) : nullptr;
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!target || !block || block->empty() || block->front() < 1)
    return success();
  int64_t threads = block->front();
  int64_t has =
      std::min(target->registersPerThread, target->registersPerSm / threads);
  int64_t needs = leastRegisters(kernel);
  if (needs <= has)
    return success();
  return kernel.emitOpError()
         << "needs " << needs << " registers a thread for its tiles, "
         << target->chip << " has " << has << " for each of " << threads
         << " threads: smaller tiles, or more warps for a query tile, may fit";
}
