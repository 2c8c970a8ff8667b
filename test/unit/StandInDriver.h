// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a test steers the stand-in for the CUDA driver, libfa_standin_cuda.so.
// From outside a process (fa-run) the environment variable FA_STANDIN does the
// same: "major=7,fail_cuMemAlloc_v2=2:2" sets a fact and fails the second call
// from then.
#ifndef FA_TEST_UNIT_STANDINDRIVER_H
#define FA_TEST_UNIT_STANDINDRIVER_H

#include <cstddef>
#include <cstdint>

/// One launch as the driver saw it. `params` holds the 8 bytes behind each of
/// the first `param_count` parameters.
struct StandInLaunch {
  char kernel[64];
  unsigned grid, block, shared;
  void *stream;
  void *context;
  uint64_t params[16];
};

/// What cuTensorMapEncodeTiled was given. The map that it wrote holds, in its
/// first 8 bytes, the index of the record, and so do a launch's `params`.
struct StandInTensorMap {
  int type;
  unsigned rank;
  uint64_t address;
  uint64_t sizes[5], strides[4];
  uint32_t box[5], element_strides[5];
  int interleave, swizzle, promotion, fill;
};

extern "C" {
/// Forgets all: facts, failures, launches, counts; frees memory and contexts.
void standin_reset();
/// Facts: devices, major, minor, driver_version, shared_optin, capturing (a
/// status), capture_id, legacy_blocked (another stream is capturing), memory
/// (bytes that can be allocated), param_count, run (launches compute the test's
/// attention), units (multiprocessors).
void standin_set(const char *fact, int64_t value);
/// The nth call (from 1) of an entry point from now on gives `result`.
void standin_fail(const char *entry, int nth, int result);
/// How often an entry point was called.
int standin_count(const char *entry);
size_t standin_launches();
StandInLaunch standin_launch(size_t index);
size_t standin_tensor_maps();
StandInTensorMap standin_tensor_map(size_t index);
/// The stream of the last cuMemsetD8Async.
void *standin_filled_on();
/// Blocks of device memory that are not freed, and modules that are loaded.
size_t standin_live_memory();
size_t standin_live_modules();
/// How often a primary context that nobody held was retained.
int standin_contexts_made();
/// The value that cuFuncSetAttribute set last.
int standin_shared_opted_in();
}

#endif
