// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles MLIR text to a CPU artefact and calls its kernels: what the tests of
// the lowerings share.
#ifndef FA_TEST_UNIT_CPUKERNEL_H
#define FA_TEST_UNIT_CPUKERNEL_H

#include "lowering/Cpu/EmitObject.h"
#include "lowering/Cpu/Passes.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fa::test {

/// A tensor or scalar that a kernel's parameters are taken from.
struct Argument {
  void *data = nullptr;
  std::vector<int64_t> sizes, strides;
};

/// Row-major strides.
std::vector<int64_t> packedStrides(const std::vector<int64_t> &sizes);

class CpuKernel {
public:
  /// Compiles `text` by `pipeline`; a failure is a failed test.
  CpuKernel(const std::string &text, mlir::fa::CpuPipelineBuilder pipeline,
            mlir::fa::Calls calls);
  ~CpuKernel();
  CpuKernel(const CpuKernel &) = delete;

  /// Runs tiles 0 to `tiles` of the kernel `name`, with parameters as the
  /// manifest lists them.
  void run(const std::string &name, int64_t tiles,
           const std::map<std::string, Argument> &arguments);

  /// Runs tile 0 of a kernel without a manifest entry.
  void runRaw(const std::string &name, std::vector<void *> params);

  bool isLoaded() const { return library != nullptr; }
  const std::string &bytes() const { return object; }

private:
  using Function = void (*)(void **, int64_t);
  Function find(const std::string &name);

  /// "pointer q", "size q 2" and so on, for each kernel.
  std::map<std::string, std::vector<std::vector<std::string>>> parameters;
  std::string object;
  void *library = nullptr;
};

} // namespace fa::test

#endif // FA_TEST_UNIT_CPUKERNEL_H
