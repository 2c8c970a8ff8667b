// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is the result right? By semantics.md's criteria, against the built-in
// reference or a reference artefact.
#ifndef FA_TOOLS_RUN_CHECK_H
#define FA_TOOLS_RUN_CHECK_H

#include "runtime/Reference.h"
#include "tools/fa-run/Inputs.h"

namespace fa::run {

struct CheckResult {
  bool made = false;
  std::string notMade; // why not
  std::string against; // "the built-in float64 reference", ...
  int64_t rows = 0, allRows = 0;
  rt::Accuracy o;
  bool hasLse = false;
  rt::LseAccuracy lse;
  /// What is wrong beyond the errors: elements never written, writes elsewhere.
  std::vector<std::string> faults;
  bool ok() const;
};

/// The problem as the built-in reference takes it (without regions).
rt::AttentionProblem makeProblem(const Artefact &artefact, const Shapes &shapes,
                                 std::vector<HostTensor> &tensors, float scale);

CheckResult checkResult(const Options &options, const Artefact &artefact,
                        const Shapes &shapes, std::vector<HostTensor> &tensors,
                        const std::vector<fa_scalar> &scalars,
                        const rt::AttentionProblem &problem);

} // namespace fa::run

#endif
