//===- thread_pool_test.cpp - Threads that share loop nests ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/thread_pool.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sched.h>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenon::runtime;

namespace {

/// Counts how often each part is computed, and by whom.
struct Count {
  static constexpr unsigned room = 64;
  std::atomic<unsigned> times[room] = {};
  std::atomic<unsigned> parts{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  unsigned awaited = 0; // parts that begin before one ends

  std::atomic<unsigned> begun{0};

  static void compute(const void *arguments, uint32_t part, uint32_t parts) {
    auto &self = *static_cast<Count *>(const_cast<void *>(arguments));
    ++self.times[part];
    self.parts = parts;
    {
      std::lock_guard lock(self.mutex);
      self.threads.insert(std::this_thread::get_id());
    }
    ++self.begun;
    while (self.begun < self.awaited)
      std::this_thread::yield();
  }
  /// Whether each part was computed once.
  bool isWhole() const {
    for (unsigned part = 0; part < room; ++part)
      if (times[part] != (part < parts))
        return false;
    return parts > 0;
  }
};

/// Nanoseconds of work that is worth all threads, whether they sleep or not.
constexpr uint64_t much = 1000000000;

/// A pool that has threads lives as long as the process, which knows it.
ThreadPool &forever(unsigned threads,
                    ThreadPool::Start start = ThreadPool::startThread) {
  static auto *const pools = new std::vector<ThreadPool *>;
  return *pools->emplace_back(new ThreadPool(threads, start));
}

TEST(ThreadPool, ComputesEachPartOnceInThreadsOfItsOwn) {
  ThreadPool &pool = forever(4);
  Count count;
  count.awaited = 4;
  pool.run(Count::compute, &count, much);
  EXPECT_TRUE(count.isWhole());
  EXPECT_EQ(count.parts, 4u);
  EXPECT_EQ(count.threads.size(), 4u);
}

TEST(ThreadPool, HasNoMorePartsThanThreads) {
  Count more, one;
  forever(3).run(Count::compute, &more, much);
  EXPECT_TRUE(more.isWhole());
  EXPECT_EQ(more.parts, 3u);
  forever(1).run(Count::compute, &one, much);
  EXPECT_TRUE(one.isWhole());
  EXPECT_EQ(one.threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ThreadPool, IsWokenFromSleep) {
  ThreadPool &pool = forever(2);
  for (int i = 0; i < 20; ++i) {
    Count count;
    count.awaited = 2;
    pool.run(Count::compute, &count, much);
    EXPECT_TRUE(count.isWhole());
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
  }
}

TEST(ThreadPool, RunsManyJobsOneAfterTheOther) {
  ThreadPool &pool = forever(3);
  for (unsigned i = 0; i < 20000; ++i) {
    Count count;
    pool.run(Count::compute, &count, i % 4 * 15000);
    ASSERT_TRUE(count.isWhole()) << i;
  }
}

TEST(ThreadPool, ComputesInTheCallersThreadWhereItIsNotFree) {
  ThreadPool &pool = forever(2);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        Count count;
        pool.run(Count::compute, &count, much);
        wrong += !count.isWhole();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, IsSmallerWhereTheSystemRefusesThreads) {
  static std::atomic<int> left;
  left = 1;
  ThreadPool &pool =
      forever(4, [](void (*main)(ThreadPool *), ThreadPool *pool) {
        return left-- > 0 && ThreadPool::startThread(main, pool);
      });
  Count two;
  pool.run(Count::compute, &two, much);
  EXPECT_TRUE(two.isWhole());
  EXPECT_EQ(two.parts, 2u);
  Count alone;
  forever(4, [](void (*)(ThreadPool *), ThreadPool *) {
    return false;
  }).run(Count::compute, &alone, much);
  EXPECT_TRUE(alone.isWhole());
  EXPECT_EQ(alone.threads.size(), 1u);
}

/// Where each thread may run, once all of them compute.
struct Places {
  explicit Places(unsigned awaited) : awaited(awaited) {}

  const unsigned awaited;
  std::atomic<unsigned> begun{0};
  std::mutex mutex;
  std::map<std::thread::id, std::set<int>> of;

  static void compute(const void *arguments, uint32_t, uint32_t) {
    auto &self = *static_cast<Places *>(const_cast<void *>(arguments));
    cpu_set_t set;
    sched_getaffinity(0, sizeof(set), &set);
    {
      std::lock_guard lock(self.mutex);
      for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &set))
          self.of[std::this_thread::get_id()].insert(i);
    }
    ++self.begun;
    while (self.begun < self.awaited)
      std::this_thread::yield();
  }
};

TEST(ThreadPool, KeepsItsThreadsOnProcessorsOfTheirOwn) {
  const unsigned size = std::min(processors(), 4u);
  ThreadPool &pool = forever(size);
  pool.setPinned(true);
  Places places(size);
  pool.run(Places::compute, &places, much);
  ASSERT_EQ(places.of.size(), size);
  // The caller moves as before, and has one processor for itself.
  const std::set<int> callers = places.of[std::this_thread::get_id()];
  EXPECT_EQ(callers.size(), processors());
  std::set<int> taken;
  for (const auto &[thread, where] : places.of)
    if (thread != std::this_thread::get_id()) {
      EXPECT_EQ(where.size(), 1u);
      taken.insert(*where.begin());
    }
  EXPECT_EQ(taken.size(), size - 1);
  EXPECT_EQ(taken.count(*callers.begin()), 0u);
}

TEST(ThreadPool, SharesProcessorsWhereItHasMoreThreads) {
  const unsigned size = processors() + 2;
  ThreadPool &pool = forever(size);
  pool.setPinned(true);
  Places places(size);
  pool.run(Places::compute, &places, much);
  EXPECT_EQ(places.of.size(), size);
}

TEST(ThreadPool, LetsItsThreadsMoveWhereNobodyAsks) {
  ThreadPool &pool = forever(2);
  Places places(2);
  pool.run(Places::compute, &places, much);
  for (const auto &[thread, where] : places.of)
    EXPECT_EQ(where.size(), processors());
}

TEST(ThreadPool, StartsNoThreadWhereThereIsNoMemory) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers end the process";
#endif
#endif
  pid_t child = fork();
  if (!child) {
    alarm(60);
    rlimit least{1, 1};
    setrlimit(RLIMIT_AS, &least);
    for (size_t bytes = 1 << 20; bytes; bytes /= 2)
      for (void *volatile block = &bytes; block;)
        block = std::malloc(bytes);
    _exit(ThreadPool::startThread([](ThreadPool *) {}, nullptr) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status)) << status;
}

