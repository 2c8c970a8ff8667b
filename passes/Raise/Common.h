// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definitions that several operator sets share.
#ifndef FA_PASSES_RAISE_COMMON_H
#define FA_PASSES_RAISE_COMMON_H

#include "passes/Raise/FrontEnds.h"

namespace mlir::fa::raising {

inline RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Whether `op` has `count` operands and all are tensors: ops that are not
/// registered have not been verified.
bool hasTensors(Operation *op, unsigned count);

/// The element of `operand` that meets the element at `at` of a result of
/// `result`'s rank when shapes are aligned at their last dimension and
/// extent 1 is repeated. Dynamic dimensions are taken to be equal.
Expr *broadcastLoad(Graph &graph, Value operand, const Coords &at);

/// An op on such operands.
Expr *broadcastOp(Graph &graph, Fn op, ValueRange operands, const Coords &at,
                  Type type);

/// `at` in a transposed tensor: result dimension i is operand dimension
/// `permutation[i]`.
Expr *transposed(Graph &graph, Value operand, ArrayRef<int64_t> permutation,
                 const Coords &at);

Expr *reshaped(Graph &graph, Value operand, Value result, const Coords &at);

/// A reshape that adds and removes dimensions of one element only, so that
/// dynamic ones stay what they are.
Expr *unitsChanged(Graph &graph, Value operand, Value result, const Coords &at);

/// One of `operands`, which lie behind each other along `dim`: null where `at`
/// runs over parts of several.
Expr *concatenated(Graph &graph, ValueRange operands, int64_t dim,
                   const Coords &at);

/// A slice that begins at `starts` (of each dimension), with strides of 1.
Expr *sliced(Graph &graph, Value operand, ArrayRef<int64_t> starts,
             const Coords &at,
             llvm::function_ref<bool(int64_t)> isWhole = nullptr);

/// Reduction of `dims`, which the result has with extent 1 or not at all.
Expr *reducedOver(Graph &graph, Fn op, Value operand, ArrayRef<int64_t> dims,
                  bool keepsDims, const Coords &at);

/// The product of two elements summed over `axes`, in `type`.
Expr *contraction(Graph &graph, Expr *lhs, Expr *rhs, const Axes &axes,
                  Type type);

Expr *converted(Graph &graph, Expr *expr, Type type);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_COMMON_H
