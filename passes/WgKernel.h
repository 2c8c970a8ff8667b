// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes on kernels in the `wg` dialect share.
#ifndef FA_PASSES_WGKERNEL_H
#define FA_PASSES_WGKERNEL_H

#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {
/// The kernels of the module's gpu.modules: each gpu.func with `fa.kernel`.
SmallVector<gpu::GPUFuncOp> findKernels(ModuleOp module);

/// All ops of one kind in a kernel, in program order.
template <typename OpTy> SmallVector<OpTy> findOps(gpu::GPUFuncOp kernel) {
  SmallVector<OpTy> ops;
  kernel.walk<WalkOrder::PreOrder>([&](OpTy op) { ops.push_back(op); });
  return ops;
}

/// The outermost loop around `op` in its kernel, null where there is none.
Operation *outermostLoop(Operation *op);

/// Storage for `type`, for use at `op`: one for all iterations of the loops
/// around it.
wg::AllocOp allocateFor(Operation *op, Type type);

/// Readers of a map's fragment that may be done where the map is, part by part:
/// sums over rows and maps that do not ask for the place of an element.
struct PartReaders {
  /// In program order, all in front of what reads their results.
  SmallVector<Operation *> ops;
  /// Whether the fragment has no other reader.
  bool all = true;
};
/// The readers of `map` in front of the first op behind it with an effect, not
/// counting those of `moving`.
PartReaders readersByPart(wg::MapOp map, ArrayRef<Operation *> moving = {});

/// Whether running `op` may change what a load from global memory gives.
bool mayWriteGlobal(Operation *op);
} // namespace mlir::fa

#endif // FA_PASSES_WGKERNEL_H