/// How each of two threads rounds a sum that is nearest to 1.
struct Rounding {
  std::atomic<unsigned> begun{0};
  std::mutex mutex;
  std::map<std::thread::id, double> of;

  static void compute(const void *arguments, uint32_t, uint32_t) {
    auto &self = *static_cast<Rounding *>(const_cast<void *>(arguments));
    volatile double one = 1, little = 0x1p-54;
    {
      std::lock_guard lock(self.mutex);
      self.of[std::this_thread::get_id()] = one + little;
    }
    ++self.begun;
    while (self.begun < 2)
      std::this_thread::yield();
  }
};

TEST(ThreadPool, ItsThreadsRoundToNearest) {
  Rounding rounding;
  std::fesetround(FE_UPWARD);
  forever(2).run(Rounding::compute, &rounding, much);
  std::fesetround(FE_TONEAREST);
  ASSERT_EQ(rounding.of.size(), 2u);
  EXPECT_GT(rounding.of[std::this_thread::get_id()], 1);
  rounding.of.erase(std::this_thread::get_id());
  EXPECT_EQ(rounding.of.begin()->second, 1);
}

TEST(ThreadPool, IsAnotherAfterFork) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer has no threads in a forked process";
#endif
#endif
  Count before;
  ThreadPool::process().run(Count::compute, &before, much);
  pid_t child = fork();
  if (!child) {
    alarm(20);
    Count count;
    count.awaited = processors() > 1 ? 2 : 1;
    ThreadPool::process().run(Count::compute, &count, much);
    _exit(count.isWhole() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status)) << status;
}

} // namespace
