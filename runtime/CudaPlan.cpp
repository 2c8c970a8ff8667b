// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CudaPlan.h"

#include <algorithm>

namespace fa::rt {

Status CudaPlan::refuseInCapture(void *stream) const {
  int status = cuda::CaptureNone;
  cuda::Result result =
      driver->api.streamIsCapturing(static_cast<cuda::Stream>(stream), &status);
  // Asked about the default stream, the driver tells of captures of other
  // streams.
  if (result == cuda::Success && status == cuda::CaptureNone && stream)
    result = driver->api.streamIsCapturing(nullptr, &status);
  if (result == cuda::ErrorCaptureImplicit || status != cuda::CaptureNone)
    return failure(FA_IN_CAPTURE,
                   "preparing loads and allocates, which a stream capture "
                   "does not allow: prepare before the capture; a launch is "
                   "allowed inside");
  return driver->check(result, "cuStreamIsCapturing");
}

Status CudaPlan::checkPointers(const fa_tensor *tensors, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    const fa_tensor &tensor = tensors[i];
    bool empty = std::any_of(tensor.sizes, tensor.sizes + tensor.rank,
                             [](int64_t size) { return size == 0; });
    if (empty)
      continue;
    auto pointer = static_cast<cuda::DevicePointer>(
        reinterpret_cast<uintptr_t>(tensor.data));
    unsigned type = 0, managed = 0;
    int ordinal = -1;
    // Memory that the driver does not know is the host's: cuPointerGetAttribute
    // then reports an invalid value.
    auto ask = [&](void *value, int attribute) {
      return driver->api.pointerAttribute(value, attribute, pointer) ==
             cuda::Success;
    };
    if (ask(&managed, cuda::PointerIsManaged) && managed)
      continue;
    if (!ask(&type, cuda::PointerMemoryType) || type != cuda::MemoryTypeDevice)
      return failure(FA_INVALID_ARGUMENT, tensor.name, ": expects memory of ",
                     deviceName(device), ", got host memory");
    if (ask(&ordinal, cuda::PointerDeviceOrdinal) && ordinal != device.index)
      return failure(FA_INVALID_ARGUMENT, tensor.name, ": expects memory of ",
                     deviceName(device), ", got memory of cuda:", ordinal);
  }
  return {};
}

Status CudaPlan::open(int64_t &units) {
  if (Status s = Driver::open(driver))
    return s;
  if (Status s = driver->device(device.index, handle))
    return s;
  int count = 0;
  Status status =
      driver->attribute(handle, cuda::AttributeMultiprocessors, count);
  units = count;
  return status;
}

Status CudaPlan::findScratch() {
  std::vector<int64_t> bytes;
  if (Status s = evaluateScratch(bytes))
    return s;
  std::lock_guard<std::mutex> lock(artifact->mutex);
  std::shared_ptr<Scratch> &known =
      artifact->scratch[{module.get(), &kernel(), bytes}];
  if (!known)
    known = std::make_shared<Scratch>(*driver, context, kernel().scratch,
                                      std::move(bytes));
  scratch = known;
  return {};
}

Status CudaPlan::load(const PrepareRequest &request) {
  if (Status s = driver->currentContext(device.index, context))
    return s;
  if (Status s = refuseInCapture(request.stream))
    return s;
  if (Status s = checkPointers(request.tensors, request.tensorCount))
    return s;
  if (Status s =
          CudaModule::load(*driver, context, handle, artifact->image, module))
    return s;
  {
    std::lock_guard<std::mutex> lock(artifact->mutex);
    auto &modules = artifact->modules;
    if (std::find(modules.begin(), modules.end(), module) == modules.end())
      modules.push_back(module);
  }
  if (Status s = module->find(kernel(), function))
    return s;
  // An empty grid launches nothing, so whatever the tensors are will do.
  if (grid() > 0)
    if (Status s = maps.build(*driver, artifact->image.manifest, kernel(),
                              preparedTensors()))
      return s;
  if (kernel().scratch.empty())
    return {};
  if (Status s = findScratch())
    return s;
  const Scratch::Buffers *buffers = nullptr;
  return request.hasStream
             ? scratch->get(static_cast<cuda::Stream>(request.stream), buffers)
             : Status();
}

Status CudaPlan::run(const TensorValue *values, uint64_t *slots, void **params,
                     void *stream) const {
  cuda::Context current = nullptr;
  if (Status s =
          driver->check(driver->api.contextGet(&current), "cuCtxGetCurrent"))
    return s;
  if (current != context)
    return failure(FA_INVALID_ARGUMENT,
                   "the plan belongs to another context than the one that "
                   "is current in this thread");
  auto cudaStream = static_cast<cuda::Stream>(stream);
  if (scratch) {
    const Scratch::Buffers *buffers = nullptr;
    if (Status s = scratch->get(cudaStream, buffers))
      return s;
    for (size_t i = 0; i < kernel().params.size(); ++i)
      if (kernel().params[i].kind == ParamSpec::Kind::Scratch)
        slots[i] = (*buffers)[kernel().params[i].index];
  }
  cuda::TensorMap moved[maxTensorMaps];
  if (Status s = maps.place(*driver, values, moved, params))
    return s;
  cuda::Result result = driver->api.launch(
      function, static_cast<unsigned>(grid()), 1, 1,
      static_cast<unsigned>(kernel().block), 1, 1,
      static_cast<unsigned>(kernel().sharedBytes), cudaStream, params, nullptr);
  if (result == cuda::Success)
    return {};
  Status status = driver->check(result, "cuLaunchKernel");
  return failure(status.code(), "kernel '", kernel().name,
                 "': ", status.text());
}

} // namespace fa::rt
