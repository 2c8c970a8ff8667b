// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C ABI: devices, memory, streams and events.
#include "runtime/Arguments.h"
#include "runtime/CApi.h"
#include "runtime/Driver.h"
#include "runtime/Pool.h"

#include <cstdlib>
#include <cstring>

namespace fa::rt {
namespace {

Status checkKind(fa_device device) {
  if (device.kind == FA_CUDA || (device.kind == FA_CPU && device.index == 0))
    return {};
  return failure(
      FA_INVALID_ARGUMENT, "expects the CPU (index 0) or a CUDA device, got ",
      deviceName(device),
      device.kind == FA_CPU ? concat(" with index ", device.index) : "");
}

/// The driver, with a context of the device current.
Status openOn(fa_device device, const Driver *&driver) {
  if (Status s = Driver::open(driver))
    return s;
  cuda::Context context = nullptr;
  return driver->currentContext(device.index, context);
}

cuda::DevicePointer devicePointer(const void *data) {
  return static_cast<cuda::DevicePointer>(reinterpret_cast<uintptr_t>(data));
}

Status queryCuda(int32_t index, fa_device_info &info) {
  const Driver *driver = nullptr;
  if (Status s = Driver::open(driver))
    return s;
  cuda::Device device = 0;
  if (Status s = driver->device(index, device))
    return s;
  const cuda::Api &api = driver->api;
  if (Status s =
          driver->check(api.deviceName(info.name, sizeof(info.name), device),
                        "cuDeviceGetName"))
    return s;
  if (Status s = driver->check(
          api.devicePciBusId(info.pci_bus_id, sizeof(info.pci_bus_id), device),
          "cuDeviceGetPCIBusId"))
    return s;
  if (Status s = driver->attribute(device, cuda::AttributeMajor, info.major))
    return s;
  if (Status s = driver->attribute(device, cuda::AttributeMinor, info.minor))
    return s;
  if (Status s =
          driver->attribute(device, cuda::AttributeMultiprocessors, info.units))
    return s;
  return driver->check(api.driverVersion(&info.driver_version),
                       "cuDriverGetVersion");
}

Status allocate(fa_device device, size_t bytes, void **data) {
  if (bytes == 0) {
    *data = nullptr;
    return {};
  }
  if (device.kind == FA_CPU) {
    void *memory = nullptr;
    if (::posix_memalign(&memory, 64, bytes) != 0)
      return failure(FA_OUT_OF_MEMORY, "no ", bytes, " bytes of host memory");
    *data = memory;
    return {};
  }
  const Driver *driver = nullptr;
  if (Status s = openOn(device, driver))
    return s;
  cuda::DevicePointer memory = 0;
  if (Status s =
          driver->check(driver->api.memoryAlloc(&memory, bytes), "cuMemAlloc"))
    return failure(s.code(), bytes, " bytes on ", deviceName(device), ": ",
                   s.text());
  *data = reinterpret_cast<void *>(static_cast<uintptr_t>(memory));
  return {};
}

Status copy(fa_device toDevice, void *to, fa_device fromDevice,
            const void *from, size_t bytes) {
  if (toDevice.kind == FA_CPU && fromDevice.kind == FA_CPU) {
    std::memmove(to, from, bytes);
    return {};
  }
  bool both = toDevice.kind == FA_CUDA && fromDevice.kind == FA_CUDA;
  if (both && toDevice.index != fromDevice.index)
    return failure(FA_UNSUPPORTED,
                   "copies between two CUDA devices are not supported");
  const Driver *driver = nullptr;
  if (Status s =
          openOn(toDevice.kind == FA_CUDA ? toDevice : fromDevice, driver))
    return s;
  const cuda::Api &api = driver->api;
  if (both) {
    if (Status s = driver->check(
            api.copyOnDevice(devicePointer(to), devicePointer(from), bytes),
            "cuMemcpyDtoD"))
      return s;
    return driver->check(api.contextSynchronize(), "cuCtxSynchronize");
  }
  if (toDevice.kind == FA_CUDA)
    return driver->check(api.copyToDevice(devicePointer(to), from, bytes),
                         "cuMemcpyHtoD");
  return driver->check(api.copyToHost(to, devicePointer(from), bytes),
                       "cuMemcpyDtoH");
}

/// A call on a stream or event: opens the driver and runs the body with its
/// table.
template <typename Body> fa_status withDriver(const char *call, Body &&body) {
  return guarded([&] {
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    return driver->check(body(driver->api), call);
  });
}

} // namespace
} // namespace fa::rt

using namespace fa::rt;

fa_status fa_device_count(fa_device_kind kind, int32_t *count) {
  return guarded([&] {
    if (Status s = needs(count, "count"))
      return s;
    if (Status s = checkKind({kind, 0}))
      return s;
    if (kind == FA_CPU) {
      *count = 1;
      return Status();
    }
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    return driver->check(driver->api.deviceCount(count), "cuDeviceGetCount");
  });
}

fa_status fa_device_query(fa_device device, fa_device_info *info) {
  return guarded([&] {
    if (Status s = needs(info, "info"))
      return s;
    if (Status s = checkKind(device))
      return s;
    fa_device_info found = {};
    if (device.kind == FA_CPU) {
      std::strcpy(found.name, "CPU");
      found.units = poolThreads();
    } else if (Status s = queryCuda(device.index, found)) {
      return s;
    }
    *info = found;
    return Status();
  });
}

