// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under a sanitizer an allocation that is too large gives NULL, as without one:
// the tests ask for some.
extern "C" {
const char *__asan_default_options() { return "allocator_may_return_null=1"; }
const char *__tsan_default_options() { return "allocator_may_return_null=1"; }
}
