// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the `wg` dialect.
#ifndef FA_DIALECT_WG_WGOPS_H
#define FA_DIALECT_WG_WGOPS_H

#include "dialect/Wg/WgDialect.h"
#include "dialect/Wg/WgTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::wg {
/// Shared memory as a resource of memory effects.
struct SharedMemory : SideEffects::Resource::Base<SharedMemory> {
  StringRef getName() final { return "wg.shared"; }
};
/// Copies and products in flight, which commits and waits count.
struct AsyncGroups : SideEffects::Resource::Base<AsyncGroups> {
  StringRef getName() final { return "wg.async"; }
};
} // namespace mlir::wg

#define GET_OP_CLASSES
#include "dialect/Wg/WgOps.h.inc"

#endif // FA_DIALECT_WG_WGOPS_H
