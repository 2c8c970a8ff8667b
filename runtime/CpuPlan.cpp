// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CpuPlan.h"

#include "runtime/Pool.h"

#include <cstdlib>
#include <cstring>

namespace fa::rt {
namespace {

struct Free {
  void operator()(void *data) const { std::free(data); }
};
using Block = std::unique_ptr<void, Free>;

} // namespace

Status CpuPlan::open(int64_t &units) {
  units = 1;
  return {};
}

Status CpuPlan::load(const PrepareRequest &) {
  std::lock_guard<std::mutex> lock(artifact->mutex);
  if (!artifact->library)
    if (Status s = CpuLibrary::load(artifact->image, artifact->library))
      return s;
  library = artifact->library;
  if (Status s = library->find(kernel().name, function))
    return s;
  return evaluateScratch(scratchBytes);
}

Status CpuPlan::run(const TensorValue *, uint64_t *slots, void **params,
                    void *stream) const {
  if (stream)
    return failure(FA_INVALID_ARGUMENT,
                   "expects no stream for a launch on the CPU");
  std::vector<Block> blocks;
  for (size_t i = 0; i < kernel().params.size(); ++i) {
    const ParamSpec &param = kernel().params[i];
    if (param.kind != ParamSpec::Kind::Scratch)
      continue;
    size_t bytes = static_cast<size_t>(scratchBytes[param.index]);
    void *data = nullptr;
    if (bytes && ::posix_memalign(&data, 64, bytes) != 0)
      return failure(FA_OUT_OF_MEMORY, "no ", bytes,
                     " bytes for the scratch buffer '",
                     kernel().scratch[param.index].name, "'");
    blocks.emplace_back(data);
    if (bytes)
      std::memset(data, kernel().scratch[param.index].init, bytes);
    slots[i] = reinterpret_cast<uintptr_t>(data);
  }
  parallelFor(grid(), [&](int64_t tile) { function(params, tile); });
  return {};
}

} // namespace fa::rt
