// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/bench-cpu/Peak.h"

#include <immintrin.h>
#include <time.h>

using namespace fa::bench;

double fa::bench::processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

namespace {

// Twelve independent chains hide a latency of 4 to 6 cycles at two a cycle.
constexpr int chains = 12;
constexpr long trips = 2000000;

__attribute__((target("avx2,fma"), noinline)) void run256() {
  __m256 sums[chains], x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
  for (__m256 &sum : sums)
    sum = _mm256_setzero_ps();
  for (long i = 0; i < trips; ++i) {
#pragma clang loop unroll(full)
    for (int k = 0; k < chains; ++k)
      sums[k] = _mm256_fmadd_ps(sums[k], x, y);
  }
  for (__m256 &sum : sums) // used, as far as the compiler knows
    asm volatile("" : "+x"(sum));
}

__attribute__((target("avx512f"), noinline)) void run512() {
  __m512 sums[chains], x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(0.001f);
  for (__m512 &sum : sums)
    sum = _mm512_setzero_ps();
  for (long i = 0; i < trips; ++i) {
#pragma clang loop unroll(full)
    for (int k = 0; k < chains; ++k)
      sums[k] = _mm512_fmadd_ps(sums[k], x, y);
  }
  for (__m512 &sum : sums) // as above
    asm volatile("" : "+v"(sum));
}

} // namespace

double fa::bench::measurePeak(int vectorBits) {
  bool wide = vectorBits == 512;
  bool able =
      wide ? __builtin_cpu_supports("avx512f")
           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!able)
    return 0;
  double begin = processorSeconds();
  if (wide)
    run512();
  else
    run256();
  double seconds = processorSeconds() - begin;
  return 2.0 * (vectorBits / 32) * chains * trips / seconds * 1e-9;
}
