// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/InlineRegion.h"

#include "dialect/Fa/FaDialect.h"
#include "passes/TileBuilder.h"

using namespace mlir;
using namespace mlir::fa;

/// The ops of a region that may only see positions which exist: those that read
/// memory or could trap, and what they compute their operands with.
static DenseSet<Operation *> findBound(Block &body) {
  DenseSet<Operation *> bound;
  for (Operation &inner : llvm::reverse(body.without_terminator())) {
    if (isa<tensor::ExtractOp>(inner) || !isPure(&inner))
      bound.insert(&inner);
    if (bound.contains(&inner))
      for (Value operand : inner.getOperands())
        if (Operation *from = operand.getDefiningOp())
          bound.insert(from);
  }
  return bound;
}

Value mlir::fa::inlineRegion(OpBuilder &b, Location loc, Region &region,
                             ArrayRef<Value> leading, const ScorePosition &at) {
  Block &body = region.front();
  DenseSet<Operation *> bound = findBound(body);
  auto usesInBound = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUsers(),
                        [&](Operation *user) { return bound.contains(user); });
  };
  TileBuilder t(b, loc);
  SmallVector<Value> arguments(leading);
  llvm::append_range(arguments,
                     ArrayRef<Value>{at.batch, at.head, at.query, at.key});
  SmallVector<Value> moved = arguments;
  unsigned key = body.getNumArguments() - 1, query = key - 1;
  if (usesInBound(body.getArgument(query)))
    moved[query] = t.min(at.query, t.sub(at.queryLength, t.index(1)));
  if (usesInBound(body.getArgument(key)))
    moved[key] = t.min(at.key, t.sub(at.keyLength, t.index(1)));
  IRMapping mapping;
  for (Operation &inner : body.without_terminator()) {
    mapping.map(body.getArguments(),
                bound.contains(&inner) ? moved : arguments);
    b.clone(inner, mapping);
  }
  mapping.map(body.getArguments(), arguments);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}
