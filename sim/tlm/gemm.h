//===- sim/tlm/gemm.h - Timing of GEMM --------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// gemm.sv: a micro-op a cycle, whatever it accumulates into; the last one is
// written nine cycles behind its first stage.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_GEMM_H
#define TENON_SIM_TLM_GEMM_H

#include "sim/tlm/compute.h"

namespace tenon::sim::tlm {

class Gemm : public Compute<Gemm> {
public:
  explicit Gemm(Context &context) : Compute(context, isa::Engine::Gemm) {}

  Cycle setFrom(const Work &) const { return 0; }
  Cycle lastStep() const { return last; }

  Cycle resolve(Cycle) const { return never; }

  Cycle start(const Work &work, Cycle, Cycle now) {
    if (work.isSet) {
      ledger.busy(now, now + 1);
      return now + 1;
    }
    const auto &gemm = std::get<isa::Gemm>(work.instruction);
    uint64_t steps =
        uint64_t(gemm.outerCount) * gemm.innerCount * gemm.uopCount;
    ledger.busy(now, now + 1 + steps);
    last = now + steps;
    return last + pipeline;
  }

private:
  static constexpr Cycle pipeline = 9; // first stage to ACC's write port
  Cycle last = 0;                      // its last step
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_GEMM_H
