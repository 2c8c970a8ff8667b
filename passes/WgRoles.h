// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of a kernel's code that some of its ops need.
#ifndef FA_PASSES_WGROLES_H
#define FA_PASSES_WGROLES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace mlir::fa {
/// The ops and values of a kernel on which given ops depend. Of a loop or a
/// branch only those carried values and results count that are needed.
class Slice {
public:
  /// `root` and all that it depends on belong to the slice.
  void add(Operation *root);

  bool contains(Operation *op) const { return ops.contains(op); }
  bool contains(Value value) const { return values.contains(value); }

private:
  void need(Operation *op);
  void need(Value value);

  llvm::DenseSet<Operation *> ops;
  llvm::DenseSet<Value> values;
  SmallVector<Value> work;
};

/// Copies the slice of a block, giving each op to `clone`, but for scf.for and
/// scf.if, whose carried values and results get their types from `convert`.
class SliceCloner {
public:
  using Clone = std::function<void(OpBuilder &, Operation *, IRMapping &)>;
  using Convert = std::function<Type(Type)>;

  SliceCloner(OpBuilder &b, const Slice &slice, Clone clone, Convert convert)
      : b(b), slice(slice), clone(std::move(clone)),
        convert(std::move(convert)) {}

  /// The slice of the kernel's body, but for the ops that `stays` names: their
  /// results stand for themselves.
  void cloneKernel(gpu::GPUFuncOp kernel,
                   function_ref<bool(Operation *)> stays);

private:
  void cloneBlock(Block &block);
  void cloneFor(scf::ForOp loop);
  void cloneIf(scf::IfOp branch);
  SmallVector<Value> mapped(ValueRange from, ArrayRef<unsigned> picked);

  OpBuilder &b;
  const Slice &slice;
  Clone clone;
  Convert convert;
  IRMapping mapping;
};
} // namespace mlir::fa

#endif // FA_PASSES_WGROLES_H
