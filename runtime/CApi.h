// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the C ABI share.
#ifndef FA_RUNTIME_CAPI_H
#define FA_RUNTIME_CAPI_H

#include "runtime/Status.h"

#include <new>

namespace fa::rt {

/// Keeps the text for fa_last_error and gives the code.
fa_status report(const Status &status);

/// Runs the body of a call; what the standard library throws becomes a status.
template <typename Body> fa_status guarded(Body &&body) {
  try {
    Status status = body();
    return status ? report(status) : FA_OK;
  } catch (const std::bad_alloc &) {
    return report(Status(FA_OUT_OF_MEMORY, "out of host memory"));
  } catch (...) {
    return report(Status(FA_INVALID_ARGUMENT, "unexpected failure"));
  }
}

inline Status needs(const void *argument, const char *name) {
  if (argument)
    return {};
  return failure(FA_INVALID_ARGUMENT, "the argument '", name, "' is NULL");
}

} // namespace fa::rt

#endif
