// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Wg/WgVerify.h"

#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::wg;

LogicalResult wg::verifyWritesNothing(Operation *op, Block &body) {
  for (Operation &inner : body.without_terminator()) {
    auto effects = getEffectsRecursively(&inner);
    bool reads = effects && llvm::all_of(*effects, [](const auto &effect) {
                   return isa<MemoryEffects::Read>(effect.getEffect());
                 });
    if (!reads)
      return inner.emitOpError() << "is not expected in a " << op->getName()
                                 << ", which writes nothing";
  }
  return success();
}

bool wg::precedes(Operation *op, Operation *later) {
  for (; op && op->getBlock(); op = op->getParentOp())
    if (Operation *other = op->getBlock()->findAncestorOpInBlock(*later))
      return op != other && op->isBeforeInBlock(other);
  return false;
}

LogicalResult wg::verifyColumnsOf(Operation *op, SmemType tile, FragType frag) {
  if (frag.getRows() == tile.getRows() && frag.getCols() <= tile.getCols() &&
      frag.getCols() % 16 == 0 &&
      frag.getElementType() == tile.getElementType() &&
      frag.getLayout() == FragLayout::A)
    return success();
  return op->emitOpError() << "expects a fragment in layout a with the rows "
                              "and element type of the tile and, in steps of "
                              "16, at most its columns, got "
                           << frag << " of " << tile;
}

SmallVector<Value> wg::handedOn(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    if (BlockArgument arg = loop.getTiedLoopRegionIterArg(&use))
      return {arg, loop.getTiedLoopResult(&use)};
  SmallVector<Value> values;
  if (isa<scf::YieldOp, wg::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    unsigned index = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      values.push_back(loop.getRegionIterArg(index));
    if (index < parent->getNumResults())
      values.push_back(parent->getResult(index));
  }
  return values;
}
