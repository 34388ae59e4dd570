//===- runtime/kernel_memory.cpp - What kernels allocate ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/kernel_memory.h"

#include "runtime/float_environment.h"
#include "runtime/thread_pool.h"

#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <sys/sysinfo.h>
#include <utility>

namespace tenon::runtime {

/// Lies in front of each block, in a ring of those of the present call; what
/// outlives its call is a ring of its own. Of what is free `next` leads to the
/// next of its size.
struct alignas(TENON_HOST_ALIGNMENT) KernelMemory::Header {
  Header *previous = this, *next = this;
  KernelMemory *owner = nullptr;
  uint64_t bytes = 0; // that were asked for
  uint64_t room = 0;  // that there are
  uint64_t run = 0;   // that used it last

  void leave() {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }
  void enter(Header &ring) {
    previous = &ring;
    next = ring.next;
    previous->next = next->previous = this;
  }
  static Header *of(void *block) { return static_cast<Header *>(block) - 1; }
};

uint64_t KernelMemory::machineBytes() {
  struct sysinfo machine;
  if (sysinfo(&machine))
    return std::numeric_limits<uint64_t>::max();
  return (uint64_t(machine.totalram) + machine.totalswap) * machine.mem_unit;
}

KernelMemory::KernelMemory(uint64_t most)
    : TenonHostMemory{nullptr, nullptr, allocateFor, releaseFor, runFor},
      most(std::min<uint64_t>(most, std::numeric_limits<size_t>::max() / 2)),
      blocks(std::make_unique<Header>()) {}

KernelMemory::~KernelMemory() {
  releaseAll();
  freeSpares(run + 1);
}

absl::Status KernelMemory::reserveWorkspace(uint64_t bytes) {
  if (absl::Status status = room.reserve(bytes); !status.ok())
    return status;
  workspace = room.data();
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static int sizeClass(uint64_t bytes) { return absl::bit_width(bytes | 1) - 1; }

/// The smallest spare one of which at least half is used, so that what a run
/// holds is at most twice what it asked for; null where there is none.
KernelMemory::Header *KernelMemory::spareBlock(uint64_t bytes) {
  const int smallest = sizeClass(bytes);
  Header **best = nullptr;
  for (int size = smallest; size < std::min(smallest + 2, classes); ++size)
    for (Header **at = &spares[size]; *at; at = &(*at)->next)
      if (const uint64_t room = (*at)->room;
          room >= bytes && room / 2 <= bytes && (!best || room < (*best)->room))
        best = at;
  if (!best)
    return nullptr;
  kept -= (*best)->room;
  return std::exchange(*best, (*best)->next);
}

/// Null where there is no memory, or may be none.
KernelMemory::Header *KernelMemory::newBlock(uint64_t bytes) {
  if (bytes > most - std::min(most, held))
    return nullptr;
  if (Header *spare = spareBlock(bytes))
    return spare;
  if (bytes > most - std::min(most, held + kept))
    freeSpares(run + 1);
  void *place = AlignedMemory::take(bytes + sizeof(Header));
  if (!place) {
    freeSpares(run + 1);
    place = AlignedMemory::take(bytes + sizeof(Header));
  }
  if (!place)
    return nullptr;
  auto *header = new (place) Header;
  header->owner = this;
  header->room = bytes;
  return header;
}

/// Those that were last used before a run.
void KernelMemory::freeSpares(uint64_t before) {
  for (Header *&list : spares)
    for (Header **at = &list; *at;) {
      Header *spare = *at;
      if (spare->run >= before) {
        at = &spare->next;
        continue;
      }
      *at = spare->next;
      kept -= spare->room;
      AlignedMemory::give(spare, spare->room + sizeof(Header));
    }
}

void KernelMemory::beginRun() { freeSpares(run++); }

//===----------------------------------------------------------------------===//
// What kernels call
//===----------------------------------------------------------------------===//

// Nothing is thrown through a kernel, which cannot be unwound.

/// Where nothing that has a destructor is held: it does not return.
void KernelMemory::endFor(uint64_t bytes) {
  refused = bytes;
  std::longjmp(end, 1);
}

void *KernelMemory::allocateFor(TenonHostMemory *memory, uint64_t bytes) {
  auto *self = static_cast<KernelMemory *>(memory);
  Header *header = self->newBlock(bytes);
  if (!header)
    self->endFor(bytes);
  header->bytes = bytes;
  header->enter(*self->blocks);
  self->held += bytes;
  return header + 1;
}

void KernelMemory::Release::operator()(void *block) const {
  Header *header = Header::of(block);
  header->leave();
  KernelMemory &owner = *header->owner;
  owner.held -= header->bytes;
  owner.kept += header->room;
  header->run = owner.run;
  Header *&spares = owner.spares[sizeClass(header->room)];
  header->next = std::exchange(spares, header);
}

void KernelMemory::releaseFor(TenonHostMemory *, void *block) {
  if (block)
    Release()(block);
}

static void runNest(TenonHostLoops loops, const void *arguments,
                    uint64_t nanoseconds) {
  if (ThreadPool::isWorthSharing(nanoseconds))
    ThreadPool::process().run(loops, arguments, nanoseconds);
  else
    loops(arguments, 0, 1);
}

/// False where there is no memory for it.
static bool keep(std::vector<NestRun> &nests, const NestRun &nest) {
  try {
    nests.push_back(nest);
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

void KernelMemory::runFor(TenonHostMemory *memory, TenonHostLoops loops,
                          const void *arguments, uint64_t nanoseconds,
                          uint32_t number) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  auto &call = *static_cast<KernelMemory *>(memory);
  if (!call.nests)
    return runNest(loops, arguments, nanoseconds);
  auto begin = std::chrono::steady_clock::now();
  runNest(loops, arguments, nanoseconds);
  auto end = std::chrono::steady_clock::now();
  if (!keep(*call.nests, {number, Milliseconds(end - begin).count(),
                          Milliseconds(begin - call.began).count()}))
    call.endFor(sizeof(NestRun) * (call.nests->size() + 1));
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

/// Whether the kernel came to its end. A function of its own: it has no
/// variable that is not as it was where control comes back a second time.
bool KernelMemory::runs(TenonHostKernel kernel, TenonHostTensor *tensors,
                        const char *&message) {
  if (setjmp(end))
    return false;
  message = kernel(tensors, this);
  return true;
}

KernelMemory::Block KernelMemory::take(const void *data) {
  for (Header *at = blocks->next; at != blocks.get(); at = at->next)
    if (at + 1 == data) {
      at->leave();
      return Block(at + 1);
    }
  return nullptr;
}

void KernelMemory::releaseAll() {
  while (blocks->next != blocks.get())
    Release()(blocks->next + 1);
}

absl::Status KernelMemory::exhausted() const {
  if (refused == std::numeric_limits<uint64_t>::max())
    return absl::ResourceExhaustedError(
        "no memory has the 2^64 bytes or more that it asks for");
  std::string text = absl::StrCat("there is no memory for ", refused,
                                  " bytes beside the ", held, " that it has");
  if (refused > most - std::min(most, held))
    absl::StrAppend(&text, "; it may have ", most);
  return absl::ResourceExhaustedError(text);
}

absl::StatusOr<std::vector<KernelMemory::Block>>
KernelMemory::call(const Kernel &kernel, absl::Span<TenonHostTensor> tensors,
                   std::vector<NestRun> *into) {
  const char *message = nullptr;
  absl::Status status;
  constants = kernel.constants;
  nests = into;
  ThreadPool::process(); // made here, where that may throw
  if (nests)
    began = std::chrono::steady_clock::now();
  bool ended = false;
  {
    FloatEnvironment ofKernels;
    ended = runs(kernel.call, tensors.data(), message);
  }
  if (!ended)
    status = exhausted();
  else if (message)
    status = absl::InvalidArgumentError(message);
  std::vector<Block> left;
  if (status.ok())
    for (const TenonHostTensor &tensor : tensors)
      left.push_back(take(tensor.data));
  releaseAll();
  if (!status.ok())
    return status;
  return left;
}

uint64_t KernelMemory::bytesOf(const Block &block) {
  return block ? Header::of(block.get())->bytes : 0;
}

} // namespace tenon::runtime
