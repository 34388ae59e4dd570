// Part of Tenon, under the Apache License v2.0.
//
// The WGT memory, kept in the layout of the dot product.  An element's
// blockOut x blockIn int8 are stored [blockIn/4][lanes][4], blockOut rounded up
// to `lanes` (a multiple of 16) and blockIn to a multiple of 4, the rest zero:
// four products of one output lie side by side, which is what both VNNI and
// widening multiply-adds take.  Beside them stand -128 times each output's sum
// of weights: with inputs biased by 128 into unsigned bytes it is what the
// biased products are too large by.

#ifndef SIM_FUNCTIONAL_WEIGHTS_H
#define SIM_FUNCTIONAL_WEIGHTS_H

#include <cstdint>
#include <vector>

namespace tenon::sim::functional {

class WeightMemory {
public:
  WeightMemory(uint32_t entries, uint32_t blockIn, uint32_t blockOut);

  void poison();

  /// Writes element `index` from its form in DRAM, [blockOut][blockIn].
  void write(uint32_t index, const int8_t *element);

  /// Bytes from one element to the next in data().
  uint32_t elementBytes() const { return groups * lanes * 4; }
  uint32_t laneCount() const { return lanes; }
  uint32_t groupCount() const { return groups; }
  const int8_t *data() const { return packed.data(); }
  /// [entry][lanes].
  const int32_t *corrections() const { return correction.data(); }

private:
  uint32_t entries, blockIn, blockOut, lanes, groups;
  std::vector<int8_t> packed;
  std::vector<int32_t> correction;
};

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_WEIGHTS_H
