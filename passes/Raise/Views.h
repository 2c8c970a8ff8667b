// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the reshapes and transposes that lead from one arrangement of axes to
// another, and knows the extents of axes as values.
#ifndef FA_PASSES_RAISE_VIEWS_H
#define FA_PASSES_RAISE_VIEWS_H

#include "passes/Raise/Graph.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fa::raising {

class Views {
public:
  Views(ImplicitLocOpBuilder &builder) : b(builder) {}

  /// Lets extents of the axes in `at` be read from `value`.
  void learn(Value value, const Coords &at);
  /// The product of the extents; null where nobody knows one of them.
  OpFoldResult extent(const Axes &axes);
  /// Whether `extent` knows all of these.
  bool knows(const Axes &axes);

  /// `value`, whose dimensions are `have`, with the dimensions `want`. Both
  /// have the same axes.
  Value arrange(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want);

  RankedTensorType type(ArrayRef<Axes> shape, Type element);
  Value empty(ArrayRef<Axes> shape, Type element);
  /// Whether the last `arrange` had to copy.
  bool copied = false;

private:
  Value expand(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want);
  Value collapse(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want);
  Value transpose(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want);
  Value reshape(Value value, ArrayRef<Axes> have, ArrayRef<Axes> want);

  ImplicitLocOpBuilder &b;
  llvm::DenseMap<Axis *, std::pair<Value, unsigned>> known;
  llvm::DenseMap<Axis *, int64_t> beside; // static extents in that dimension
};

llvm::SmallVector<Axes, 4> axesOfDims(const Coords &at);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_VIEWS_H
