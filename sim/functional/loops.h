// Part of Tenon, under the Apache License v2.0.
//
// The loops that GEMM and ALU share: two affine loops around a range of
// micro-ops.  Bounds are proved once per instruction (every step and offset is
// unsigned, so the largest index of each kind decides), so that the body runs
// unchecked.

#ifndef SIM_FUNCTIONAL_LOOPS_H
#define SIM_FUNCTIONAL_LOOPS_H

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "isa/isa.h"
#include "sim/functional/gemm_work.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::sim::functional {

/// The iteration space of one instruction: the micro-ops with their base
/// register added, and the steps of the two loops.
struct Loops {
  std::vector<Indices> uops;
  uint32_t outerCount, innerCount;
  Indices outerStep, innerStep;
  uint32_t uopBegin; // for messages

  uint64_t iterations() const {
    return uint64_t(outerCount) * innerCount * uops.size();
  }
};

/// What the UOP memories hold before anything is loaded.
constexpr isa::MicroOp neverLoaded{UINT32_MAX, UINT32_MAX, UINT32_MAX};

/// What one index of a micro-op addresses; a memory without entries is not
/// used by the operation, and its index may be anything.
struct IndexedMemory {
  absl::string_view name;
  uint64_t entries = 0;
};

/// Takes the micro-ops of `instruction` (a GEMM or ALU) out of `memory` and
/// adds `base` to each.  An error when the range leaves the memory.
template <typename Instruction>
absl::Status makeLoops(const Instruction &instruction, isa::MicroOp base,
                       const std::vector<isa::MicroOp> &memory, Loops &loops);

/// OK if every index of every iteration lies in its memory; else names the
/// first iteration that leaves one.
absl::Status checkBounds(const Loops &loops, const IndexedMemory &dst,
                         const IndexedMemory &src, const IndexedMemory &third);

/// The indices of one iteration.
Indices indicesOf(const Loops &loops, uint64_t iteration);

/// "iteration (outer 1, inner 0, micro-op 7)".
std::string iterationName(const Loops &loops, uint64_t iteration);

/// Calls body(dst, src, third) for every iteration in order, until it returns
/// false.  Returns the number of iterations completed.
template <typename Body>
uint64_t forEachIteration(const Loops &loops, Body &&body) {
  uint64_t done = 0;
  Indices outer{0, 0, 0};
  for (uint32_t i = 0; i < loops.outerCount; ++i) {
    Indices at = outer;
    for (uint32_t j = 0; j < loops.innerCount; ++j) {
      for (const Indices &uop : loops.uops) {
        if (!body(at.dst + uop.dst, at.src + uop.src, at.third + uop.third))
          return done;
        ++done;
      }
      at.dst += loops.innerStep.dst;
      at.src += loops.innerStep.src;
      at.third += loops.innerStep.third;
    }
    outer.dst += loops.outerStep.dst;
    outer.src += loops.outerStep.src;
    outer.third += loops.outerStep.third;
  }
  return done;
}

extern template absl::Status makeLoops(const isa::Gemm &, isa::MicroOp,
                                       const std::vector<isa::MicroOp> &,
                                       Loops &);
extern template absl::Status makeLoops(const isa::Alu &, isa::MicroOp,
                                       const std::vector<isa::MicroOp> &,
                                       Loops &);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_LOOPS_H
