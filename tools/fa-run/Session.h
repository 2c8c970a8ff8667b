// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artefact prepared on a device with tensors there.
#ifndef FA_TOOLS_RUN_SESSION_H
#define FA_TOOLS_RUN_SESSION_H

#include "tools/fa-run/HostTensor.h"

namespace fa::run {

/// --device, and what the artefact is for, as a device of the runtime.
fa_device chooseDevice(const std::string &text, const fa_target_info &target);

/// Makes a device current for as long as it lives.
class DeviceUse {
public:
  explicit DeviceUse(fa_device device);
  ~DeviceUse();
  DeviceUse(const DeviceUse &) = delete;
  DeviceUse &operator=(const DeviceUse &) = delete;

private:
  fa_device device;
};

class Session {
public:
  /// Copies the tensors to the device; on the CPU they are used where they are.
  Session(const Artefact &artefact, fa_device device,
          std::vector<HostTensor> &tensors,
          const std::vector<fa_scalar> &scalars, const std::string &kernel);

  fa_device device() const { return theDevice; }
  std::string kernelName() const;
  std::string note() const;
  int64_t grid() const;

  void launch();
  void synchronize();
  /// Copies the outputs to where the host keeps them.
  void download();
  /// Whether the outputs on the device are what the host keeps, bit for bit.
  /// `kept[i]` holds output i's storage.
  bool outputsEqual(const std::vector<std::vector<uint8_t>> &kept);
  std::vector<std::vector<uint8_t>> keepOutputs();
  /// Puts kept outputs back into the host's tensors.
  void restoreOutputs(const std::vector<std::vector<uint8_t>> &kept);
  size_t outputBytes() const;

private:
  struct DeviceFree {
    fa_device device;
    void operator()(void *p) const { fa_memory_free(device, p); }
  };
  using DeviceBuffer = std::unique_ptr<void, DeviceFree>;

  fa_device theDevice;
  std::vector<HostTensor> &tensors;
  std::vector<DeviceBuffer> buffers; // CUDA
  PlanHandle plan;
};

} // namespace fa::run

#endif
