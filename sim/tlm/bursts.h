//===- sim/tlm/bursts.h - A strided region cut into AXI bursts --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The walk of axi_bursts.sv: rows of segments of consecutive beats, in bursts
// of at most burst_beats that do not cross 4 KiB. Addresses in beats.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_BURSTS_H
#define TENON_SIM_TLM_BURSTS_H

#include <algorithm>
#include <cstdint>

namespace tenon::sim::tlm {

struct Region {
  uint64_t beat = 0;
  uint32_t segmentBeats = 1, segments = 1, rows = 1;
  uint32_t segmentStride = 0, rowStride = 0;
};

struct Burst {
  uint64_t beat = 0;
  uint32_t beats = 0;
};

class BurstWalk {
public:
  BurstWalk(uint32_t beatBytes, uint32_t burstBeats)
      : pageBeats(4096 / beatBytes), burstBeats(burstBeats) {}

  void start(const Region &newRegion) {
    region = newRegion;
    beat = segment = row = region.beat;
    left = region.segmentBeats;
    segmentsLeft = region.segments;
    rowsLeft = region.rows;
    bursts = 0;
  }
  bool done() const { return rowsLeft == 0; }
  /// Whether the region is done and was a single burst: the next one can be
  /// taken in the cycle in which it leaves, else a cycle later.
  bool wasSingle() const { return done() && bursts == 1; }

  Burst next() {
    ++bursts;
    uint32_t limit =
        std::min<uint64_t>(pageBeats - beat % pageBeats, burstBeats);
    Burst burst{beat, std::min(left, limit)};
    if (left > limit) {
      beat += limit;
      left -= limit;
      return burst;
    }
    left = region.segmentBeats;
    if (--segmentsLeft) {
      beat = segment += region.segmentStride;
      return burst;
    }
    segmentsLeft = region.segments;
    beat = segment = row += region.rowStride;
    --rowsLeft;
    return burst;
  }

private:
  const uint32_t pageBeats, burstBeats;
  Region region;
  uint64_t beat = 0, segment = 0, row = 0;
  uint32_t left = 0, segmentsLeft = 0, rowsLeft = 0, bursts = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_BURSTS_H
