//===- runtime/buffer_plan.cpp - Where buffers between steps lie ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/buffer_plan.h"

#include "runtime/aligned_memory.h"

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

BufferPlan planBuffers(absl::Span<const Lifetime> lifetimes,
                       absl::Span<const uint64_t> bytes) {
  isa::MemoryProblem problem;
  problem.alignment = AlignedMemory::alignment;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const Lifetime &life = lifetimes[i];
    const bool isUsed = life.first <= life.last;
    problem.blocks.push_back({isUsed ? bytes[i] : 0,
                              uint32_t(isUsed ? life.first : 0),
                              uint32_t(isUsed ? life.last : 0)});
  }
  return isa::planBySize(problem);
}

} // namespace tenon::runtime
