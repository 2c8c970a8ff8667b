// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's scratch memory on a CUDA device: one set of buffers for each
// stream and for each graph that it is captured into, so that launches that may
// run at the same time never share one.
#ifndef FA_RUNTIME_SCRATCH_H
#define FA_RUNTIME_SCRATCH_H

#include "runtime/Driver.h"
#include "runtime/Manifest.h"

#include <map>
#include <mutex>
#include <tuple>

namespace fa::rt {

class Scratch {
public:
  Scratch(const Driver &driver, cuda::Context context,
          const std::vector<ScratchSpec> &specs, std::vector<int64_t> bytes);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  using Buffers = std::vector<cuda::DevicePointer>;
  /// The buffers for the next launch on the stream, within a capture too. New
  /// ones are initialised once: on the stream, or ahead of the captured graph.
  Status get(cuda::Stream stream, const Buffers *&buffers);

private:
  /// Stream, thread (for the per-thread default stream), capture.
  using Key = std::tuple<cuda::Stream, const void *, uint64_t>;

  Status captureOf(cuda::Stream stream, uint64_t &capture) const;
  Status allocate(Buffers &buffers) const;
  Status fill(const Buffers &buffers, cuda::Stream stream) const;
  Status fillNow(const Buffers &buffers) const;
  Status make(cuda::Stream stream, bool captured, Buffers &buffers) const;
  void free(const Buffers &buffers) const;

  const Driver &driver;
  cuda::Context context;
  const std::vector<ScratchSpec> &specs;
  std::vector<int64_t> bytes;
  std::mutex mutex;
  std::map<Key, Buffers> sets;
};

} // namespace fa::rt

#endif
