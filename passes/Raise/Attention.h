// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fused attention operators have in common.
#ifndef FA_PASSES_RAISE_ATTENTION_H
#define FA_PASSES_RAISE_ATTENTION_H

#include "passes/Raise/Common.h"

namespace mlir::fa::raising {

struct FusedAttention {
  Axes depth;       // what q and k are multiplied over
  int64_t keys = 0; // extent
  Type type;        // the softmax's
  Expr *scale = nullptr;
  Expr *q = nullptr;
  llvm::function_ref<Expr *(const Coord &key)> k, v;
  /// Score of one key after everything that follows the scaling.
  llvm::function_ref<Expr *(Expr *score, const Coord &key)> change;
};

/// Whether `op` has no attributes but these, and ones of other dialects; the
/// graph's refusal names the first other.
bool hasOnlyAttributes(Graph &graph, Operation *op, ArrayRef<StringRef> known);

/// Adds a mask of numbers, or keeps what a mask of booleans has true.
Expr *masked(Graph &graph, Expr *score, Expr *mask);

/// The score of one key, changed and masked.
Expr *scoreOf(Graph &graph, const FusedAttention &attention, const Coord &key);

/// One element of softmax(change(scale * q k)) v.
Expr *fusedAttention(Graph &graph, const FusedAttention &attention,
                     Type result);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_ATTENTION_H
