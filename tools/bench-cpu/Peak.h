// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one core can do at best: chains of multiply-adds in registers.
#ifndef FA_TOOLS_BENCHCPU_PEAK_H
#define FA_TOOLS_BENCHCPU_PEAK_H

namespace fa::bench {

/// Seconds of processor time that this process has used, all threads together:
/// what other processes do to the machine does not count.
double processorSeconds();

/// f32 GFLOP/s of one core with vectors of 256 or 512 bits, over a few
/// milliseconds; 0 where the processor does not have them.
double measurePeak(int vectorBits);

} // namespace fa::bench

#endif // FA_TOOLS_BENCHCPU_PEAK_H
