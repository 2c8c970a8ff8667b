// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Artefact.h"

namespace fa::run {

void check(fa_status status) {
  if (status == FA_OK)
    return;
  throw Failure(status == FA_NO_DEVICE ? ExitNoDevice : ExitUsage,
                fa_last_error());
}

const char *typeName(fa_type type) {
  static const char *const names[] = {"?",  "f16", "bf16", "f32", "f64",
                                      "i1", "i8",  "i16",  "i32", "i64"};
  return names[type];
}

size_t typeBytes(fa_type type) {
  static const size_t bytes[] = {0, 2, 2, 4, 8, 1, 1, 2, 4, 8};
  return bytes[type];
}

Artefact::Artefact(const std::string &path) {
  fa_artifact *opened = nullptr;
  fa_status status = fa_artifact_open(path.c_str(), &opened);
  if (status == FA_INVALID_ARTIFACT)
    throw Failure(ExitUsage, path + ": " + fa_last_error());
  check(status);
  handle.reset(opened);
  check(fa_artifact_target(opened, &target));
  check(fa_artifact_problem(opened, &problem));
  size_t count = 0;
  check(fa_artifact_tensor_count(opened, &count));
  tensors.resize(count);
  for (size_t i = 0; i < count; ++i)
    check(fa_artifact_tensor(opened, i, &tensors[i]));
  check(fa_artifact_scalar_count(opened, &count));
  scalars.resize(count);
  for (size_t i = 0; i < count; ++i)
    check(fa_artifact_scalar(opened, i, &scalars[i]));
}

const char *Artefact::json() const {
  const char *text = nullptr;
  check(fa_artifact_manifest_json(get(), &text));
  return text;
}

const fa_tensor_info *Artefact::find(const std::string &name) const {
  for (const fa_tensor_info &tensor : tensors)
    if (name == tensor.name)
      return &tensor;
  return nullptr;
}

} // namespace fa::run
