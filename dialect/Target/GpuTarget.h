// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a chip offers, one row a chip.
#ifndef FA_DIALECT_TARGET_GPUTARGET_H
#define FA_DIALECT_TARGET_GPUTARGET_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fa::target {

struct GpuTarget {
  /// As `--chip=` and `fa.target` spell it.
  std::string_view chip;
  /// Most shared memory that one block may opt into, in bytes.
  int64_t sharedBytesPerBlock;
  /// Shared memory of an SM; each resident block takes 1 KB of it besides.
  int64_t sharedBytesPerSm;
  int64_t registersPerSm;
  int64_t registersPerThread;
  int64_t threadsPerBlock;
  int64_t threadsPerSm;
  /// The first PTX version that knows the chip: major * 10 + minor.
  int ptxVersion;
  bool hasCpAsync;
  bool hasTma;
  bool hasWgmma;
};

/// The row of a chip, null where the chip is unknown.
const GpuTarget *findGpuTarget(std::string_view chip);

/// The known chips, or those that `fits` keeps, separated by ", ": for
/// messages.
std::string
knownGpuTargets(const std::function<bool(const GpuTarget &)> &fits = nullptr);

} // namespace fa::target

#endif // FA_DIALECT_TARGET_GPUTARGET_H
