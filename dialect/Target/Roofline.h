// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a chip can reach at best, for reports; nothing is chosen by it.
#ifndef FA_DIALECT_TARGET_ROOFLINE_H
#define FA_DIALECT_TARGET_ROOFLINE_H

#include <string_view>

namespace fa::target {

struct Roofline {
  /// As `--chip=` spells it.
  std::string_view chip;
  /// The product whose figures these are.
  std::string_view product;
  /// f16 tensor cores with f32 accumulation, without sparsity, per second.
  double flops;
  /// Of its device memory, per second.
  double bytes;
};

/// The row of a chip, null where there is none (the CPU).
const Roofline *findRoofline(std::string_view chip);

} // namespace fa::target

#endif // FA_DIALECT_TARGET_ROOFLINE_H
