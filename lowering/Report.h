// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa-compile --report: an account of one compilation for people.
#ifndef FA_LOWERING_REPORT_H
#define FA_LOWERING_REPORT_H

#include "lowering/Compiler.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::fa {

class CompileReport {
public:
  /// Looks at the problem and at the schedule that it gets. `module` is not
  /// compiled yet, and stays as it is. An error where it does not compile to
  /// stage `buffers`; no account of a module that is past it.
  LogicalResult readProblem(ModuleOp module, const CompileOptions &options);

  /// Looks at the kernels of the same module, compiled. Of PTX in `artifact`
  /// ptxas says what it makes, where it is on the PATH.
  void readKernels(ModuleOp module, StringRef artifact,
                   const CompileOptions &options);

  StringRef text() const { return lines; }

private:
  int64_t registersOf(llvm::StringRef kernel) const;

  std::string lines;
  /// Registers of a thread that the tiles of an entry function fill.
  std::vector<std::pair<std::string, int64_t>> tileRegisters;
};

/// What ptxas says of one kernel.
struct PtxasKernel {
  int64_t registers = 0, spillBytes = 0;
};

/// Reads the output of `ptxas -v`: what it says of each kernel, by name.
llvm::StringMap<PtxasKernel> parsePtxas(StringRef output);

} // namespace mlir::fa

#endif // FA_LOWERING_REPORT_H
