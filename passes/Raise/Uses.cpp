// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who else reads what a raising would take away, and what is left over.
#include "passes/Raise/Build.h"
#include "passes/Raise/FrontEnds.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::fa::raising;

/// The op in `block` that `op` is or is in.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

static bool isDead(Operation *op, llvm::DenseSet<Operation *> &pending,
                   Value replaced) {
  if (!mlir::fa::raising::isPure(op) || !pending.insert(op).second)
    return false;
  bool dead = (replaced && replaced.getDefiningOp() == op) ||
              llvm::all_of(op->getUsers(), [&](Operation *user) {
                return user->getBlock() == op->getBlock() &&
                       isDead(user, pending, replaced);
              });
  pending.erase(op);
  return dead;
}

/// All ops of the block that `root` is computed by.
static llvm::DenseSet<Operation *> sliceOf(Operation *root) {
  llvm::DenseSet<Operation *> slice;
  SmallVector<Operation *> open{root};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!slice.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer->getBlock() == root->getBlock())
          open.push_back(producer);
    });
  }
  return slice;
}

/// Reads the shape alone, which stays what it was.
static bool readsShape(Operation *op) {
  return llvm::is_contained({"tensor.dim", "onnx.Dim", "onnx.Shape",
                             "shape.shape_of", "stablehlo.get_dimension_size"},
                            op->getName().getStringRef());
}

Operation *mlir::fa::raising::findOtherUse(Graph &graph,
                                           const Attention &attention,
                                           OpSet &inner) {
  Operation *root = attention.root.getDefiningOp();
  llvm::DenseSet<Operation *> pending;
  for (Value result : root->getResults())
    if (result != attention.root && !graph.aliases.count(result))
      for (Operation *user : result.getUsers())
        if (!isDead(user, pending, attention.logSum))
          return user;
  if (!attention.product || attention.product == attention.root)
    return nullptr;
  llvm::DenseSet<Operation *> slice = sliceOf(root);
  SmallVector<Operation *> open{attention.product.getDefiningOp()};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (op == root || !inner.insert(op))
      continue;
    if (attention.logSum && attention.logSum.getDefiningOp() == op)
      continue; // its readers will have the op's result
    for (Operation *user : op->getUsers()) {
      Operation *own = ancestorIn(root->getBlock(), user);
      if (readsShape(user))
        continue;
      if (own && slice.contains(own))
        open.push_back(own);
      else if (!own || !isDead(own, pending, attention.logSum))
        return user;
    }
  }
  return nullptr;
}

void mlir::fa::raising::resolveDims(const OpSet &inner) {
  llvm::SetVector<Operation *> open;
  auto gather = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (isa<tensor::DimOp>(user))
        open.insert(user);
  };
  for (Operation *op : inner)
    gather(op);
  while (!open.empty()) {
    auto dim = cast<tensor::DimOp>(open.pop_back_val());
    auto source = dyn_cast<OpResult>(dim.getSource());
    auto index = dim.getConstantIndex();
    if (!source || !index || !inner.contains(source.getOwner()))
      continue;
    OpBuilder builder(dim);
    FailureOr<OpFoldResult> size =
        reifyDimOfResult(builder, source.getOwner(), source.getResultNumber(),
                         static_cast<int>(*index));
    if (failed(size))
      continue;
    Value value = getValueOrCreateConstantIndexOp(builder, dim.getLoc(), *size);
    dim.replaceAllUsesWith(value);
    dim.erase();
    // What stands for it may ask the next tensor above.
    for (Value operand : source.getOwner()->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && inner.contains(producer))
        gather(producer);
  }
}

void mlir::fa::raising::eraseDead(OpSet candidates,
                                  llvm::DenseSet<Operation *> &erased) {
  while (!candidates.empty()) {
    Operation *op = candidates.pop_back_val();
    if (!op->use_empty() || !mlir::fa::raising::isPure(op))
      continue;
    llvm::SetVector<Operation *> producers;
    op->walk([&](Operation *inner) {
      candidates.remove(inner);
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && !op->isAncestor(producer))
          producers.insert(producer);
    });
    erased.insert(op);
    op->erase();
    candidates.insert(producers.begin(), producers.end());
  }
}
