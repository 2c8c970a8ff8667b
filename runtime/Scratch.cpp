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

Status Scratch::allocate(cuda::Stream stream, Buffers &buffers) const {
  RelaxedCapture relaxed(driver);
  for (size_t i = 0; i < specs.size(); ++i) {
    buffers.push_back(0);
    size_t size = static_cast<size_t>(bytes[i]);
    if (size == 0)
      continue;
    if (Status s = driver.check(driver.api.memoryAlloc(&buffers.back(), size),
                                "cuMemAlloc"))
      return failure(s.code(), "scratch buffer '", specs[i].name, "' of ", size,
                     " bytes: ", s.text());
    // On the stream: ahead of the launch, and in a capture a part of the graph.
    if (Status s = driver.check(
            driver.api.fillAsync(buffers.back(), specs[i].init, size, stream),
            "cuMemsetD8Async"))
      return s;
  }
  return {};
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
    if (Status s = allocate(stream, fresh)) {
      free(fresh);
      return s;
    }
    found = sets.emplace(key, std::move(fresh)).first;
  }
  buffers = &found->second; // the map never moves it
  return {};
}

} // namespace fa::rt
