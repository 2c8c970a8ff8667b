// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CPU artefact loaded into the process.
#ifndef FA_RUNTIME_CPULIBRARY_H
#define FA_RUNTIME_CPULIBRARY_H

#include "runtime/Artifact.h"

namespace fa::rt {

/// params[i] points to the kernel's i-th argument.
using CpuKernel = void (*)(void **params, int64_t tile);

class CpuLibrary {
public:
  ~CpuLibrary();
  CpuLibrary(const CpuLibrary &) = delete;
  CpuLibrary &operator=(const CpuLibrary &) = delete;

  /// Checks that this machine can run the artefact, and loads its bytes (never
  /// the file again, which may have changed since its hash was checked).
  static Status load(const ArtifactImage &image,
                     std::shared_ptr<CpuLibrary> &result);

  Status find(const std::string &name, CpuKernel &kernel) const;

private:
  CpuLibrary(void *handle, int file) : handle(handle), file(file) {}

  void *handle;
  // Kept open: the loader tells libraries apart by path, and the path holds
  // this number.
  int file;
};

/// Whether this machine has a CPU feature (as __builtin_cpu_supports names it);
/// known is false where the name means nothing here.
bool cpuSupports(std::string_view feature, bool &known);

} // namespace fa::rt

#endif
