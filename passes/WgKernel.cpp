// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgKernel.h"

#include "passes/ManifestBuilder.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

Operation *mlir::fa::outermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp();
       parent && !isa<gpu::GPUFuncOp>(parent); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return outermost;
}

wg::AllocOp mlir::fa::allocateFor(Operation *op, Type type) {
  Operation *loop = outermostLoop(op);
  OpBuilder b(loop ? loop : op);
  return wg::AllocOp::create(b, op->getLoc(), type, IntegerAttr(),
                             IntegerAttr());
}

static bool readsByPart(Operation *op) {
  if (auto reduce = dyn_cast<wg::ReduceRowsOp>(op))
    return reduce.getKind() == wg::Combine::AddF;
  auto map = dyn_cast<wg::MapOp>(op);
  return map && map.getNumOperands() == 1 && isa<wg::FragType>(map.getType()) &&
         map.getBody().getArgument(1).use_empty() &&
         map.getBody().getArgument(2).use_empty();
}

PartReaders mlir::fa::readersByPart(wg::MapOp map,
                                    ArrayRef<Operation *> moving) {
  PartReaders readers;
  Block *block = map->getBlock();
  Operation *end = map->getNextNode();
  while (!end->hasTrait<OpTrait::IsTerminator>() &&
         (isMemoryEffectFree(end) || llvm::is_contained(moving, end)))
    end = end->getNextNode();
  for (Operation *user : map->getUsers()) {
    bool fits = user->getBlock() == block && user->isBeforeInBlock(end) &&
                readsByPart(user);
    if (fits)
      readers.ops.push_back(user);
    readers.all &= fits;
  }
  llvm::sort(readers.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  auto standsBehind = [&](Operation *user) {
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    return inBlock && readers.ops.back()->isBeforeInBlock(inBlock);
  };
  for (Operation *reader : readers.ops)
    if (!llvm::all_of(reader->getUsers(), standsBehind))
      return {{}, false};
  return readers;
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
