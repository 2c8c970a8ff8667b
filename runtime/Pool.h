// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's threads: a loop over tiles taken from an atomic counter.
#ifndef FA_RUNTIME_POOL_H
#define FA_RUNTIME_POOL_H

#include <cstdint>
#include <type_traits>

namespace fa::rt {

/// Calls body(context, i) once for each i in [0, count), on the pool's threads
/// and on the caller's where its stack is large enough, and returns when all
/// are done. May be called from several threads at once; not from inside a
/// body. Bodies run with the default floating-point environment and at least 2
/// MiB of stack.
void parallelFor(int64_t count, void (*body)(void *context, int64_t i),
                 void *context);

template <typename Body> void parallelFor(int64_t count, Body &&body) {
  parallelFor(
      count,
      [](void *context, int64_t i) {
        (*static_cast<std::remove_reference_t<Body> *>(context))(i);
      },
      &body);
}

/// How many threads work on one loop: FA_NUM_THREADS where it is a number from
/// 1 to 1024, else the size of the process's affinity mask.
int poolThreads();

} // namespace fa::rt

#endif
