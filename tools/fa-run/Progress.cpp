// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Progress.h"

#include <cstdio>

#include <unistd.h>

namespace fa::run {

Progress::Progress(std::string what, bool wanted)
    : what(std::move(what)), active(wanted && ::isatty(STDERR_FILENO)),
      next(Clock::now() + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (shown)
    std::fprintf(stderr, "\r\033[K");
}

void Progress::show(double done) {
  if (!active)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (Clock::now() < next)
    return;
  next = Clock::now() + std::chrono::milliseconds(200);
  shown = true;
  std::fprintf(stderr, "\r%s %3.0f%%", what.c_str(), 100 * done);
}

} // namespace fa::run
