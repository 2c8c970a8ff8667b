// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of a GPU's multiprocessors, where NVML can be opened.
#ifndef FA_TOOLS_RUN_NVML_H
#define FA_TOOLS_RUN_NVML_H

#include "runtime/fa_runtime.h"

#include <optional>

namespace fa::run {

class SmClock {
public:
  explicit SmClock(fa_device device);
  ~SmClock();
  SmClock(const SmClock &) = delete;
  SmClock &operator=(const SmClock &) = delete;

  std::optional<unsigned> megahertz() const;

private:
  void *library = nullptr;
  void *handle = nullptr; // of the device, in NVML
};

} // namespace fa::run

#endif
