// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a region makes of a tile's element and of its column, where that is
// linear.
#ifndef FA_PASSES_LINEARFORM_H
#define FA_PASSES_LINEARFORM_H

#include "dialect/Wg/WgOps.h"

#include "mlir/IR/Builders.h"

namespace mlir::fa {
/// A product of values from outside of a loop, or its negative.
struct Coefficient {
  SmallVector<Value> factors;
  bool isNegative = false;
};

/// element * `element` + column * `column` + what follows from neither; nothing
/// for a coefficient of 0.
struct LinearForm {
  std::optional<Coefficient> element, column;
};

/// The form of what `map`, of one fragment, yields; nothing where it is not
/// linear, or where a coefficient changes in `loop`.
std::optional<LinearForm> matchLinear(wg::MapOp map, LoopLikeOpInterface loop);

/// Whether the product is known to be positive (isPositive).
bool isPositive(const Coefficient &coefficient);

/// The product as a value of f32.
Value buildCoefficient(OpBuilder &b, Location loc,
                       const Coefficient &coefficient);
} // namespace mlir::fa

#endif // FA_PASSES_LINEARFORM_H
