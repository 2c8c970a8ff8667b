// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to a shared object with its manifest inside.
#ifndef FA_LOWERING_CPU_EMITOBJECT_H
#define FA_LOWERING_CPU_EMITOBJECT_H

#include "lowering/Cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::fa {

/// What the object may call.
enum class Calls {
  Memory,     ///< memcpy and memset
  MathLibrary ///< those and the C library's maths (the reference)
};

/// Translates `module`, which is at stage `llvm`, and optimises it for
/// `target`. Null, with an error at the module, on failure.
std::unique_ptr<llvm::Module> translateForCpu(ModuleOp module,
                                              const CpuTarget &target,
                                              llvm::LLVMContext &context);

/// Writes the artefact: an ELF shared object that exports the kernels of
/// `module`, with the manifest and the hash of everything else in its section
/// `.fa_manifest`. The same input gives the same bytes.
LogicalResult emitCpuObject(ModuleOp module, const CpuTarget &target,
                            Calls allowed, SmallVectorImpl<char> &out);

} // namespace mlir::fa

#endif // FA_LOWERING_CPU_EMITOBJECT_H
