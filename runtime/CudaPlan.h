// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_RUNTIME_CUDAPLAN_H
#define FA_RUNTIME_CUDAPLAN_H

#include "runtime/CudaModule.h"
#include "runtime/Plan.h"
#include "runtime/Scratch.h"

namespace fa::rt {

/// A launch on a CUDA device.
class CudaPlan : public Plan {
protected:
  Status load(const PrepareRequest &request) override;
  Status run(uint64_t *slots, void **params, void *stream) const override;

private:
  Status refuseInCapture(void *stream) const;
  Status checkPointers(const fa_tensor *tensors, size_t count) const;

  const Driver *driver = nullptr;
  cuda::Context context = nullptr;
  std::shared_ptr<CudaModule> module;
  cuda::Function function = nullptr;
  std::unique_ptr<Scratch> scratch; // null where the kernel needs none
};

} // namespace fa::rt

#endif
