// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU name stands for.
#ifndef FA_LOWERING_CPU_CPUTARGET_H
#define FA_LOWERING_CPU_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::fa {

/// What the user asks for.
struct CpuOptions {
  /// A name that LLVM's -mcpu takes, or "native" for this machine's.
  std::string cpu = "x86-64-v3";
};

/// A CPU that code can be generated for: it has AVX2, FMA and F16C at least.
struct CpuTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  /// The name without "native".
  std::string cpu;
  /// LLVM's feature string: empty unless asked for "native".
  std::string features;
  /// Width of the widest vector register in bits: 256 or 512.
  unsigned vectorBits = 256;
  /// Whether f32 is rounded to bf16 by an instruction.
  bool hasBf16 = false;
  /// What a machine must have to run the code, as __builtin_cpu_supports names
  /// it.
  std::vector<std::string> required;

  /// Fails, saying why, for a name that LLVM does not know and for a CPU below
  /// x86-64-v3: there f16 and FMA would become calls of the C library.
  static llvm::Expected<CpuTarget> get(const CpuOptions &options);
};

} // namespace mlir::fa

#endif // FA_LOWERING_CPU_CPUTARGET_H
