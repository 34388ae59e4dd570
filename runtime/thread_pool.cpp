//===- runtime/thread_pool.cpp - Threads that share loop nests ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/thread_pool.h"

#include "runtime/float_environment.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <utility>

namespace tenon::runtime {

using Clock = std::chrono::steady_clock;

/// What a part must take to be worth its way to a thread that looks for work
/// and back.
constexpr uint64_t nanosecondsOfPart = 10000;

/// What it takes to wake threads, which come too late for shorter work.
constexpr uint64_t nanosecondsOfWaking = 60000;

/// How long a thread looks for the next loop nest of a network before it
/// sleeps.
constexpr std::chrono::microseconds patience{100};

constexpr unsigned partsBits = 16;
constexpr uint64_t mostParts = (1u << partsBits) - 1;

static unsigned takenOf(uint64_t word) {
  return (word >> partsBits) & mostParts;
}
static unsigned partsOf(uint64_t word) { return word & mostParts; }

unsigned processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set))
    return 1;
  return std::max(CPU_COUNT(&set), 1);
}

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

/// Looks until `done` says so, or the patience is at its end; whether `done`
/// did. The processor goes to who else wants it: woken threads begin on that of
/// the thread that woke them.
template <typename Done> static bool look(Done done) {
  constexpr unsigned looks = 64; // between two
  for (const auto begin = Clock::now(); Clock::now() - begin < patience;) {
    for (unsigned i = 0; i < looks; ++i) {
      if (done())
        return true;
      relax();
    }
    sched_yield();
  }
  return done();
}

//===----------------------------------------------------------------------===//
// The process's pool
//===----------------------------------------------------------------------===//

static std::atomic<ThreadPool *> ofProcess{nullptr};
// Written where there is one thread.
static unsigned sizeAfterFork = 0;
static bool pinnedAfterFork = false;

ThreadPool &ThreadPool::process() {
  if (ThreadPool *pool = ofProcess.load(std::memory_order_acquire))
    return *pool;
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] {
        if (ThreadPool *parents = ofProcess.exchange(nullptr)) {
          sizeAfterFork = parents->threads();
          pinnedAfterFork = parents->pinned;
        }
      });
  auto made = std::make_unique<ThreadPool>(sizeAfterFork ? sizeAfterFork
                                                         : processors());
  made->setPinned(pinnedAfterFork);
  ThreadPool *pool = nullptr;
  if (ofProcess.compare_exchange_strong(pool, made.get()))
    return *made.release(); // threads may use it until the process ends
  return *pool;
}

bool ThreadPool::startThread(void (*main)(ThreadPool *), ThreadPool *pool) {
  auto *task = new (std::nothrow) std::pair(main, pool);
  if (!task)
    return false;
  auto begin = [](void *data) -> void * {
    auto *task =
        static_cast<std::pair<void (*)(ThreadPool *), ThreadPool *> *>(data);
    auto [main, pool] = *task;
    delete task;
    main(pool);
    return nullptr;
  };
  // Signals are for the threads that the program has itself.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool made = !pthread_create(&thread, nullptr, begin, task);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (made)
    pthread_detach(thread);
  else
    delete task;
  return made;
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

/// Takes a part of the present job and computes it, if one is left; `seen` is
/// how it stood. A job stays what it is until all its parts are done, this one
/// too.
bool ThreadPool::takePart(uint64_t &seen) {
  seen = parts.load(std::memory_order_acquire);
  for (;;) {
    const unsigned part = takenOf(seen), of = partsOf(seen);
    if (part >= of)
      return false;
    if (!parts.compare_exchange_weak(seen, seen + (1u << partsBits),
                                     std::memory_order_acq_rel))
      continue;
    loops(arguments, part, of);
    done.fetch_add(1, std::memory_order_release);
    return true;
  }
}

void ThreadPool::awaitChange(uint64_t seen) {
  // Sequentially consistent, as in wake: of who goes to sleep and who gives
  // work, one sees the other.
  auto isOther = [&] { return parts.load() != seen; };
  if (look(isOther))
    return;
  std::unique_lock lock(sleep);
  ++sleeping;
  changed.wait(lock, isOther);
  --sleeping;
}

void ThreadPool::wake(unsigned threads) {
  if (!sleeping.load())
    return;
  {
    std::lock_guard lock(sleep);
  }
  for (unsigned i = 0; i < threads; ++i)
    changed.notify_one();
}

/// The calling thread, of the pool, on one of the processors that it inherited.
/// It moves as before where there is one alone, or the system refuses.
void ThreadPool::stay() {
  cpu_set_t all, one;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof(all), &all) || CPU_COUNT(&all) < 2)
    return;
  unsigned left = 1 + nextPinned++ % (CPU_COUNT(&all) - 1);
  int processor = 0;
  while (!CPU_ISSET(processor, &all) || left--)
    ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof(one), &one);
}

void ThreadPool::work(ThreadPool *pool) {
  FloatEnvironment ofKernels; // a thread begins with that of who made it
  if (pool->pinned)
    pool->stay();
  for (uint64_t seen;;)
    if (!pool->takePart(seen))
      pool->awaitChange(seen);
}

bool ThreadPool::isWorthSharing(uint64_t nanoseconds) {
  return nanoseconds >= 2 * nanosecondsOfPart;
}

void ThreadPool::run(TenonHostLoops nest, const void *of,
                     uint64_t nanoseconds) {
  std::unique_lock lock(owner, std::defer_lock);
  auto wanted = unsigned(std::min<uint64_t>(
      {nanoseconds / nanosecondsOfPart, threads(), mostParts}));
  if (wanted < 2 || !lock.try_lock())
    return nest(of, 0, 1);
  // Much that is short is worth waking them, too.
  if (sleeping.load() == started &&
      (alone += std::min(nanoseconds, nanosecondsOfWaking)) <
          nanosecondsOfWaking)
    return nest(of, 0, 1);
  alone = 0;
  while (started + 1 < wanted && start(work, this))
    ++started;
  wanted = std::min(wanted, started + 1);
  if (wanted < 2)
    return nest(of, 0, 1);
  loops = nest;
  arguments = of;
  done.store(0, std::memory_order_relaxed);
  const uint64_t number = (parts.load() >> 2 * partsBits) + 1;
  parts.store(number << 2 * partsBits | wanted);
  wake(wanted - 1);
  for (uint64_t seen; takePart(seen);)
    ;
  auto allDone = [&] { return done.load(std::memory_order_acquire) == wanted; };
  while (!look(allDone))
    ; // a part ends when it is computed
}

} // namespace tenon::runtime
