// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cfenv>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

using namespace fa::rt;

namespace {

int64_t sumTo(int64_t n) {
  std::atomic<int64_t> sum{0};
  parallelFor(n, [&](int64_t i) { sum += i; });
  return sum;
}

TEST(Pool, EveryTileOnce) {
  for (int64_t n : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> seen(n);
    parallelFor(n, [&](int64_t i) { ++seen[i]; });
    for (auto &count : seen)
      ASSERT_EQ(count, 1);
  }
  parallelFor(-5, [](int64_t) { FAIL(); });
}

TEST(Pool, ManyShortLoops) {
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(sumTo(8), 28);
}

TEST(Pool, SeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        wrong += sumTo(100) != 4950;
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

// Bodies use megabytes of stack, whatever the caller has.
__attribute__((noinline)) void useStack() {
  volatile char block[1 << 20];
  for (size_t i = 0; i < sizeof(block); i += 512)
    block[i] = 1;
}

TEST(Pool, CallerWithASmallStack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void *) -> void * {
                  parallelFor(50, [](int64_t) { useStack(); });
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Pool, BodiesRoundToNearest) {
  std::fesetround(FE_UPWARD);
  std::atomic<int> wrong{0};
  parallelFor(100,
              [&](int64_t) { wrong += std::fegetround() != FE_TONEAREST; });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, 0);
}

TEST(Pool, AChildProcessHasItsOwn) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer does not start threads after a fork";
#endif
  ASSERT_EQ(sumTo(10), 45);
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(sumTo(1000) == 499500 ? 0 : 1);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

} // namespace
