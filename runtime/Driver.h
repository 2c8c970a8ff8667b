// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver, opened at run time.
#ifndef FA_RUNTIME_DRIVER_H
#define FA_RUNTIME_DRIVER_H

#include "runtime/CudaApi.h"
#include "runtime/Status.h"

namespace fa::rt {

class Driver {
public:
  /// Opens libcuda.so.1 (or what FA_CUDA_DRIVER names) and initialises it, once
  /// a process. FA_NO_DEVICE where that fails; a later call then tries again.
  static Status open(const Driver *&driver);

  cuda::Api api;

  /// The status for a call's result; `call` is its name in the documentation.
  Status check(cuda::Result result, const char *call) const;

  /// The context of the calling thread, which has to belong to the device.
  Status currentContext(int32_t deviceIndex, cuda::Context &context) const;

  Status attribute(cuda::Device device, int attribute, int &value) const;
  /// The driver's handle of the device with this ordinal.
  Status device(int32_t index, cuda::Device &device) const;

private:
  Status load(const char *name);
  std::string describe(cuda::Result result) const;
};

/// Makes a context current and puts the former one back.
class ContextScope {
public:
  ContextScope(const Driver &driver, cuda::Context context)
      : driver(driver),
        pushed(driver.api.contextPush(context) == cuda::Success) {}
  ~ContextScope() {
    cuda::Context popped;
    if (pushed)
      (void)driver.api.contextPop(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  /// False where the context does not exist any more.
  explicit operator bool() const { return pushed; }

private:
  const Driver &driver;
  bool pushed;
};

/// The newest PTX version that a driver of this version (13000 = CUDA 13.0)
/// takes, as 10 * major + minor.
int newestPtx(int driverVersion);

} // namespace fa::rt

#endif
