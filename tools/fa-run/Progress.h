// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A percentage on the terminal for work that takes long.
#ifndef FA_TOOLS_RUN_PROGRESS_H
#define FA_TOOLS_RUN_PROGRESS_H

#include <chrono>
#include <mutex>
#include <string>

namespace fa::run {

class Progress {
public:
  /// Shows nothing where `wanted` is false or the standard error is no
  /// terminal.
  Progress(std::string what, bool wanted);
  ~Progress();
  /// From any thread.
  void show(double done);

private:
  using Clock = std::chrono::steady_clock;
  std::string what;
  bool active;
  bool shown = false;
  Clock::time_point next;
  std::mutex mutex;
};

} // namespace fa::run

#endif
