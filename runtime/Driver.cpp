// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Driver.h"

#include <cstdlib>
#include <memory>
#include <mutex>

#include <dlfcn.h>

namespace fa::rt {

Status Driver::open(const Driver *&driver) {
  static std::mutex mutex;
  static const Driver *opened = nullptr; // as long as the process
  std::lock_guard<std::mutex> lock(mutex);
  if (!opened) {
    const char *name = std::getenv("FA_CUDA_DRIVER");
    auto fresh = std::make_unique<Driver>();
    if (Status s = fresh->load(name && *name ? name : "libcuda.so.1"))
      return s;
    opened = fresh.release();
  }
  driver = opened;
  return {};
}

Status Driver::load(const char *name) {
  void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failure(FA_NO_DEVICE, "no CUDA driver: ", ::dlerror());
  const char *missing = nullptr;
#define FA_CUDA_LOOKUP(member, symbol, parameters)                             \
  api.member =                                                                 \
      reinterpret_cast<decltype(api.member)>(::dlsym(library, #symbol));
#define FA_CUDA_REQUIRE(member, symbol, parameters)                            \
  FA_CUDA_LOOKUP(member, symbol, parameters)                                   \
  if (!api.member && !missing)                                                 \
    missing = #symbol;
  FA_CUDA_ENTRIES(FA_CUDA_REQUIRE)
  FA_CUDA_OPTIONAL_ENTRIES(FA_CUDA_LOOKUP)
#undef FA_CUDA_REQUIRE
#undef FA_CUDA_LOOKUP
  Status status;
  if (missing) {
    status = failure(FA_NO_DEVICE, "the CUDA driver '", name, "' has no ",
                     missing, "; it is too old");
  } else if (cuda::Result result = api.init(0)) {
    // Whatever it says, there is no device to work with.
    status =
        failure(FA_NO_DEVICE,
                "the CUDA driver does not start: cuInit: ", describe(result));
  }
  if (status)
    ::dlclose(library);
  return status;
}

std::string Driver::describe(cuda::Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (api.errorName(result, &name) != cuda::Success || !name)
    return concat("error ", result);
  (void)api.errorString(result, &text);
  return concat(name, " (", result, text ? ", " : "", text ? text : "", ")");
}

Status Driver::check(cuda::Result result, const char *call) const {
  if (result == cuda::Success)
    return {};
  fa_status code = FA_DRIVER_ERROR;
  if (result == cuda::ErrorOutOfMemory)
    code = FA_OUT_OF_MEMORY;
  else if (result >= cuda::ErrorCaptureFirst &&
           result <= cuda::ErrorCaptureLast)
    code = FA_IN_CAPTURE;
  else if (result == cuda::ErrorNoDevice ||
           result == cuda::ErrorInvalidDevice ||
           result == cuda::ErrorInvalidContext)
    code = FA_NO_DEVICE;
  else if (result == cuda::ErrorUnsupportedPtxVersion ||
           result == cuda::ErrorNoBinaryForGpu)
    code = FA_UNSUPPORTED;
  return failure(code, call, ": ", describe(result));
}

Status Driver::device(int32_t index, cuda::Device &device) const {
  int count = 0;
  if (Status s = check(api.deviceCount(&count), "cuDeviceGetCount"))
    return s;
  if (index < 0 || index >= count)
    return failure(FA_NO_DEVICE, "there is no cuda:", index,
                   "; the driver has ", count,
                   count == 1 ? " device" : " devices");
  return check(api.deviceGet(&device, index), "cuDeviceGet");
}

Status Driver::currentContext(int32_t deviceIndex,
                              cuda::Context &context) const {
  cuda::Device wanted = 0, found = 0;
  if (Status s = device(deviceIndex, wanted))
    return s;
  if (Status s = check(api.contextGet(&context), "cuCtxGetCurrent"))
    return s;
  if (!context)
    return failure(FA_NO_DEVICE, "no CUDA context is current in this thread; "
                                 "fa_device_use makes one so");
  if (Status s = check(api.contextDevice(&found), "cuCtxGetDevice"))
    return s;
  if (found != wanted)
    return failure(FA_INVALID_ARGUMENT,
                   "expects the current context to belong to cuda:",
                   deviceIndex, ", it belongs to cuda:", found);
  return {};
}

Status Driver::attribute(cuda::Device device, int attribute, int &value) const {
  return check(api.deviceAttribute(&value, attribute, device),
               "cuDeviceGetAttribute");
}

int newestPtx(int driverVersion) {
  struct Row {
    int driver, ptx;
  };
  // From the release notes of the PTX ISA.
  static constexpr Row rows[] = {
      {13010, 91}, {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86},
      {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81},
      {12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75},
      {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}};
  // A driver beyond the table takes at least what its oldest neighbour takes;
  // the driver itself decides about newer PTX.
  if (driverVersion > rows[0].driver)
    return 99;
  for (const Row &row : rows)
    if (driverVersion >= row.driver)
      return row.ptx;
  return 0;
}

} // namespace fa::rt
