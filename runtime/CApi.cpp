// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C ABI: artefacts, plans and launches. CApiDevice.cpp has the device
// helpers.
#include "runtime/CApi.h"

#include "runtime/Plan.h"

struct fa_artifact {
  std::shared_ptr<fa::rt::Artifact> impl;
};
struct fa_plan {
  std::unique_ptr<fa::rt::Plan> impl;
};

namespace fa::rt {
namespace {

std::string &lastError() {
  thread_local std::string text;
  return text;
}

fa_status openBytes(std::string bytes, fa_artifact **artifact) {
  return guarded([&] {
    auto opened = std::make_unique<fa_artifact>();
    opened->impl = std::make_shared<Artifact>();
    if (Status s = readArtifact(std::move(bytes), opened->impl->image))
      return s;
    *artifact = opened.release();
    return Status();
  });
}

const Manifest &manifestOf(const fa_artifact *artifact) {
  return artifact->impl->image.manifest;
}

/// Checks two arguments that may not be NULL.
Status queryArguments(const void *object, const char *objectName,
                      const void *result, const char *resultName) {
  if (Status s = needs(object, objectName))
    return s;
  return needs(result, resultName);
}

Status indexArguments(const void *artifact, const void *result, size_t index,
                      size_t count) {
  if (Status s = queryArguments(artifact, "artifact", result, "info"))
    return s;
  if (index < count)
    return {};
  return failure(FA_INVALID_ARGUMENT, "expects an index below ", count,
                 ", got ", index);
}

} // namespace

fa_status report(const Status &status) {
  lastError() = status.text();
  return status.code();
}

} // namespace fa::rt

using namespace fa::rt;

uint32_t fa_version(void) { return FA_RUNTIME_VERSION; }

const char *fa_last_error(void) { return lastError().c_str(); }

const char *fa_status_name(fa_status status) {
  switch (status) {
  case FA_OK:
    return "FA_OK";
  case FA_INVALID_ARGUMENT:
    return "FA_INVALID_ARGUMENT";
  case FA_INVALID_ARTIFACT:
    return "FA_INVALID_ARTIFACT";
  case FA_IO_ERROR:
    return "FA_IO_ERROR";
  case FA_NO_DEVICE:
    return "FA_NO_DEVICE";
  case FA_UNSUPPORTED:
    return "FA_UNSUPPORTED";
  case FA_OUT_OF_MEMORY:
    return "FA_OUT_OF_MEMORY";
  case FA_IN_CAPTURE:
    return "FA_IN_CAPTURE";
  case FA_DRIVER_ERROR:
    return "FA_DRIVER_ERROR";
  }
  return "unknown status";
}

fa_status fa_artifact_open(const char *path, fa_artifact **artifact) {
  std::string bytes;
  fa_status status = guarded([&] {
    if (Status s = queryArguments(path, "path", artifact, "artifact"))
      return s;
    return readFile(path, bytes);
  });
  return status == FA_OK ? openBytes(std::move(bytes), artifact) : status;
}

fa_status fa_artifact_open_memory(const void *data, size_t size,
                                  fa_artifact **artifact) {
  std::string bytes;
  fa_status status = guarded([&] {
    if (Status s = queryArguments(data, "bytes", artifact, "artifact"))
      return s;
    bytes.assign(static_cast<const char *>(data), size);
    return Status();
  });
  return status == FA_OK ? openBytes(std::move(bytes), artifact) : status;
}

fa_status fa_artifact_close(fa_artifact *artifact) {
  delete artifact;
  return FA_OK;
}

fa_status fa_artifact_manifest_json(const fa_artifact *artifact,
                                    const char **json) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", json, "json"))
      return s;
    *json = artifact->impl->image.json.c_str();
    return Status();
  });
}

fa_status fa_artifact_target(const fa_artifact *artifact,
                             fa_target_info *info) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", info, "info"))
      return s;
    const Manifest &manifest = manifestOf(artifact);
    const TargetSpec &target = manifest.target;
    info->kind = target.kind;
    info->name = manifest.name.c_str();
    info->producer = manifest.producer.c_str();
    info->chip =
        target.kind == FA_CPU ? target.cpu.c_str() : target.chip.c_str();
    info->exact = target.exact;
    info->body_sha256 = manifest.bodySha256.c_str();
    return Status();
  });
}

fa_status fa_artifact_problem(const fa_artifact *artifact,
                              fa_problem_info *info) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", info, "info"))
      return s;
    const ProblemSpec &problem = manifestOf(artifact).problem;
    info->layout = problem.layout.c_str();
    info->bottom_right = problem.bottomRight;
    info->causal = problem.causal;
    info->window_left = problem.left.value_or(-1);
    info->window_right = problem.right.value_or(-1);
    info->has_score_region = problem.scoreRegion;
    info->has_mask_region = problem.maskRegion;
    info->is_reference = problem.reference;
    return Status();
  });
}

fa_status fa_artifact_tensor_count(const fa_artifact *artifact, size_t *count) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", count, "count"))
      return s;
    *count = manifestOf(artifact).tensors.size();
    return Status();
  });
}

