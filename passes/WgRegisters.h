// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers that a kernel's tiles cannot do without.
#ifndef FA_PASSES_WGREGISTERS_H
#define FA_PASSES_WGREGISTERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fa {
/// The most registers that fragments and rows take in a thread of `kernel` at
/// one place. Addresses, counters and what an op needs inside come on top, so
/// this many are needed at least.
int64_t leastRegisters(gpu::GPUFuncOp kernel);

/// Checks that the chip of `kernel`'s gpu.module, where it names one, has that
/// many: an error at the kernel says how many are needed and there.
LogicalResult checkRegisters(gpu::GPUFuncOp kernel);
} // namespace mlir::fa

#endif // FA_PASSES_WGREGISTERS_H
