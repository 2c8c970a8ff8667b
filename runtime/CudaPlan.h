// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_RUNTIME_CUDAPLAN_H
#define FA_RUNTIME_CUDAPLAN_H

#include "runtime/CudaModule.h"
#include "runtime/Plan.h"
#include "runtime/Scratch.h"
#include "runtime/TensorMap.h"

namespace fa::rt {

/// A launch on a CUDA device.
class CudaPlan : public Plan {
protected:
  Status open(int64_t &units) override;
  Status load(const PrepareRequest &request) override;
  Status run(const TensorValue *values, uint64_t *slots, void **params,
             void *stream) const override;

private:
  Status refuseInCapture(void *stream) const;
  Status checkPointers(const fa_tensor *tensors, size_t count) const;
  Status findScratch();

  const Driver *driver = nullptr;
  cuda::Device handle = 0;
  cuda::Context context = nullptr;
  std::shared_ptr<CudaModule> module;
  cuda::Function function = nullptr;
  std::shared_ptr<Scratch> scratch; // null where the kernel needs none
  TensorMaps maps;
};

} // namespace fa::rt

#endif
