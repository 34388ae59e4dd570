// Part of Tenon, under the Apache License v2.0.
//
// GEMM: proves its bounds, then hands the loops to the kernel.

#include "sim/functional/instructions.h"
#include "sim/functional/loops.h"

#include <algorithm>

namespace tenon::sim::functional {

absl::Status execute(const isa::Gemm &gemm, State &state) {
  const isa::Layout &layout = state.layout;
  isa::MicroOp base = isa::decodeGemmUop(
      layout, uint32_t(state.reg(isa::GemmRegister::GemmBase)));
  Loops &loops = state.loops;
  if (absl::Status s = makeLoops(gemm, base, state.uopGemm, loops); !s.ok())
    return s;
  absl::Status bounds =
      checkBounds(loops, {"ACC", layout.entries(isa::Memory::Acc)},
                  {"INP", layout.entries(isa::Memory::Inp)},
                  {"WGT", layout.entries(isa::Memory::Wgt)});
  if (!bounds.ok())
    return bounds;

  GemmWork work;
  work.uops = loops.uops.data();
  work.uopCount = loops.uops.size();
  work.outerCount = loops.outerCount;
  work.innerCount = loops.innerCount;
  work.outerStep = loops.outerStep;
  work.innerStep = loops.innerStep;
  work.first = gemm.first;
  work.weightZeroPoint = state.reg(isa::GemmRegister::WeightZeroPoint);
  work.batch = state.batch;
  work.blockIn = state.blockIn;
  work.blockOut = state.blockOut;
  work.pieceBytes = std::min(state.blockIn, state.blockOut);
  work.lanes = state.weights.laneCount();
  work.groups = state.weights.groupCount();
  work.acc = state.acc.data();
  work.inp = state.inp.data();
  work.weights = state.weights.data();
  work.corrections = state.weights.corrections();
  work.scratch = state.gemmScratch.data();
  state.gemmKernel(work);
  return absl::OkStatus();
}

} // namespace tenon::sim::functional
