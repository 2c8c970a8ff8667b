// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Scratch.h"

namespace fa::rt {
namespace {

/// Lets this thread allocate while a stream is being captured.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) {
    (void)driver.api.exchangeCaptureMode(&mode);
  }
  ~RelaxedCapture() { (void)driver.api.exchangeCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Driver &driver;
  int mode = cuda::CaptureModeRelaxed;
};

} // namespace

Scratch::Scratch(const Driver &driver, cuda::Context context,
                 const std::vector<ScratchSpec> &specs,
                 std::vector<int64_t> bytes)
    : driver(driver), context(context), specs(specs), bytes(std::move(bytes)) {}

Scratch::~Scratch() {
  ContextScope scope(driver, context);
  if (scope)
    for (const auto &[key, buffers] : sets)
      free(buffers);
}

void Scratch::free(const Buffers &buffers) const {
  for (cuda::DevicePointer buffer : buffers)
    if (buffer)
      (void)driver.api.memoryFree(buffer);
}

Status Scratch::captureOf(cuda::Stream stream, uint64_t &capture) const {
  capture = 0;
  int status = cuda::CaptureNone;
  if (driver.api.captureInfo) {
    if (Status s =
            driver.check(driver.api.captureInfo(stream, &status, &capture,
                                                nullptr, nullptr, nullptr),
                         "cuStreamGetCaptureInfo"))
      return s;
    if (status == cuda::CaptureNone)
      capture = 0;
    return {};
  }
  if (Status s = driver.check(driver.api.streamIsCapturing(stream, &status),
                              "cuStreamIsCapturing"))
    return s;
  if (status == cuda::CaptureNone)
    return {};
  return failure(FA_UNSUPPORTED,
                 "capturing this kernel needs a driver of CUDA 11.3 or newer");
}

Status Scratch::allocate(Buffers &buffers) const {
  for (size_t i = 0; i < specs.size(); ++i) {
    buffers.push_back(0);
    size_t size = static_cast<size_t>(bytes[i]);
    if (size == 0)
      continue;
    if (Status s = driver.check(driver.api.memoryAlloc(&buffers.back(), size),
                                "cuMemAlloc"))
      return failure(s.code(), "scratch buffer '", specs[i].name, "' of ", size,
                     " bytes: ", s.text());
  }
  return {};
}

Status Scratch::fill(const Buffers &buffers, cuda::Stream stream) const {
  for (size_t i = 0; i < specs.size(); ++i)
    if (buffers[i])
      if (Status s = driver.check(
              driver.api.fillAsync(buffers[i], specs[i].init,
                                   static_cast<size_t>(bytes[i]), stream),
              "cuMemsetD8Async"))
        return s;
  return {};
}

/// On a stream of its own: on the captured one it would become a node of the
/// graph, done again by each launch of it.
Status Scratch::fillNow(const Buffers &buffers) const {
  cuda::Stream own = nullptr;
  if (Status s =
          driver.check(driver.api.streamCreate(&own, cuda::StreamNonBlocking),
                       "cuStreamCreate"))
    return s;
  Status status = fill(buffers, own);
  if (!status)
    status =
        driver.check(driver.api.streamSynchronize(own), "cuStreamSynchronize");
  (void)driver.api.streamDestroy(own);
  return status;
}

Status Scratch::make(cuda::Stream stream, bool captured,
                     Buffers &buffers) const {
  RelaxedCapture relaxed(driver);
  if (Status s = allocate(buffers))
    return s;
  return captured ? fillNow(buffers) : fill(buffers, stream);
}

Status Scratch::get(cuda::Stream stream, const Buffers *&buffers) {
  static thread_local char thisThread;
  uint64_t capture = 0;
  if (Status s = captureOf(stream, capture))
    return s;
  bool perThread = reinterpret_cast<uintptr_t>(stream) == cuda::perThreadStream;
  Key key(stream, perThread ? &thisThread : nullptr, capture);
  std::lock_guard<std::mutex> lock(mutex);
  auto found = sets.find(key);
  if (found == sets.end()) {
    Buffers fresh;
    if (Status s = make(stream, capture != 0, fresh)) {
      free(fresh);
      return s;
    }
    found = sets.emplace(key, std::move(fresh)).first;
  }
  buffers = &found->second; // the map never moves it
  return {};
}

} // namespace fa::rt
