// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes are batch, heads and queries, which memory order is taken, and
// which tensor of each chain becomes the operand: the choice that needs the
// fewest copies.
#ifndef FA_PASSES_RAISE_PLAN_H
#define FA_PASSES_RAISE_PLAN_H

#include "dialect/Fa/FaDialect.h"
#include "passes/Raise/Match.h"

namespace mlir::fa::raising {

struct Plan {
  Axes batch, head, group, row, key, depth, width; // most significant first
  Layout layout = Layout::BHSD;
  const Candidate *q = nullptr, *k = nullptr, *v = nullptr;
  double cost = 0;

  /// Heads of Q: query head h reads key/value head h / (number of groups).
  Axes queryHeads() const;
  /// The four dimensions of an operand in the chosen order.
  llvm::SmallVector<Axes, 4> shape(const Axes &heads, const Axes &sequence,
                                   const Axes &last) const;
  llvm::SmallVector<Axes, 4> qShape() const {
    return shape(queryHeads(), row, depth);
  }
  llvm::SmallVector<Axes, 4> kShape() const { return shape(head, key, depth); }
  llvm::SmallVector<Axes, 4> vShape() const { return shape(head, key, width); }
  llvm::SmallVector<Axes, 4> oShape() const {
    return shape(queryHeads(), row, width);
  }
};

/// The cheapest plan. On failure `reason` says what is in the way.
std::optional<Plan> choosePlan(Graph &graph, const Attention &attention,
                               std::string &reason, bool allowF32);

/// 0: no op; 1: a reshape; more: a copy.
double viewCost(const Coords &have, ArrayRef<Axes> want);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_PLAN_H
