// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of small private functions, put in place inside of the pass: the stock
// inliner leaves bodies with unregistered ops alone.
#ifndef FA_PASSES_RAISE_INLINE_H
#define FA_PASSES_RAISE_INLINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fa::raising {

/// A copy of `function` beside it, with the bodies of called private functions
/// of one block in place of the calls. Null where there are none.
Operation *cloneInlined(FunctionOpInterface function);
void takeBody(FunctionOpInterface function, FunctionOpInterface from);
/// Erases private functions that nothing refers to any more, if a body was
/// taken.
void eraseUncalled(ModuleOp module);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_INLINE_H