fa_status fa_artifact_tensor(const fa_artifact *artifact, size_t index,
                             fa_tensor_info *info) {
  return guarded([&] {
    size_t count = artifact ? manifestOf(artifact).tensors.size() : 0;
    if (Status s = indexArguments(artifact, info, index, count))
      return s;
    const TensorSpec &tensor = manifestOf(artifact).tensors[index];
    *info = {};
    info->name = tensor.name.c_str();
    info->is_output = tensor.output;
    info->type = tensor.type;
    info->rank = static_cast<int32_t>(tensor.dims.size());
    for (size_t d = 0; d < tensor.dims.size(); ++d) {
      const DimSpec &dim = tensor.dims[d];
      info->dims[d] = dim.size;
      info->symbols[d] = dim.symbol.empty() ? nullptr : dim.symbol.c_str();
    }
    return Status();
  });
}

fa_status fa_artifact_scalar_count(const fa_artifact *artifact, size_t *count) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", count, "count"))
      return s;
    *count = manifestOf(artifact).scalars.size();
    return Status();
  });
}

fa_status fa_artifact_scalar(const fa_artifact *artifact, size_t index,
                             fa_scalar_info *info) {
  return guarded([&] {
    size_t count = artifact ? manifestOf(artifact).scalars.size() : 0;
    if (Status s = indexArguments(artifact, info, index, count))
      return s;
    const ScalarSpec &scalar = manifestOf(artifact).scalars[index];
    info->name = scalar.name.c_str();
    info->type = scalar.type;
    info->has_default = scalar.defaultValue.has_value();
    info->default_value = scalar.defaultValue.value_or(0);
    info->value_class = scalar.valueClass.c_str();
    return Status();
  });
}

fa_status fa_artifact_kernel_count(const fa_artifact *artifact, size_t *count) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", count, "count"))
      return s;
    *count = manifestOf(artifact).kernels.size();
    return Status();
  });
}

fa_status fa_artifact_kernel(const fa_artifact *artifact, size_t index,
                             fa_kernel_info *info) {
  return guarded([&] {
    size_t count = artifact ? manifestOf(artifact).kernels.size() : 0;
    if (Status s = indexArguments(artifact, info, index, count))
      return s;
    const KernelSpec &kernel = manifestOf(artifact).kernels[index];
    info->name = kernel.name.c_str();
    info->note = kernel.note.c_str();
    info->block = kernel.block;
    info->shared_bytes = kernel.sharedBytes;
    return Status();
  });
}

fa_status fa_prepare(const fa_artifact *artifact, fa_device device,
                     const fa_tensor *tensors, size_t tensor_count,
                     const fa_scalar *scalars, size_t scalar_count,
                     const fa_prepare_options *options, fa_plan **plan) {
  return guarded([&] {
    if (Status s = queryArguments(artifact, "artifact", plan, "plan"))
      return s;
    if (tensor_count && !tensors)
      return failure(FA_INVALID_ARGUMENT, "tensors: expects ", tensor_count,
                     ", got NULL");
    if (scalar_count && !scalars)
      return failure(FA_INVALID_ARGUMENT, "scalars: expects ", scalar_count,
                     ", got NULL");
    if (options && options->struct_size != sizeof(fa_prepare_options))
      return failure(FA_INVALID_ARGUMENT, "options: expects struct_size ",
                     sizeof(fa_prepare_options), ", got ",
                     options->struct_size);
    PrepareRequest request{
        artifact->impl, device,       tensors, tensor_count,
        scalars,        scalar_count, "",      options != nullptr,
        nullptr};
    if (options) {
      request.kernel = options->kernel ? options->kernel : "";
      request.stream = options->stream;
    }
    auto prepared = std::make_unique<fa_plan>();
    if (Status s = Plan::prepare(request, prepared->impl))
      return s;
    *plan = prepared.release();
    return Status();
  });
}

fa_status fa_plan_destroy(fa_plan *plan) {
  delete plan;
  return FA_OK;
}

fa_status fa_launch(const fa_plan *plan, void *stream) {
  return guarded([&] {
    if (Status s = needs(plan, "plan"))
      return s;
    return plan->impl->launch(stream);
  });
}

fa_status fa_launch_with(const fa_plan *plan, void *const *data, size_t count,
                         void *stream) {
  return guarded([&] {
    if (Status s = queryArguments(plan, "plan", data, "data"))
      return s;
    return plan->impl->launchWith(data, count, stream);
  });
}

fa_status fa_plan_kernel_name(const fa_plan *plan, const char **name) {
  return guarded([&] {
    if (Status s = queryArguments(plan, "plan", name, "name"))
      return s;
    *name = plan->impl->kernel().name.c_str();
    return Status();
  });
}

fa_status fa_plan_note(const fa_plan *plan, const char **note) {
  return guarded([&] {
    if (Status s = queryArguments(plan, "plan", note, "note"))
      return s;
    *note = plan->impl->kernel().note.c_str();
    return Status();
  });
}

fa_status fa_plan_grid(const fa_plan *plan, int64_t *grid) {
  return guarded([&] {
    if (Status s = queryArguments(plan, "plan", grid, "grid"))
      return s;
    *grid = plan->impl->grid();
    return Status();
  });
}
