// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of a kernel's tensors: which part of which tensor a view is.
#ifndef FA_PASSES_WGSLICES_H
#define FA_PASSES_WGSLICES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {
/// Some rows of one of a kernel's tensors, whole in the last dimension.
struct RowSlice {
  /// Makes the tensor of the kernel's arguments.
  memref::ReinterpretCastOp tensor;
  /// The first element, one offset for each dimension of the tensor.
  SmallVector<OpFoldResult> offsets;
  /// The dimension along which the rows follow each other.
  unsigned rowDim;

  BlockArgument getPointer() const {
    return cast<BlockArgument>(tensor->getOperand(0));
  }
};

/// The slice that the two-dimensional `view` is: subviews of unit strides and
/// added unit dimensions in front of a tensor; nothing where it is more.
std::optional<RowSlice> findRowSlice(OpBuilder &b, Value view);

/// Whether the rows of `slice` at and past `count`, of `rows` in all, do not
/// exist in the tensor; false where the ops that compute `count` do not show
/// it.
bool endsWithTensor(const RowSlice &slice, Value count, int64_t rows);

/// Behind a pass that gave a kernel tensor maps: drops the ops and arguments
/// that only described the tensors, and brings the manifest's `params` up to
/// date.
void updateTensorMaps(ModuleOp module, gpu::GPUFuncOp kernel);
} // namespace mlir::fa

#endif // FA_PASSES_WGSLICES_H
