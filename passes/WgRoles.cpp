// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgRoles.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

void Slice::add(Operation *root) {
  need(root);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto result = dyn_cast<OpResult>(value)) {
      need(result.getOwner());
      unsigned number = result.getResultNumber();
      if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
        need(Value(loop.getRegionIterArg(number)));
      if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
        for (Region &region : branch->getRegions())
          need(region.front().getTerminator()->getOperand(number));
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      continue;
    need(loop.getOperation());
    if (argument == loop.getInductionVar())
      continue;
    need(loop.getTiedLoopInit(argument)->get());
    need(Value(loop.getTiedLoopResult(argument)));
    need(loop.getTiedLoopYieldedValue(argument)->get());
  }
}

/// A loop or a branch by itself needs what decides how often it runs; any other
/// op what it and the ops inside it read.
void Slice::need(Operation *op) {
  if (isa<gpu::GPUFuncOp>(op) || !ops.insert(op).second)
    return;
  need(op->getParentOp());
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(bound);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    need(branch.getCondition());
  } else {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        need(operand);
    });
  }
}

void Slice::need(Value value) {
  if (values.insert(value).second)
    work.push_back(value);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void SliceCloner::cloneKernel(gpu::GPUFuncOp kernel,
                              function_ref<bool(Operation *)> stays) {
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments())
    mapping.map(argument, argument);
  for (Operation &op : body)
    if (stays(&op))
      for (Value result : op.getResults())
        mapping.map(result, result);
  cloneBlock(body);
}

void SliceCloner::cloneBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    // What stays where it is stands for itself.
    bool known = op.getNumResults() && mapping.contains(op.getResult(0));
    if (!slice.contains(&op) || known)
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      cloneFor(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cloneIf(branch);
    else
      clone(b, &op, mapping);
  }
}

SmallVector<Value> SliceCloner::mapped(ValueRange from,
                                       ArrayRef<unsigned> picked) {
  SmallVector<Value> values;
  for (unsigned i : picked)
    values.push_back(mapping.lookup(from[i]));
  return values;
}

void SliceCloner::cloneFor(scf::ForOp loop) {
  SmallVector<unsigned> picked;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (slice.contains(Value(loop.getResult(i))))
      picked.push_back(i);
  auto made = scf::ForOp::create(
      b, loop.getLoc(), mapping.lookup(loop.getLowerBound()),
      mapping.lookup(loop.getUpperBound()), mapping.lookup(loop.getStep()),
      mapped(loop.getInitArgs(), picked));
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [i, number] : llvm::enumerate(picked)) {
    mapping.map(loop.getRegionIterArg(number), made.getRegionIterArg(i));
    mapping.map(loop.getResult(number), made.getResult(i));
  }
  OpBuilder::InsertionGuard guard(b);
  // A loop that carries nothing has its end already.
  if (picked.empty())
    b.setInsertionPoint(made.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(made.getBody());
  cloneBlock(*loop.getBody());
  if (!picked.empty())
    scf::YieldOp::create(b, loop.getLoc(),
                         mapped(loop.getYieldedValues(), picked));
}

void SliceCloner::cloneIf(scf::IfOp branch) {
  SmallVector<unsigned> picked;
  SmallVector<Type> types;
  for (OpResult result : branch->getResults())
    if (slice.contains(Value(result))) {
      picked.push_back(result.getResultNumber());
      types.push_back(convert(result.getType()));
    }
  auto made = scf::IfOp::create(
      b, branch.getLoc(), types, mapping.lookup(branch.getCondition()),
      /*addThenBlock=*/true, !branch.getElseRegion().empty());
  for (auto [i, number] : llvm::enumerate(picked))
    mapping.map(branch.getResult(number), made.getResult(i));
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    Block &block = to.front();
    if (!block.empty())
      block.back().erase();
    b.setInsertionPointToEnd(&block);
    cloneBlock(from.front());
    scf::YieldOp::create(
        b, branch.getLoc(),
        mapped(from.front().getTerminator()->getOperands(), picked));
  }
}
