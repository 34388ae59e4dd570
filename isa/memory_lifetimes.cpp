// Part of Tenon, under the Apache License v2.0.

#include "isa/memory_lifetimes.h"

#include <utility>

namespace tenon::isa {

BlockOrder byBegin(const MemoryProblem &problem) {
  BlockOrder order;
  for (uint32_t i = 0; i < problem.blocks.size(); ++i)
    if (problem.blocks[i].bytes)
      order.push_back(i);
  auto begin = [&](uint32_t b) {
    return std::pair(problem.blocks[b].first, b);
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return begin(a) < begin(b); });
  return order;
}

} // namespace tenon::isa
