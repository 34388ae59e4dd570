//===- runtime/overwritten.cpp - Which segments a run destroys ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/overwritten.h"

#include "isa/intervals.h"
#include "isa/program.h"

#include <algorithm>
#include <numeric>

namespace tenon::runtime {

/// The rows of a STORE, each from its first byte to its last.
static void addStore(const isa::Layout &layout, const isa::Store &store,
                     isa::IntervalSet &written) {
  const uint64_t beat = layout.beatBytes;
  for (uint64_t y = 0; y < store.ySize; ++y) {
    const uint64_t row = (store.dram + y * store.yStride) * beat;
    const uint64_t last = row + (store.xSize - 1) * store.xStride * beat;
    written.add({row, std::max(row, last) + layout.outBytes});
  }
}

/// Whether all instructions of the launch could be decoded.
static bool addLaunch(const isa::Program &program, const isa::Layout &layout,
                      const isa::Launch &launch, isa::IntervalSet &written) {
  for (const isa::Segment &segment : program.segments()) {
    const uint64_t begin = launch.program_offset() - segment.offset();
    const uint64_t size = layout.instructionBytes;
    if (launch.program_offset() < segment.offset() ||
        begin + launch.instruction_count() * size > segment.data().size())
      continue;
    auto *bytes =
        reinterpret_cast<const uint8_t *>(segment.data().data()) + begin;
    for (uint64_t i = 0; i < launch.instruction_count(); ++i) {
      auto instruction = isa::decode(layout, bytes + i * size);
      if (!instruction.ok())
        return false;
      if (auto *store = std::get_if<isa::Store>(&*instruction))
        addStore(layout, *store, written);
    }
    return true;
  }
  return false;
}

std::vector<int> overwrittenSegments(const isa::Program &program,
                                     const isa::Layout &layout) {
  std::vector<int> all(program.segments_size());
  std::iota(all.begin(), all.end(), 0);
  isa::IntervalSet written;
  for (const isa::Step &step : program.steps()) {
    if (step.has_launch() &&
        !addLaunch(program, layout, step.launch(), written))
      return all;
    if (step.has_pack()) {
      const isa::DramTensor &tensor = program.tensors(step.pack().tensor());
      written.add(
          {tensor.offset(), tensor.offset() + isa::dramBytes(layout, tensor)});
    }
  }
  std::vector<int> result;
  for (int i : all) {
    const isa::Segment &segment = program.segments(i);
    if (written.intersects(
            {segment.offset(), segment.offset() + segment.data().size()}))
      result.push_back(i);
  }
  return result;
}

} // namespace tenon::runtime
