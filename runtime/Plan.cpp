// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Plan.h"

#include "runtime/CpuPlan.h"
#include "runtime/CudaPlan.h"

namespace fa::rt {
namespace {

bool holds(const KernelSpec &kernel, const ExprContext &context) {
  int64_t value = 0;
  return kernel.when.evaluate(context, value) == Expr::Fault::None && value;
}

Status checkDevice(const TargetSpec &target, fa_device device) {
  if (device.kind != FA_CPU && device.kind != FA_CUDA)
    return failure(FA_INVALID_ARGUMENT,
                   "expects the CPU or a CUDA device, got ",
                   deviceName(device));
  if (device.kind == FA_CPU && device.index != 0)
    return failure(FA_INVALID_ARGUMENT, "expects index 0 for the CPU, got ",
                   device.index);
  if (target.kind == device.kind)
    return {};
  return failure(FA_UNSUPPORTED, "the artefact is for ",
                 target.kind == FA_CPU ? "the CPU" : target.chip,
                 ", it cannot run on ", deviceName(device));
}

} // namespace

Status Plan::choose(const std::string &name) {
  const Manifest &manifest = artifact->image.manifest;
  std::string all;
  for (const KernelSpec &kernel : manifest.kernels) {
    all += (all.empty() ? "" : ", ") + kernel.name;
    if (!name.empty() && kernel.name != name)
      continue;
    if (holds(kernel, {tensors.values.data(), units})) {
      theKernel = &kernel;
      addressesMatter = kernel.when.usesAddresses();
      return {};
    }
    if (!name.empty())
      return failure(FA_UNSUPPORTED, "the kernel '", name,
                     "' does not take these sizes, strides and alignments");
  }
  if (!name.empty())
    return failure(FA_INVALID_ARGUMENT, "the artefact has no kernel '", name,
                   "'; it has ", all);
  return failure(FA_UNSUPPORTED, "no kernel of the artefact (", all,
                 ") takes these sizes, strides and alignments");
}

Status Plan::evaluate(const Expr &expr, const char *what,
                      int64_t &value) const {
  Expr::Fault fault = expr.evaluate({tensors.values.data(), units}, value);
  if (fault == Expr::Fault::None)
    return {};
  return failure(FA_INVALID_ARGUMENT, what, " of '", theKernel->name, "' ",
                 describe(fault));
}

Status Plan::buildParameters(const PrepareRequest &request) {
  std::vector<uint64_t> scalars;
  if (Status s = bindScalars(artifact->image.manifest, request.scalars,
                             request.scalarCount, scalars))
    return s;
  for (const ParamSpec &param : theKernel->params) {
    uint64_t slot = 0;
    int64_t value = 0;
    switch (param.kind) {
    case ParamSpec::Kind::Pointer: // filled in by each launch
    case ParamSpec::Kind::Scratch:
    case ParamSpec::Kind::TensorMap:
      break;
    case ParamSpec::Kind::Value:
      if (Status s = evaluate(param.value, "a parameter", value))
        return s;
      slot = static_cast<uint64_t>(value);
      break;
    case ParamSpec::Kind::Size:
      slot =
          static_cast<uint64_t>(tensors.values[param.index].sizes[param.dim]);
      break;
    case ParamSpec::Kind::Stride:
      slot =
          static_cast<uint64_t>(tensors.values[param.index].strides[param.dim]);
      break;
    case ParamSpec::Kind::Scalar:
      slot = scalars[param.index];
      break;
    }
    slots.push_back(slot);
  }
  if (Status s = evaluate(theKernel->grid, "the grid", theGrid))
    return s;
  // A CUDA grid ends there along x, the only dimension that is used.
  int64_t most = device.kind == FA_CUDA ? INT32_MAX : INT64_MAX;
  if (theGrid < 0 || theGrid > most)
    return failure(FA_UNSUPPORTED, "the grid of '", theKernel->name, "' has ",
                   theGrid, " tiles, expects 0 to ", most);
  return {};
}

Status Plan::evaluateScratch(std::vector<int64_t> &bytes) const {
  for (const ScratchSpec &scratch : theKernel->scratch) {
    int64_t size = 0;
    std::string what =
        concat("the size of the scratch buffer '", scratch.name, "'");
    if (Status s = evaluate(scratch.bytes, what.c_str(), size))
      return s;
    if (size < 0)
      return failure(FA_INVALID_ARGUMENT, what, " is negative");
    bytes.push_back(size);
  }
  return {};
}

Status Plan::prepare(const PrepareRequest &request,
                     std::unique_ptr<Plan> &result) {
  const Manifest &manifest = request.artifact->image.manifest;
  if (Status s = checkDevice(manifest.target, request.device))
    return s;
  std::unique_ptr<Plan> plan;
  if (request.device.kind == FA_CUDA)
    plan = std::make_unique<CudaPlan>();
  else
    plan = std::make_unique<CpuPlan>();
  plan->artifact = request.artifact;
  plan->device = request.device;
  if (Status s = bindTensors(manifest, request.device, request.tensors,
                             request.tensorCount, plan->tensors))
    return s;
  if (Status s = checkAddresses(manifest, plan->tensors.values.data(),
                                plan->tensors.ranges))
    return s;
  if (Status s = plan->open(plan->units))
    return s;
  if (Status s = plan->choose(request.kernel))
    return s;
  if (Status s = plan->buildParameters(request))
    return s;
  if (Status s = plan->load(request))
    return s;
  result = std::move(plan);
  return {};
}

Status Plan::start(const TensorValue *values, void *stream) const {
  if (theGrid == 0)
    return {};
  uint64_t arguments[maxParams];
  void *params[maxParams];
  for (size_t i = 0; i < slots.size(); ++i) {
    const ParamSpec &param = theKernel->params[i];
    arguments[i] = param.kind == ParamSpec::Kind::Pointer
                       ? reinterpret_cast<uintptr_t>(values[param.index].data)
                       : slots[i];
    params[i] = &arguments[i];
  }
  return run(values, arguments, params, stream);
}

Status Plan::launch(void *stream) const {
  return start(tensors.values.data(), stream);
}

Status Plan::launchWith(void *const *data, size_t count, void *stream) const {
  if (count != tensors.manifestIndex.size())
    return failure(FA_INVALID_ARGUMENT, "expects ",
                   tensors.manifestIndex.size(), " addresses, got ", count);
  TensorValue values[64]; // as many as the manifest's reader takes
  std::copy(tensors.values.begin(), tensors.values.end(), values);
  for (size_t i = 0; i < count; ++i)
    if (data[i])
      values[tensors.manifestIndex[i]].data = data[i];
  if (Status s =
          checkAddresses(artifact->image.manifest, values, tensors.ranges))
    return s;
  if (addressesMatter && !holds(*theKernel, {values, units}))
    return failure(FA_INVALID_ARGUMENT, "the kernel '", theKernel->name,
                   "' of this plan does not take the alignment of these "
                   "addresses; prepare again");
  return start(values, stream);
}

} // namespace fa::rt
