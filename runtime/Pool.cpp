// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pool.h"

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>

#include <pthread.h>
#include <sched.h>

namespace fa::rt {
namespace {

constexpr size_t stackBytes = size_t(8) << 20;
constexpr size_t stackNeeded = size_t(2) << 20;

/// One loop. It lives on its caller's stack: `helpers` counts the pool threads
/// that may still look at it.
struct Job {
  int64_t count;
  void (*body)(void *, int64_t);
  void *context;
  std::atomic<int64_t> next{0};
  int openSlots;   // guarded by the pool's mutex
  int helpers = 0; // guarded by the pool's mutex
  std::condition_variable done;

  void work() {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      body(context, i);
  }
};

int chooseThreads() {
  if (const char *text = std::getenv("FA_NUM_THREADS")) {
    char *end = nullptr;
    long n = std::strtol(text, &end, 10);
    if (end != text && *end == 0 && n >= 1 && n <= 1024)
      return static_cast<int>(n);
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0 && CPU_COUNT(&mask) > 0)
    return CPU_COUNT(&mask);
  return 1;
}

/// Whether this thread has the stack that bodies may need. Where its stack ends
/// is asked once a thread: the answer costs system calls.
bool hasStack() {
  thread_local uintptr_t end = 0;
  if (end == 0) {
    end = UINTPTR_MAX;
    pthread_attr_t attributes;
    void *low = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      if (pthread_attr_getstack(&attributes, &low, &size) == 0 && low)
        end = reinterpret_cast<uintptr_t>(low);
      pthread_attr_destroy(&attributes);
    }
  }
  uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > end && here - end >= stackNeeded;
}

class Pool {
public:
  Pool() : threads(chooseThreads()) {}

  int size() const { return threads; }

  void run(Job &job) {
    bool takePart = hasStack();
    {
      std::unique_lock<std::mutex> lock(mutex);
      job.openSlots = threads - (takePart ? 1 : 0);
      if (job.openSlots > job.count)
        job.openSlots = static_cast<int>(job.count);
      startThreads(job.openSlots);
      // Without a single thread of its own the caller must do it all.
      takePart |= started == 0;
      if (job.openSlots > 0)
        jobs.push_back(&job);
      for (int i = 0; i < job.openSlots; ++i)
        wake.notify_one();
    }
    if (takePart)
      workInDefaultEnvironment(job);
    finish(job, takePart);
  }

private:
  static void workInDefaultEnvironment(Job &job) {
    std::fenv_t saved;
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
    job.work();
    std::fesetenv(&saved);
  }

  /// Waits until no helper looks at the job. Where the caller did not take
  /// part, a helper must have seen the job's end first.
  void finish(Job &job, bool tookPart) {
    std::unique_lock<std::mutex> lock(mutex);
    job.done.wait(lock, [&] {
      return job.helpers == 0 &&
             (tookPart ||
              job.next.load(std::memory_order_relaxed) >= job.count);
    });
    for (auto it = jobs.begin(); it != jobs.end(); ++it) {
      if (*it == &job) {
        jobs.erase(it);
        break;
      }
    }
  }

  /// Grows the pool to `wanted` threads, or to as many as the system gives.
  void startThreads(int wanted) {
    if (started >= wanted)
      return;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stackBytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The host's signals stay with the host's threads.
    sigset_t all, saved;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    pthread_t thread;
    while (started < wanted &&
           pthread_create(&thread, &attributes, &Pool::loop, this) == 0)
      ++started;
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
    pthread_attr_destroy(&attributes);
  }

  static void *loop(void *self) {
    Pool &pool = *static_cast<Pool *>(self);
    std::fesetenv(FE_DFL_ENV); // a thread inherits its creator's
    std::unique_lock<std::mutex> lock(pool.mutex);
    for (;;) {
      pool.wake.wait(lock, [&] { return !pool.jobs.empty(); });
      Job *job = pool.jobs.front();
      if (--job->openSlots == 0)
        pool.jobs.pop_front();
      ++job->helpers;
      lock.unlock();
      job->work();
      lock.lock();
      if (--job->helpers == 0)
        job->done.notify_all();
    }
    return nullptr;
  }

  const int threads;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Job *> jobs; // those with open slots
  int started = 0;
};

std::mutex poolMutex;
Pool *pool =
    nullptr; // never destroyed: its threads live as long as the process

Pool &processPool() {
  std::lock_guard<std::mutex> lock(poolMutex);
  if (!pool) {
    // A child process has none of its parent's threads and gets a pool of its
    // own.
    static const int registered =
        pthread_atfork([] { poolMutex.lock(); }, [] { poolMutex.unlock(); },
                       [] {
                         pool = nullptr;
                         poolMutex.unlock();
                       });
    (void)registered;
    pool = new Pool();
  }
  return *pool;
}

} // namespace

void parallelFor(int64_t count, void (*body)(void *, int64_t), void *context) {
  if (count <= 0)
    return;
  Job job;
  job.count = count;
  job.body = body;
  job.context = context;
  processPool().run(job);
}

int poolThreads() { return processPool().size(); }

} // namespace fa::rt
