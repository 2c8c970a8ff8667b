// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_REGISTER_H
#define FA_LOWERING_REGISTER_H

namespace mlir {
class DialectRegistry;
namespace fa {
/// Adds this project's dialects to `registry`, with the external models and
/// translations that they need.
void registerDialects(DialectRegistry &registry);

/// Registers this project's passes and pipelines by name; once a process.
void registerPasses();

/// Both, and all dialects, extensions and passes of upstream's.
void registerEverything(DialectRegistry &registry);
} // namespace fa
} // namespace mlir

#endif // FA_LOWERING_REGISTER_H
