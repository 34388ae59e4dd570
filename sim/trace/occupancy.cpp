//===- sim/trace/occupancy.cpp - How full the scratchpads are -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/trace/occupancy.h"

#include <algorithm>

namespace tenon::sim {

void Occupancy::end(Value &value) {
  if (!value.isRead || value.lastRead == value.written)
    return;
  steps.push_back({value.written, 1});
  steps.push_back({value.lastRead, -1});
}

void Occupancy::retire(uint64_t cycle, const isa::Units &reads,
                       const isa::Units &writes) {
  for (const isa::Interval &interval : reads)
    for (uint64_t i = interval.begin; i < interval.end; ++i) {
      values[i].isRead = true;
      values[i].lastRead = cycle;
    }
  for (const isa::Interval &interval : writes)
    for (uint64_t i = interval.begin; i < interval.end; ++i) {
      end(values[i]);
      values[i] = {cycle, cycle, false};
    }
}

std::vector<uint32_t> Occupancy::peaks(uint64_t cycles, uint64_t bucketCycles) {
  for (Value &value : values)
    end(value);
  std::sort(steps.begin(), steps.end(),
            [](const Step &a, const Step &b) { return a.cycle < b.cycle; });
  std::vector<uint32_t> peaks((cycles + bucketCycles - 1) / bucketCycles);
  int64_t occupied = 0;
  auto step = steps.begin();
  for (uint64_t bucket = 0; bucket < peaks.size(); ++bucket) {
    int64_t most = occupied;
    bool first = true;
    uint64_t end = (bucket + 1) * bucketCycles;
    while (step != steps.end() && step->cycle < end) {
      uint64_t cycle = step->cycle;
      // A level that ends where the bucket begins is not in the bucket.
      if (first && cycle == bucket * bucketCycles)
        most = 0;
      first = false;
      // All of a cycle at once: an accumulator that is read and written again
      // is one entry, not two.
      for (; step != steps.end() && step->cycle == cycle; ++step)
        occupied += step->change;
      most = std::max(most, occupied);
    }
    peaks[bucket] = uint32_t(most);
  }
  return peaks;
}

} // namespace tenon::sim
