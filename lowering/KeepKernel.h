// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_KEEPKERNEL_H
#define FA_LOWERING_KEEPKERNEL_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {
/// Leaves `module` one of its kernels, `name`, for reading and for passes: the
/// others go, and so does the manifest, which speaks of all of them. An error
/// at the module where the manifest names no such kernel.
LogicalResult keepKernel(ModuleOp module, StringRef name);
} // namespace mlir::fa

#endif // FA_LOWERING_KEEPKERNEL_H
