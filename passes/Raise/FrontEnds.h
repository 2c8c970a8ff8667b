// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function a front end: what an element of an op's result is made of. Null
// where the op is not this front end's, or is none whose elements have a simple
// definition; the tensor is a leaf then.
#ifndef FA_PASSES_RAISE_FRONTENDS_H
#define FA_PASSES_RAISE_FRONTENDS_H

#include "passes/Raise/Graph.h"

namespace mlir::fa::raising {

Expr *defineTensor(Graph &graph, OpResult result, const Coords &at);
Expr *defineLinalg(Graph &graph, OpResult result, const Coords &at);
Expr *defineTosa(Graph &graph, OpResult result, const Coords &at);
Expr *defineStablehlo(Graph &graph, OpResult result, const Coords &at);
Expr *defineOnnx(Graph &graph, OpResult result, const Coords &at);
Expr *defineFused(Graph &graph, OpResult result, const Coords &at);
Expr *defineOnnxAttention(Graph &graph, OpResult result, const Coords &at);
Expr *defineIreeAttention(Graph &graph, OpResult result, const Coords &at);
/// All of them, in turn.
Expr *define(Graph &graph, OpResult result, const Coords &at);

/// Whether an op computes its results from its operands and does nothing else.
/// Ops of unregistered dialects are known by name.
bool isPure(Operation *op);

/// The value of a scalar arith or math op on `args`; null where it has no
/// counterpart.
Expr *defineScalar(Graph &graph, Operation *op, ArrayRef<Expr *> args,
                   Type type);

/// An attribute of an op of any dialect: inherent, discardable or, for
/// unregistered ops, in the property dictionary.
Attribute attributeOf(Operation *op, StringRef name);
/// Integers of an array in any of its spellings ([..], array<i64: ..>, dense).
std::optional<SmallVector<int64_t>> integersOf(Attribute attribute);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_FRONTENDS_H
