// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/loops.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>

namespace tenon::sim::functional {

template <typename Instruction>
absl::Status makeLoops(const Instruction &in, isa::MicroOp base,
                       const std::vector<isa::MicroOp> &memory, Loops &loops) {
  uint64_t end = uint64_t(in.uopBegin) + in.uopCount;
  if (end > memory.size())
    return absl::InvalidArgumentError(absl::StrFormat(
        "micro-ops %d to %d of %d", in.uopBegin, end - 1, memory.size()));
  loops.uops.clear();
  for (uint64_t k = in.uopBegin; k < end; ++k) {
    const isa::MicroOp &uop = memory[k];
    if (uop == neverLoaded)
      return absl::InvalidArgumentError(
          absl::StrCat("micro-op ", k, " has never been loaded"));
    loops.uops.push_back(
        {uop.dst + base.dst, uop.src + base.src, uop.third + base.third});
  }
  loops.outerCount = in.outerCount;
  loops.innerCount = in.innerCount;
  loops.outerStep = {in.dstOuter, in.srcOuter, in.thirdOuter};
  loops.innerStep = {in.dstInner, in.srcInner, in.thirdInner};
  loops.uopBegin = in.uopBegin;
  return absl::OkStatus();
}

template absl::Status makeLoops(const isa::Gemm &, isa::MicroOp,
                                const std::vector<isa::MicroOp> &, Loops &);
template absl::Status makeLoops(const isa::Alu &, isa::MicroOp,
                                const std::vector<isa::MicroOp> &, Loops &);

Indices indicesOf(const Loops &loops, uint64_t iteration) {
  const Indices &uop = loops.uops[iteration % loops.uops.size()];
  uint32_t j = iteration / loops.uops.size() % loops.innerCount;
  uint32_t i = iteration / loops.uops.size() / loops.innerCount;
  auto at = [&](uint32_t Indices::*index) {
    return uop.*index + i * (loops.outerStep.*index) +
           j * (loops.innerStep.*index);
  };
  return {at(&Indices::dst), at(&Indices::src), at(&Indices::third)};
}

std::string iterationName(const Loops &loops, uint64_t iteration) {
  uint64_t k = iteration % loops.uops.size();
  uint64_t j = iteration / loops.uops.size() % loops.innerCount;
  uint64_t i = iteration / loops.uops.size() / loops.innerCount;
  return absl::StrFormat("iteration (outer %d, inner %d, micro-op %d)", i, j,
                         loops.uopBegin + k);
}

namespace {

using Index = uint32_t Indices::*;

bool fits(const Loops &loops, Index index, const IndexedMemory &memory) {
  if (memory.entries == 0)
    return true;
  uint64_t largest = 0;
  for (const Indices &uop : loops.uops)
    largest = std::max<uint64_t>(largest, uop.*index);
  largest += uint64_t(loops.outerCount - 1) * (loops.outerStep.*index) +
             uint64_t(loops.innerCount - 1) * (loops.innerStep.*index);
  return largest < memory.entries;
}

// The first iteration whose index leaves `memory`, by walking all of them.
absl::Status firstOutside(const Loops &loops, Index index,
                          absl::string_view indexName,
                          const IndexedMemory &memory) {
  uint64_t iteration = 0;
  for (uint64_t i = 0; i < loops.outerCount; ++i)
    for (uint64_t j = 0; j < loops.innerCount; ++j)
      for (const Indices &uop : loops.uops) {
        uint64_t at = uop.*index + i * (loops.outerStep.*index) +
                      j * (loops.innerStep.*index);
        if (at >= memory.entries)
          return absl::InvalidArgumentError(absl::StrFormat(
              "%s is %s[%d] in %s, but %s has %d entries", indexName,
              memory.name, at, iterationName(loops, iteration), memory.name,
              memory.entries));
        ++iteration;
      }
  return absl::OkStatus();
}

} // namespace

absl::Status checkBounds(const Loops &loops, const IndexedMemory &dst,
                         const IndexedMemory &src, const IndexedMemory &third) {
  if (!fits(loops, &Indices::dst, dst))
    return firstOutside(loops, &Indices::dst, "dst", dst);
  if (!fits(loops, &Indices::src, src))
    return firstOutside(loops, &Indices::src, "src", src);
  if (!fits(loops, &Indices::third, third))
    return firstOutside(loops, &Indices::third, "third", third);
  return absl::OkStatus();
}

} // namespace tenon::sim::functional
