// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C ABI's objects as C++ ones.
#ifndef FA_TOOLS_RUN_ARTEFACT_H
#define FA_TOOLS_RUN_ARTEFACT_H

#include "runtime/fa_runtime.h"
#include "tools/fa-run/Options.h"

#include <memory>
#include <string>
#include <vector>

namespace fa::run {

/// Throws a Failure with the runtime's text unless the call went well.
void check(fa_status status);

const char *typeName(fa_type type);
size_t typeBytes(fa_type type);

class Artefact {
public:
  explicit Artefact(const std::string &path);

  fa_artifact *get() const { return handle.get(); }
  const char *json() const;

  fa_target_info target{};
  fa_problem_info problem{};
  std::vector<fa_tensor_info> tensors;
  std::vector<fa_scalar_info> scalars;

  /// Null where there is none.
  const fa_tensor_info *find(const std::string &name) const;

private:
  struct Close {
    void operator()(fa_artifact *a) const { fa_artifact_close(a); }
  };
  std::unique_ptr<fa_artifact, Close> handle;
};

struct DestroyPlan {
  void operator()(fa_plan *plan) const { fa_plan_destroy(plan); }
};
using PlanHandle = std::unique_ptr<fa_plan, DestroyPlan>;

} // namespace fa::run

#endif
