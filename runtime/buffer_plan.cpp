//===- runtime/buffer_plan.cpp - Where buffers between steps lie ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/buffer_plan.h"

#include <algorithm>
#include <numeric>

namespace tenon::runtime {

std::vector<Lifetime> bufferLifetimes(const isa::Program &program) {
  std::vector<Lifetime> lifetimes(program.buffers_size());
  auto touch = [&](uint32_t buffer, int step) {
    Lifetime &life = lifetimes[buffer];
    if (life.first > life.last)
      life.first = step;
    life.last = step;
  };
  for (int i = 0; i < program.steps_size(); ++i) {
    const isa::Step &step = program.steps(i);
    if (step.has_pack())
      touch(step.pack().buffer(), i);
    if (step.has_unpack())
      touch(step.unpack().buffer(), i);
    for (uint32_t buffer : step.host_kernel().inputs())
      touch(buffer, i);
    for (uint32_t buffer : step.host_kernel().outputs())
      touch(buffer, i);
  }
  return lifetimes;
}

static uint64_t aligned(uint64_t bytes) {
  return (bytes + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
}

BufferPlan planBuffers(absl::Span<const Lifetime> lifetimes,
                       absl::Span<const uint64_t> bytes) {
  std::vector<size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return bytes[a] != bytes[b] ? bytes[a] > bytes[b] : a < b;
  });
  BufferPlan plan{0, std::vector<uint64_t>(bytes.size())};
  std::vector<size_t> placed; // by offset
  for (size_t buffer : order) {
    if (bytes[buffer] == 0)
      break;
    uint64_t offset = 0;
    for (size_t other : placed)
      if (lifetimes[buffer].meets(lifetimes[other])) {
        if (offset + bytes[buffer] <= plan.offsets[other])
          break;
        offset = std::max(offset, aligned(plan.offsets[other] + bytes[other]));
      }
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes[buffer]);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), buffer,
                                   [&](size_t a, size_t b) {
                                     return plan.offsets[a] < plan.offsets[b];
                                   }),
                  buffer);
  }
  return plan;
}

} // namespace tenon::runtime
