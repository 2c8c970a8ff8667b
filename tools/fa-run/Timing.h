// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a launch takes: one at a time, and without a pause.
#ifndef FA_TOOLS_RUN_TIMING_H
#define FA_TOOLS_RUN_TIMING_H

#include "tools/fa-run/Session.h"

namespace fa::run {

/// Times of one launch in milliseconds.
struct Spread {
  int64_t count = 0;
  double median = 0, least = 0, most = 0;
  std::optional<unsigned> clock; // of the multiprocessors, MHz
};

struct TimingResult {
  Spread burst;         // each launch by itself, the device idle before it
  Spread sustained;     // launches without a pause, once the clock has settled
  bool bitEqual = true; // every launch gave the bits of the first one
};

/// The session has been launched once; its outputs are `kept`.
TimingResult measure(const Options &options, Session &session,
                     const std::vector<std::vector<uint8_t>> &kept);

} // namespace fa::run

#endif
