// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artefact's PTX loaded into a context.
#ifndef FA_RUNTIME_CUDAMODULE_H
#define FA_RUNTIME_CUDAMODULE_H

#include "runtime/Artifact.h"
#include "runtime/Driver.h"

namespace fa::rt {

class CudaModule {
public:
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  /// Checks chip and driver, and loads the artefact into the current context
  /// (which is `context`, of `device`) unless it is there already.
  static Status load(const Driver &driver, cuda::Context context,
                     cuda::Device device, const ArtifactImage &image,
                     std::shared_ptr<CudaModule> &result);

  /// The kernel, with the shared memory that it needs opted into.
  Status find(const KernelSpec &kernel, cuda::Function &function) const;

private:
  CudaModule(const Driver &driver, cuda::Context context, cuda::Device device,
             cuda::Module module)
      : driver(driver), context(context), device(device), module(module) {}

  const Driver &driver;
  cuda::Context context;
  cuda::Device device;
  cuda::Module module;
};

} // namespace fa::rt

#endif
