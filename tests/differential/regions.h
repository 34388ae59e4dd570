// Part of Tenon, under the Apache License v2.0.
//
// What an instruction reads and writes, element by element.

#ifndef TESTS_DIFFERENTIAL_REGIONS_H
#define TESTS_DIFFERENTIAL_REGIONS_H

#include "isa/isa.h"
#include "sim/functional/state.h"

#include <cstdint>
#include <vector>

namespace tenon::differential {

/// Everything that instructions of two engines can conflict on.
enum class Space : uint8_t {
  UopGemm,
  UopAlu,
  Inp,
  Wgt,
  Dwt,
  Acc,
  Prm,
  Out,
  Dram
};
constexpr size_t spaceCount = 9;

/// One element (a micro-op in the UOP memories, a beat in DRAM).
struct Access {
  Space space;
  uint64_t index;
  bool isWrite;
};

/// Elements of a space; DRAM has as many beats as `dramBytes` holds.
uint64_t spaceEntries(const isa::Layout &layout, Space space,
                      uint64_t dramBytes);

/// The accesses of `instruction` in the order of its iterations, a micro-op's
/// reads in front of its write.  GEMM and reducing operations read their
/// destination where a run of equal destinations starts and write it where the
/// run ends.  Micro-ops and base registers are taken from
/// `state`, as it is when the instruction starts.  Indices are not checked.
std::vector<Access> accessesOf(const isa::Instruction &instruction,
                               const sim::functional::State &state);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_REGIONS_H
