// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a text and the options to compile it with belong together.
#ifndef FA_LOWERING_CHECKINPUT_H
#define FA_LOWERING_CHECKINPUT_H

#include "lowering/Compiler.h"

namespace mlir::fa {
/// Checks that `module` says which of `stages` it is at, that it is for the
/// chip of `options` where it is for one already, and that no option is given
/// which would do nothing. An error at the module says what is wrong.
LogicalResult checkInput(ModuleOp module, const CompileOptions &options,
                         ArrayRef<std::string> stages);
} // namespace mlir::fa

#endif // FA_LOWERING_CHECKINPUT_H
