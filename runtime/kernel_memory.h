//===- runtime/kernel_memory.h - What kernels allocate ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Calls kernels, owns the memory that they compute in and runs their loop nests
// in threads. What a run has freed the next one takes again: runs of the same
// shapes ask for the same blocks, and the system would have to zero each page.
// Where there is no more memory, the call ends: code that computes has no other
// way out of the middle of a loop, and by isa/host_abi.h nothing is lost with
// its frames.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_KERNEL_MEMORY_H
#define TENON_RUNTIME_KERNEL_MEMORY_H

#include "runtime/aligned_memory.h"
#include "runtime/host_code.h"

#include "isa/host_abi.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <chrono>
#include <csetjmp>
#include <cstdint>
#include <memory>
#include <vector>

namespace tenon::runtime {

/// A loop nest that a call ran, by its number: how long that took, and how long
/// after the call it began.
struct NestRun {
  uint32_t number;
  double milliseconds;
  double begin = 0; // milliseconds
};

/// One call at a time; outlives its blocks.
class KernelMemory : private TenonHostMemory {
public:
  struct Release {
    void operator()(void *block) const;
  };
  using Block = std::unique_ptr<void, Release>;

  /// Bytes of memory and of swap that this machine has.
  static uint64_t machineBytes();

  /// Calls may ask for at most `most` bytes together.
  explicit KernelMemory(uint64_t most = machineBytes());
  KernelMemory(const KernelMemory &) = delete;
  ~KernelMemory();

  /// Takes memory for the workspace of kernels that need so much, before they
  /// are called. ResourceExhausted: there is not so much.
  absl::Status reserveWorkspace(uint64_t bytes);

  /// Between runs, each of any number of calls: what the last run had no use
  /// for goes back to the system.
  void beginRun();

  /// Calls a kernel, whose workspace is reserved. Of each tensor: the block
  /// that the kernel left as its `data`, or null where that is no block of this
  /// call. Everything else that the kernel allocated is free afterwards.
  /// InvalidArgument with the kernel's message where it returns one;
  /// ResourceExhausted where it asked for more than there is. `nests`, where it
  /// is not null, gets the loop nests in the order in which they were run.
  absl::StatusOr<std::vector<Block>>
  call(const Kernel &kernel, absl::Span<TenonHostTensor> tensors,
       std::vector<NestRun> *nests = nullptr);

  /// Bytes of a block.
  static uint64_t bytesOf(const Block &block);

  /// Bytes of all blocks that there are, without those that are free again.
  uint64_t allocated() const { return held; }
  /// Bytes that are kept for the next blocks.
  uint64_t spare() const { return kept; }

private:
  struct Header;
  static constexpr int classes = 64;

  static void *allocateFor(TenonHostMemory *memory, uint64_t bytes);
  static void releaseFor(TenonHostMemory *memory, void *block);
  static void runFor(TenonHostMemory *memory, TenonHostLoops loops,
                     const void *arguments, uint64_t nanoseconds,
                     uint32_t number);
  bool runs(TenonHostKernel kernel, TenonHostTensor *tensors,
            const char *&message);
  [[noreturn]] void endFor(uint64_t bytes);
  Header *newBlock(uint64_t bytes);
  Header *spareBlock(uint64_t bytes);
  void freeSpares(uint64_t before);
  Block take(const void *data);
  void releaseAll();
  absl::Status exhausted() const;

  const uint64_t most;
  uint64_t held = 0;              // bytes of blocks, as they were asked for
  uint64_t kept = 0;              // bytes of spare blocks, as there are
  uint64_t run = 0;               // how many have begun
  uint64_t refused = 0;           // bytes that the last call ended over
  AlignedMemory room;             // the workspace
  std::unique_ptr<Header> blocks; // of the call: the head of a ring
  Header *spares[classes] = {};   // lists, by the logarithm of their size
  std::jmp_buf end;               // of the call
  std::vector<NestRun> *nests = nullptr;       // of the call, if asked for
  std::chrono::steady_clock::time_point began; // the call, if they are
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_KERNEL_MEMORY_H
