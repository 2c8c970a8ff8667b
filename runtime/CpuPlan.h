// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_RUNTIME_CPUPLAN_H
#define FA_RUNTIME_CPUPLAN_H

#include "runtime/CpuLibrary.h"
#include "runtime/Plan.h"

namespace fa::rt {

/// A launch on the process's thread pool.
class CpuPlan : public Plan {
protected:
  Status open(int64_t &units) override;
  Status load(const PrepareRequest &request) override;
  Status run(const TensorValue *values, uint64_t *slots, void **params,
             void *stream) const override;

private:
  std::shared_ptr<CpuLibrary> library;
  CpuKernel function = nullptr;
  std::vector<int64_t> scratchBytes;
};

} // namespace fa::rt

#endif