fa_status fa_device_use(fa_device device) {
  return guarded([&] {
    if (Status s = checkKind(device))
      return s;
    if (device.kind == FA_CPU)
      return Status();
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    cuda::Device handle = 0;
    if (Status s = driver->device(device.index, handle))
      return s;
    cuda::Context context = nullptr;
    if (Status s = driver->check(driver->api.primaryRetain(&context, handle),
                                 "cuDevicePrimaryCtxRetain"))
      return s;
    Status set =
        driver->check(driver->api.contextSet(context), "cuCtxSetCurrent");
    if (set)
      (void)driver->api.primaryRelease(handle);
    return set;
  });
}

fa_status fa_device_release(fa_device device) {
  return guarded([&] {
    if (Status s = checkKind(device))
      return s;
    if (device.kind == FA_CPU)
      return Status();
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    cuda::Device handle = 0;
    if (Status s = driver->device(device.index, handle))
      return s;
    return driver->check(driver->api.primaryRelease(handle),
                         "cuDevicePrimaryCtxRelease");
  });
}

fa_status fa_memory_alloc(fa_device device, size_t bytes, void **data) {
  return guarded([&] {
    if (Status s = needs(data, "data"))
      return s;
    if (Status s = checkKind(device))
      return s;
    return allocate(device, bytes, data);
  });
}

fa_status fa_memory_free(fa_device device, void *data) {
  return guarded([&] {
    if (Status s = checkKind(device))
      return s;
    if (!data)
      return Status();
    if (device.kind == FA_CPU) {
      std::free(data);
      return Status();
    }
    const Driver *driver = nullptr;
    if (Status s = openOn(device, driver))
      return s;
    return driver->check(driver->api.memoryFree(devicePointer(data)),
                         "cuMemFree");
  });
}

fa_status fa_memory_copy(fa_device to_device, void *to, fa_device from_device,
                         const void *from, size_t bytes) {
  return guarded([&] {
    if (Status s = checkKind(to_device))
      return s;
    if (Status s = checkKind(from_device))
      return s;
    if (bytes == 0)
      return Status();
    if (Status s = needs(to, "to"))
      return s;
    if (Status s = needs(from, "from"))
      return s;
    return copy(to_device, to, from_device, from, bytes);
  });
}

fa_status fa_memory_fill(fa_device device, void *data, uint8_t value,
                         size_t bytes) {
  return guarded([&] {
    if (Status s = checkKind(device))
      return s;
    if (bytes == 0)
      return Status();
    if (Status s = needs(data, "data"))
      return s;
    if (device.kind == FA_CPU) {
      std::memset(data, value, bytes);
      return Status();
    }
    const Driver *driver = nullptr;
    if (Status s = openOn(device, driver))
      return s;
    if (Status s = driver->check(
            driver->api.fill(devicePointer(data), value, bytes), "cuMemsetD8"))
      return s;
    return driver->check(driver->api.contextSynchronize(), "cuCtxSynchronize");
  });
}

fa_status fa_stream_create(void **stream) {
  return guarded([&] {
    if (Status s = needs(stream, "stream"))
      return s;
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    cuda::Stream created = nullptr;
    Status status = driver->check(
        driver->api.streamCreate(&created, cuda::StreamNonBlocking),
        "cuStreamCreate");
    if (!status)
      *stream = created;
    return status;
  });
}

fa_status fa_stream_destroy(void *stream) {
  return withDriver("cuStreamDestroy", [&](const cuda::Api &api) {
    return api.streamDestroy(static_cast<cuda::Stream>(stream));
  });
}

fa_status fa_stream_synchronize(void *stream) {
  return withDriver("cuStreamSynchronize", [&](const cuda::Api &api) {
    return api.streamSynchronize(static_cast<cuda::Stream>(stream));
  });
}

fa_status fa_event_create(void **event) {
  return guarded([&] {
    if (Status s = needs(event, "event"))
      return s;
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    cuda::Event created = nullptr;
    Status status =
        driver->check(driver->api.eventCreate(&created, 0), "cuEventCreate");
    if (!status)
      *event = created;
    return status;
  });
}

fa_status fa_event_destroy(void *event) {
  return withDriver("cuEventDestroy", [&](const cuda::Api &api) {
    return api.eventDestroy(static_cast<cuda::Event>(event));
  });
}

fa_status fa_event_record(void *event, void *stream) {
  return withDriver("cuEventRecord", [&](const cuda::Api &api) {
    return api.eventRecord(static_cast<cuda::Event>(event),
                           static_cast<cuda::Stream>(stream));
  });
}

fa_status fa_event_elapsed(void *start, void *stop, float *milliseconds) {
  return guarded([&] {
    if (Status s = needs(milliseconds, "milliseconds"))
      return s;
    const Driver *driver = nullptr;
    if (Status s = Driver::open(driver))
      return s;
    auto first = static_cast<cuda::Event>(start),
         last = static_cast<cuda::Event>(stop);
    if (Status s = driver->check(driver->api.eventSynchronize(last),
                                 "cuEventSynchronize"))
      return s;
    return driver->check(driver->api.eventElapsed(milliseconds, first, last),
                         "cuEventElapsedTime");
  });
}
