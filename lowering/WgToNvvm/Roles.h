// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roles of warpgroups and their turns: regions that become branches.
#ifndef FA_LOWERING_WGTONVVM_ROLES_H
#define FA_LOWERING_WGTONVVM_ROLES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::wg {

/// Replaces each wg.turn by its region between two named barriers. Before the
/// patterns run, since a turn hands values of `wg` types on.
LogicalResult expandTurns(gpu::GPUFuncOp function);

/// Replaces each wg.role by a branch on the warpgroup's number. After the
/// patterns, which ask an op for the role that it stands in.
LogicalResult expandRoles(gpu::GPUFuncOp function);

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_ROLES_H
