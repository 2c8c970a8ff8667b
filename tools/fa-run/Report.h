// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fa-run prints: a table for people or one JSON object.
#ifndef FA_TOOLS_RUN_REPORT_H
#define FA_TOOLS_RUN_REPORT_H

#include "tools/fa-run/Check.h"
#include "tools/fa-run/Timing.h"

namespace fa::run {

struct Report {
  const Options &options;
  const Artefact &artefact;
  const Shapes &shapes;
  const rt::AttentionProblem &problem;
  fa_device_info device = {};
  std::string kernel = {}, note = {};
  int64_t grid = 0;
  TimingResult timing = {};
  CheckResult check = {};

  /// Right, wrong, or not checked.
  ExitStatus status() const;
  void printTable() const;
  void printJson() const;

private:
  double teraflops(const Spread &spread) const;
  std::string maskText() const;
  const char *verdict() const;
};

} // namespace fa::run

#endif
