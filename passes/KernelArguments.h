// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's flat arguments: for each tensor of the entry function its address,
// the dynamic extents that no earlier tensor has, and its dynamic strides;
// scalars as they are. Both ways, so that the order is written down here only.
#ifndef FA_PASSES_KERNELARGUMENTS_H
#define FA_PASSES_KERNELARGUMENTS_H

#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fa {

class KernelArguments {
public:
  /// Finds the arguments; refuses an entry that is not as at stage buffers.
  LogicalResult describe(func::FuncOp entry);

  ArrayRef<Type> getTypes() const { return types; }
  /// What each is, as #fa.param.
  ArrayRef<Attribute> getParams() const { return params; }

  /// Maps the entry's arguments to what it built of `flat`, the kernel's.
  void rebuild(OpBuilder &b, func::FuncOp entry, ValueRange flat,
               IRMapping &mapping) const;

private:
  LogicalResult describeTensor(func::FuncOp entry, BlockArgument argument,
                               TensorAttr tensor);
  void add(Type type, ParamKind kind, StringRef name, int64_t dim = -1);
  Value rebuildTensor(OpBuilder &b, Location loc, MemRefType type,
                      TensorAttr tensor, ValueRange flat, unsigned &next) const;

  SmallVector<Type> types;
  SmallVector<Attribute> params;
  /// Position of a dynamic extent among the arguments, by its name.
  llvm::StringMap<unsigned> extents;
};

} // namespace mlir::fa

#endif // FA_PASSES_KERNELARGUMENTS_H
