// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Timing.h"

#include "tools/fa-run/Nvml.h"
#include "tools/fa-run/Progress.h"

#include <algorithm>
#include <chrono>

namespace fa::run {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Times a number of launches: events on the device, the wall clock on the CPU.
class Stopwatch {
public:
  explicit Stopwatch(Session &session)
      : session(session), clock(session.device()) {
    if (session.device().kind == FA_CUDA) {
      check(fa_event_create(&start));
      check(fa_event_create(&stop));
    }
  }
  ~Stopwatch() {
    for (void *event : {start, stop})
      if (event)
        (void)fa_event_destroy(event);
  }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

  /// Milliseconds for all of them.
  double run(int64_t launches) {
    auto begin = Clock::now();
    if (start)
      check(fa_event_record(start, nullptr));
    for (int64_t i = 0; i < launches; ++i)
      session.launch();
    if (!start)
      return since(begin);
    check(fa_event_record(stop, nullptr));
    // While the device is at work: afterwards its clock falls.
    if (std::optional<unsigned> now = clock.megahertz())
      clocks.push_back(*now);
    float milliseconds = 0;
    check(fa_event_elapsed(start, stop, &milliseconds));
    return milliseconds;
  }

  /// The median clock since the last call.
  std::optional<unsigned> takeClock() {
    if (clocks.empty())
      return {};
    std::sort(clocks.begin(), clocks.end());
    unsigned median = clocks[clocks.size() / 2];
    clocks.clear();
    return median;
  }

private:
  Session &session;
  SmClock clock;
  std::vector<unsigned> clocks;
  void *start = nullptr, *stop = nullptr;
};

Spread summarize(std::vector<double> times) {
  Spread spread;
  spread.count = static_cast<int64_t>(times.size());
  if (times.empty())
    return spread;
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  spread.median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  spread.least = times.front();
  spread.most = times.back();
  return spread;
}

Spread burst(const Options &options, Session &session, Stopwatch &watch,
             const std::vector<std::vector<uint8_t>> &kept, bool &bitEqual) {
  int64_t repeat = options.repeat.value_or(10);
  // Comparing all results may cost more than the launches.
  bool compareAll = double(session.outputBytes()) * double(repeat) < 8e9;
  auto begin = Clock::now();
  std::vector<double> times;
  Progress progress("timing", !options.quiet);
  for (int64_t i = 0; i < repeat; ++i) {
    if (!options.repeat && i >= 3 && since(begin) > 500)
      break;
    times.push_back(watch.run(1));
    if (compareAll)
      bitEqual = bitEqual && session.outputsEqual(kept);
    progress.show(double(i) / double(repeat));
  }
  if (!times.empty())
    bitEqual = bitEqual && session.outputsEqual(kept);
  Spread spread = summarize(times);
  spread.clock = watch.takeClock();
  return spread;
}

/// Two seconds of launches in batches of 20 ms and more; the first second lets
/// clock and temperature settle and is not counted.
Spread sustained(const Options &options, Stopwatch &watch, double single) {
  int64_t batch =
      std::max<int64_t>(1, static_cast<int64_t>(20 / std::max(single, 1e-3)));
  auto begin = Clock::now();
  std::vector<double> times;
  Progress progress("timing", !options.quiet);
  for (double now = 0; now < 2000 || times.size() < 3; now = since(begin)) {
    double time = watch.run(batch) / double(batch);
    if (now >= 1000)
      times.push_back(time);
    progress.show(std::min(now / 2000, 1.0));
  }
  Spread spread = summarize(times);
  spread.clock = watch.takeClock();
  return spread;
}

} // namespace

TimingResult measure(const Options &options, Session &session,
                     const std::vector<std::vector<uint8_t>> &kept) {
  TimingResult result;
  if (options.repeat == 0 && !options.sustained)
    return result;
  Stopwatch watch(session);
  for (int64_t i = 0; i < options.warmup; ++i)
    session.launch();
  session.synchronize();
  result.burst = burst(options, session, watch, kept, result.bitEqual);
  if (options.sustained)
    result.sustained = sustained(options, watch, result.burst.median);
  return result;
}

} // namespace fa::run
