// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that compile whole attention problems: for plugins, and for modules
// in which attention stands among other code.
#ifndef FA_LOWERING_EMBED_PASSES_H
#define FA_LOWERING_EMBED_PASSES_H

#include "lowering/Compiler.h"

#include "mlir/Pass/Pass.h"

namespace mlir::fa {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lowering/Embed/Passes.h.inc"

/// The options of fa-emit-artifact, written as passes take them
/// ("chip=cpu key-tile=64"), but for `to`, with a chip that is told beside them
/// ("" where none is); `error` is told what is wrong with them.
FailureOr<CompileOptions>
parseCompileOptions(StringRef chip, StringRef text,
                    function_ref<LogicalResult(const Twine &)> error);
} // namespace mlir::fa

#endif // FA_LOWERING_EMBED_PASSES_H
