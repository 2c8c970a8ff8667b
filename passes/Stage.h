// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which stage a text is at: the module attribute `fa.stage`.
#ifndef FA_PASSES_STAGE_H
#define FA_PASSES_STAGE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {
/// The stage that `module` says it is at; "problem" where it says nothing.
StringRef getStage(ModuleOp module);

/// Says that `module` is at `stage` now.
void setStage(ModuleOp module, StringRef stage);

/// Checks that `module` is at one of `expected`; an error names that and what
/// was found. Without the attribute only attention ops tell what it is not at.
LogicalResult expectStage(ModuleOp module, ArrayRef<StringRef> expected);
} // namespace mlir::fa

#endif // FA_PASSES_STAGE_H
