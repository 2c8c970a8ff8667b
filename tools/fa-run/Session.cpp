// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Session.h"

#include <algorithm>
#include <cstring>

namespace fa::run {
namespace {

constexpr fa_device cpu = {FA_CPU, 0};

} // namespace

fa_device chooseDevice(const std::string &text, const fa_target_info &target) {
  if (text == "auto")
    return {target.kind, 0};
  if (text == "cpu")
    return cpu;
  if (text == "cuda")
    return {FA_CUDA, 0};
  if (text.rfind("cuda:", 0) == 0) {
    int64_t index = parseInteger(text.substr(5), "--device");
    if (index >= 0 && index < 1024)
      return {FA_CUDA, static_cast<int32_t>(index)};
  }
  throw Failure(ExitUsage,
                "--device: expects cpu, cuda, cuda:N or auto, got '" + text +
                    "'");
}

DeviceUse::DeviceUse(fa_device device) : device(device) {
  check(fa_device_use(device));
}

DeviceUse::~DeviceUse() { (void)fa_device_release(device); }

Session::Session(const Artefact &artefact, fa_device device,
                 std::vector<HostTensor> &tensors,
                 const std::vector<fa_scalar> &scalars,
                 const std::string &kernel)
    : theDevice(device), tensors(tensors) {
  std::vector<fa_tensor> descriptions;
  for (HostTensor &tensor : tensors) {
    void *where = tensor.storage();
    if (device.kind == FA_CUDA) {
      void *memory = nullptr;
      check(fa_memory_alloc(device, tensor.storageBytes(), &memory));
      buffers.emplace_back(memory, DeviceFree{device});
      check(fa_memory_copy(device, memory, cpu, where, tensor.storageBytes()));
      where = memory;
    }
    descriptions.push_back(tensor.describe(device, where));
  }
  fa_prepare_options options = {sizeof(fa_prepare_options),
                                kernel.empty() ? nullptr : kernel.c_str(),
                                nullptr};
  fa_plan *prepared = nullptr;
  check(fa_prepare(artefact.get(), device, descriptions.data(),
                   descriptions.size(), scalars.data(), scalars.size(),
                   &options, &prepared));
  plan.reset(prepared);
}

std::string Session::kernelName() const {
  const char *name = nullptr;
  check(fa_plan_kernel_name(plan.get(), &name));
  return name;
}

std::string Session::note() const {
  const char *note = nullptr;
  check(fa_plan_note(plan.get(), &note));
  return note;
}

int64_t Session::grid() const {
  int64_t grid = 0;
  check(fa_plan_grid(plan.get(), &grid));
  return grid;
}

void Session::launch() { check(fa_launch(plan.get(), nullptr)); }

void Session::synchronize() {
  if (theDevice.kind == FA_CUDA)
    check(fa_stream_synchronize(nullptr));
}

void Session::download() {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (tensors[i].isOutput())
      check(fa_memory_copy(cpu, tensors[i].storage(), theDevice,
                           buffers[i].get(), tensors[i].storageBytes()));
}

std::vector<std::vector<uint8_t>> Session::keepOutputs() {
  std::vector<std::vector<uint8_t>> kept;
  for (HostTensor &tensor : tensors)
    if (tensor.isOutput())
      kept.emplace_back(tensor.storage(),
                        tensor.storage() + tensor.storageBytes());
  return kept;
}

void Session::restoreOutputs(const std::vector<std::vector<uint8_t>> &kept) {
  size_t next = 0;
  for (HostTensor &tensor : tensors)
    if (tensor.isOutput()) {
      std::memcpy(tensor.storage(), kept[next].data(), kept[next].size());
      ++next;
    }
}

bool Session::outputsEqual(const std::vector<std::vector<uint8_t>> &kept) {
  synchronize();
  download();
  size_t next = 0;
  for (HostTensor &tensor : tensors) {
    if (!tensor.isOutput())
      continue;
    const std::vector<uint8_t> &before = kept[next++];
    if (std::memcmp(tensor.storage(), before.data(), before.size()) != 0)
      return false;
  }
  return true;
}

size_t Session::outputBytes() const {
  size_t bytes = 0;
  for (const HostTensor &tensor : tensors)
    if (tensor.isOutput())
      bytes += tensor.storageBytes();
  return bytes;
}

} // namespace fa::run
