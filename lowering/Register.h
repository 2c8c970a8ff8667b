// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_REGISTER_H
#define FA_LOWERING_REGISTER_H

namespace mlir {
class DialectRegistry;
namespace fa {
/// Adds this project's dialects and upstream's to `registry`, with the external
/// models they need, and registers all passes and pipelines by name.
void registerEverything(DialectRegistry &registry);
} // namespace fa
} // namespace mlir

#endif // FA_LOWERING_REGISTER_H
