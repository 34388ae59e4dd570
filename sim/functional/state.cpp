// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/state.h"

#include "sim/functional/kernels.h"
#include "sim/functional/loops.h"
#include "sim/memory/poison.h"

#include <algorithm>

namespace tenon::sim::functional {
namespace {

template <typename Element> std::vector<Element> poisoned(size_t elements) {
  std::vector<Element> memory(elements);
  sim::poison(reinterpret_cast<uint8_t *>(memory.data()), 0,
              elements * sizeof(Element));
  return memory;
}

} // namespace

State::State(const isa::Layout &layout)
    : layout(layout), batch(layout.config.batch()),
      blockIn(layout.config.block_in()), blockOut(layout.config.block_out()),
      lanes(batch * blockOut), byteOfLane(lanes),
      uopGemm(layout.config.uop_entries(), neverLoaded),
      uopAlu(layout.config.uop_entries(), neverLoaded),
      inp(poisoned<int8_t>(size_t(layout.config.inp_entries()) *
                           layout.inpBytes)),
      weights(layout.config.wgt_entries(), blockIn, blockOut),
      dwt(poisoned<int8_t>(size_t(layout.config.dwt_entries()) * blockOut)),
      acc(poisoned<int32_t>(size_t(layout.config.acc_entries()) * lanes)),
      out(poisoned<int8_t>(size_t(layout.config.out_entries()) *
                           layout.outBytes)),
      gemmKernel(gemmVariants(batch, blockIn, blockOut).front().kernel),
      gemmScratch(batch * weights.laneCount() + weights.groupCount()),
      aluKernels(aluVariants(batch, blockOut).front().kernels),
      aluScratch(lanes) {
  size_t channels = size_t(layout.config.prm_entries()) * blockOut;
  prm.bias = poisoned<int32_t>(channels);
  prm.multiplier = poisoned<int32_t>(channels);
  prm.shift.assign(channels, 0xff); // no shift: a use is an error
  weights.poison();
  uint32_t piece = std::min(blockIn, blockOut);
  for (uint32_t n = 0; n < batch; ++n)
    for (uint32_t o = 0; o < blockOut; ++o)
      byteOfLane[n * blockOut + o] =
          (o / piece * batch + n) * piece + o % piece;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    bytesAreLanes &= byteOfLane[lane] == lane;
  startLaunch();
}

void State::startLaunch() {
  for (uint32_t e = 0; e < isa::engineCount; ++e)
    for (uint32_t number = 0; number < registerCount; ++number)
      registers[e][number] = uint32_t(isa::resetValue(isa::Engine(e), number));
}

} // namespace tenon::sim::functional
