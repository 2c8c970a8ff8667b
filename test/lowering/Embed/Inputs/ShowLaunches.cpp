// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the tensor maps that the stand-in driver made and what it was told to
// launch: what two hosts of one module have to agree on.
#include "test/unit/StandInDriver.h"

#include <cstdio>

static void print(const char *name, const uint64_t *values, unsigned count) {
  std::printf(" %s", name);
  for (unsigned i = 0; i < count; ++i)
    std::printf(" %llu", static_cast<unsigned long long>(values[i]));
}

static void print(const char *name, const uint32_t *values, unsigned count) {
  uint64_t wide[5];
  for (unsigned i = 0; i < count; ++i)
    wide[i] = values[i];
  print(name, wide, count);
}

/// Addresses are told from `base`, which lies elsewhere in each run.
static void print(size_t index, const StandInTensorMap &map, uint64_t base) {
  std::printf("map %zu type %d at %lld", index, map.type,
              static_cast<long long>(map.address - base));
  print("sizes", map.sizes, map.rank);
  print("strides", map.strides, map.rank - 1);
  print("box", map.box, map.rank);
  print("element strides", map.element_strides, map.rank);
  std::printf(" interleave %d swizzle %d promotion %d fill %d\n",
              map.interleave, map.swizzle, map.promotion, map.fill);
}

/// Of the first parameters (StandInLaunch::params), those that are numbers or
/// in the memory at `base`. A number may be that of a map; of what is shorter
/// than 8 bytes the rest is anything.
static void print(const StandInLaunch &launch, uint64_t base, uint64_t bytes) {
  std::printf("launch %s grid %u block %u shared %u params", launch.kernel,
              launch.grid, launch.block, launch.shared);
  constexpr unsigned shown = 12;
  constexpr uint64_t largest = 10000000;
  for (unsigned i = 0; i < shown; ++i)
    if (uint64_t value = launch.params[i]; value < largest)
      std::printf(" %llu", static_cast<unsigned long long>(value));
    else if (value - base < bytes)
      std::printf(" +%llu", static_cast<unsigned long long>(value - base));
    else
      std::printf(" ?");
  std::printf("\n");
}

/// As a function of the module: a memref<?xi8> in its parts.
extern "C" void showLaunches(void *, char *memory, int64_t, int64_t bytes,
                             int64_t) {
  auto base = reinterpret_cast<uint64_t>(memory);
  for (size_t i = 0; i < standin_tensor_maps(); ++i)
    print(i, standin_tensor_map(i), base);
  for (size_t i = 0; i < standin_launches(); ++i)
    print(standin_launch(i), base, static_cast<uint64_t>(bytes));
  std::printf("opted in to %d bytes of shared memory at last\n",
              standin_shared_opted_in());
  std::printf("primary contexts made: %d\n", standin_contexts_made());
}
