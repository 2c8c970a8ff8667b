// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a text's manifest is one that a runtime can take, as far as a reader
// who edited the text may have broken it.
#ifndef FA_PASSES_CHECKMANIFEST_H
#define FA_PASSES_CHECKMANIFEST_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {
/// Checks that `fa.manifest` has the members of its version and no others, of
/// the right kinds, and that the module has each kernel that it lists; an error
/// at the module says what is missing or wrong. Expressions are the runtime's
/// to check.
LogicalResult checkManifest(ModuleOp module);
} // namespace mlir::fa

#endif // FA_PASSES_CHECKMANIFEST_H
