//===- runtime/thread_pool.h - Threads that share loop nests ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One pool a process, as large as the machine: sessions that run at the same
// time do not get in each other's way, as one of them has the pool and the
// others compute in their own threads. Its threads are made when they are first
// wanted, and sleep between jobs.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_THREAD_POOL_H
#define TENON_RUNTIME_THREAD_POOL_H

#include "isa/host_abi.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tenon::runtime {

/// Processors that this process may run on.
unsigned processors();

/// Its threads live as long as the process, and so does a pool that has any.
class ThreadPool {
public:
  /// Starts a detached thread that calls `main` of `pool`; false where the
  /// system has none.
  using Start = bool (*)(void (*main)(ThreadPool *), ThreadPool *pool);
  static bool startThread(void (*main)(ThreadPool *), ThreadPool *pool);

  /// The process's; another after fork, which takes no threads along.
  static ThreadPool &process();

  /// `start` is for tests.
  explicit ThreadPool(unsigned threads, Start start = startThread)
      : most(threads), start(start) {}
  ThreadPool(const ThreadPool &) = delete;

  /// How many compute at a time, the caller of `run` among them.
  unsigned threads() const { return most.load(std::memory_order_relaxed); }
  /// At least one; for what is run from now on.
  void setThreads(unsigned threads) { most.store(threads); }

  /// Whether threads that are started from now on stay on processors of their
  /// own, as far as there are so many: all but the first that the caller of
  /// `run` may use, which is left to the caller, who moves as before.
  void setPinned(bool isPinned) { pinned.store(isPinned); }

  /// Whether threads could be faster than one where that takes so long.
  static bool isWorthSharing(uint64_t nanoseconds);

  /// Computes all of `loops`, which takes one thread about so long; here alone
  /// where that is faster, or where another thread has the pool. From any
  /// thread, and not from within.
  void run(TenonHostLoops loops, const void *arguments, uint64_t nanoseconds);

private:
  static void work(ThreadPool *pool);
  void stay();
  bool takePart(uint64_t &seen);
  void awaitChange(uint64_t seen);
  void wake(unsigned threads);

  std::atomic<unsigned> most;
  std::atomic<bool> pinned{false};
  std::atomic<unsigned> nextPinned{0};
  const Start start;
  std::mutex owner; // held by who runs a job
  unsigned started = 0;
  uint64_t alone = 0; // nanoseconds that others slept through

  // The job. Written while no part of it is left, published by `parts`.
  TenonHostLoops loops = nullptr;
  const void *arguments = nullptr;
  /// Number of the job, parts of it that are taken, parts that it has: of 32,
  /// 16 and 16 bits. Who adds one to the second has that part.
  alignas(64) std::atomic<uint64_t> parts{0};
  alignas(64) std::atomic<unsigned> done{0};

  std::mutex sleep;
  std::condition_variable changed;
  alignas(64) std::atomic<unsigned> sleeping{0};
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_THREAD_POOL_H
