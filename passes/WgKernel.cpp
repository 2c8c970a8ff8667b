// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgKernel.h"

#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::fa;

SmallVector<gpu::GPUFuncOp> mlir::fa::findKernels(ModuleOp module) {
  SmallVector<gpu::GPUFuncOp> kernels;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (auto func : gpuModule.getOps<gpu::GPUFuncOp>())
      if (func->hasAttr(kKernelAttr))
        kernels.push_back(func);
  return kernels;
}

FailureOr<SmallVector<gpu::GPUFuncOp>>
mlir::fa::expectKernels(ModuleOp module) {
  SmallVector<gpu::GPUFuncOp> kernels = findKernels(module);
  if (!kernels.empty())
    return kernels;
  // At its place only: the whole module would hide the message.
  return emitError(module.getLoc())
         << "expects kernels (gpu.func with " << kKernelAttr
         << " in a gpu.module), found none";
}

bool mlir::fa::canBeAsync(wg::LoadOp load) {
  constexpr int64_t leastBytes = 4;
  return static_cast<int64_t>(load.getBytes()) >= leastBytes;
}

ScheduleAttr mlir::fa::scheduleOf(gpu::GPUFuncOp kernel) {
  return kernel->getAttrOfType<ScheduleAttr>(kScheduleAttr);
}

bool mlir::fa::staysForTiles(gpu::GPUFuncOp kernel) {
  ScheduleAttr schedule = scheduleOf(kernel);
  return kernel->hasAttr(kTmaAttr) && schedule &&
         schedule.getGrid() != Grid::Blocks;
}

bool mlir::fa::votesOnRareWork(gpu::GPUFuncOp kernel) {
  ScheduleAttr schedule = scheduleOf(kernel);
  return kernel->hasAttr(kTmaAttr) || (schedule && schedule.getThreshold());
}

Operation *mlir::fa::outermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp();
       parent && !isa<gpu::GPUFuncOp>(parent); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return outermost;
}

void mlir::fa::moveInFront(Operation *op, Operation *place) {
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    moveInFront(operand.getDefiningOp(), place);
  op->moveBefore(place);
}

Value mlir::fa::cloneValue(OpBuilder &b, Value value, IRMapping &mapping,
                           function_ref<bool(Operation *)> inside) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || !op || !inside(op))
    return mapping.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    cloneValue(b, operand, mapping, inside);
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

std::optional<unsigned> mlir::fa::carriedPlace(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument == loop.getInductionVar())
    return std::nullopt;
  return argument.getArgNumber() - loop.getNumInductionVars();
}

std::optional<unsigned>
mlir::fa::carriedResult(scf::ForOp loop, scf::IfOp branch, unsigned place) {
  auto result = dyn_cast<OpResult>(loop.getYieldedValues()[place]);
  if (!result || result.getOwner() != branch ||
      branch.elseYield().getOperand(result.getResultNumber()) !=
          loop.getRegionIterArg(place))
    return std::nullopt;
  return result.getResultNumber();
}

scf::IfOp mlir::fa::widenBranch(scf::IfOp branch, ValueRange thenValues,
                                ValueRange elseValues) {
  IRRewriter b(branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, thenValues.getTypes());
  auto made =
      scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  made.thenYield()->insertOperands(branch.getNumResults(), thenValues);
  made.elseYield()->insertOperands(branch.getNumResults(), elseValues);
  b.replaceOp(branch, made.getResults().take_front(branch.getNumResults()));
  return made;
}

wg::WaitMmaOp mlir::fa::lastWait(scf::ForOp loop) {
  wg::WaitMmaOp last;
  for (auto wait : loop.getOps<wg::WaitMmaOp>())
    last = wait;
  return last && last.getKept().empty() ? last : wg::WaitMmaOp();
}

bool mlir::fa::isPositive(Value value) {
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getValueAsDouble() > 0;
  auto argument = dyn_cast<BlockArgument>(value);
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  return kernel && kernel.getArgAttr(argument.getArgNumber(), kClassAttr) ==
                       StringAttr::get(kernel.getContext(), "positive");
}

wg::AllocOp mlir::fa::allocateFor(Operation *op, Type type) {
  Operation *loop = outermostLoop(op);
  OpBuilder b(loop ? loop : op);
  return wg::AllocOp::create(b, op->getLoc(), type, IntegerAttr(),
                             IntegerAttr());
}

bool mlir::fa::mayWriteGlobal(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [](MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
           !isa<wg::SharedMemory, wg::AsyncGroups>(effect.getResource());
  });
}
