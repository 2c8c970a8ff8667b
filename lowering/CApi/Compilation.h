// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What both halves of the C API share.
#ifndef FA_LOWERING_CAPI_COMPILATION_H
#define FA_LOWERING_CAPI_COMPILATION_H

#include "lowering/CApi/fa_compiler.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

struct fa_compilation {
  bool ok = false;
  std::string messages;
  std::string bytes;
};

namespace mlir::fa {
/// Compiles `module` as `chip` and `options` (of fa-emit-artifact) say; errors
/// go to the context's handlers.
FailureOr<std::string> compileFor(ModuleOp module, StringRef chip,
                                  StringRef options);
} // namespace mlir::fa

#endif // FA_LOWERING_CAPI_COMPILATION_H
