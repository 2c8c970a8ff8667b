// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Nvml.h"

#include <dlfcn.h>

namespace fa::run {
namespace {

// The part of NVML that is used; 0 is success everywhere.
using Init = int (*)();
using HandleByPci = int (*)(const char *, void **);
using ClockInfo = int (*)(void *, int, unsigned *);
constexpr int smClock = 1;

template <typename F> F find(void *library, const char *name) {
  return library ? reinterpret_cast<F>(::dlsym(library, name)) : nullptr;
}

} // namespace

SmClock::SmClock(fa_device device) {
  fa_device_info info;
  if (device.kind != FA_CUDA || fa_device_query(device, &info) != FA_OK)
    return;
  library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  auto init = find<Init>(library, "nvmlInit_v2");
  auto byPci = find<HandleByPci>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  if (!init || !byPci || init() != 0 || byPci(info.pci_bus_id, &handle) != 0)
    handle = nullptr;
}

SmClock::~SmClock() {
  if (auto shutdown = find<Init>(library, "nvmlShutdown"); shutdown && handle)
    shutdown();
  if (library)
    ::dlclose(library);
}

std::optional<unsigned> SmClock::megahertz() const {
  auto clockInfo = find<ClockInfo>(library, "nvmlDeviceGetClockInfo");
  unsigned value = 0;
  if (!handle || !clockInfo || clockInfo(handle, smClock, &value) != 0)
    return {};
  return value;
}

} // namespace fa::run
