//===- runtime/buffer_plan.h - Where buffers between steps lie --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Buffers that are neither input nor output share one block of memory; those
// that are alive at the same time lie apart.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_BUFFER_PLAN_H
#define TENON_RUNTIME_BUFFER_PLAN_H

#include "isa/memory_plan.h"
#include "isa/proto/program.pb.h"

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace tenon::runtime {

/// The steps in which a buffer is alive: from the first that touches it to the
/// last. `first > last`: none does.
struct Lifetime {
  int first = 1, last = 0;
  bool meets(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Of every buffer of a valid program.
std::vector<Lifetime> bufferLifetimes(const isa::Program &program);

/// Offsets are multiples of AlignedMemory::alignment.
using BufferPlan = isa::MemoryPlan;

/// Places buffers of these sizes; one of no bytes needs no place. Planned anew
/// where extents change: greedy by size, without a search.
BufferPlan planBuffers(absl::Span<const Lifetime> lifetimes,
                       absl::Span<const uint64_t> bytes);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_BUFFER_PLAN_H
