//===- sim/tlm/loop_walk.h - The iterations of GEMM and ALU -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_LOOP_WALK_H
#define TENON_SIM_TLM_LOOP_WALK_H

#include "sim/functional/loops.h"

namespace tenon::sim::tlm {

/// One iteration after the other, at the walker's pace.
class LoopWalk {
public:
  void begin(const functional::Loops &of) {
    loops = of;
    inner = uop = 0;
    outerAt = at = {0, 0, 0};
    left = loops.iterations();
  }
  const functional::Loops &all() const { return loops; }
  /// Iterations from the current one on.
  uint64_t remaining() const { return left; }
  void finish() { left = 0; }
  uint32_t dst() const { return at.dst + loops.uops[uop].dst; }
  uint32_t src() const { return at.src + loops.uops[uop].src; }
  /// Whether the next one has another destination, or there is none.
  bool endsRun() const { return left == 1 || nextDst() != dst(); }

  void step() {
    --left;
    if (++uop != loops.uops.size())
      return;
    uop = 0;
    at.dst += loops.innerStep.dst;
    at.src += loops.innerStep.src;
    if (++inner != loops.innerCount)
      return;
    inner = 0;
    outerAt.dst += loops.outerStep.dst;
    outerAt.src += loops.outerStep.src;
    at = outerAt;
  }

private:
  uint32_t nextDst() const {
    if (uop + 1 != loops.uops.size())
      return at.dst + loops.uops[uop + 1].dst;
    bool over = inner + 1 == loops.innerCount;
    uint32_t next =
        over ? outerAt.dst + loops.outerStep.dst : at.dst + loops.innerStep.dst;
    return next + loops.uops[0].dst;
  }

  functional::Loops loops;
  uint32_t inner = 0, uop = 0;
  functional::Indices outerAt{}, at{};
  uint64_t left = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_LOOP_WALK_H
