// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLD in the process: a relocatable object to a shared one.
#ifndef FA_LOWERING_CPU_LINKOBJECT_H
#define FA_LOWERING_CPU_LINKOBJECT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::fa {

/// Links the ELF object `object` to a shared object, without libraries. Can be
/// called from several threads; one links at a time.
llvm::Error linkSharedObject(llvm::StringRef object,
                             llvm::SmallVectorImpl<char> &out);

} // namespace mlir::fa

#endif // FA_LOWERING_CPU_LINKOBJECT_H
