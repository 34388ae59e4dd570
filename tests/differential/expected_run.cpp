// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/expected_run.h"

#include "sim/functional/instructions.h"
#include "sim/memory/poison.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <set>

namespace tenon::differential {
namespace {

using sim::functional::State;

template <typename Element>
std::vector<uint8_t> bytesOf(const std::vector<Element> &memory, uint64_t index,
                             size_t elementBytes) {
  auto first = reinterpret_cast<const uint8_t *>(memory.data());
  return {first + index * elementBytes, first + (index + 1) * elementBytes};
}

// An element of a memory that engines other than LOAD write, or of INP.
std::vector<uint8_t> contents(const State &state, Space space, uint64_t index) {
  const isa::Layout &layout = state.layout;
  switch (space) {
  case Space::Acc:
    return bytesOf(state.acc, index, layout.accBytes);
  case Space::Inp:
    return bytesOf(state.inp, index, layout.inpBytes);
  case Space::Out:
    return bytesOf(state.out, index, layout.outBytes);
  default: {
    auto beat = state.dram.subspan(index * layout.beatBytes, layout.beatBytes);
    return {beat.begin(), beat.end()};
  }
  }
}

// LOAD writes consecutive elements.  Memories without padding hold what DRAM
// does; the others are asked.
std::vector<ExpectedWrite> writesOf(const isa::Load &load, Space space,
                                    const State &state) {
  const isa::Layout &layout = state.layout;
  std::vector<ExpectedWrite> writes;
  uint64_t columns = load.padLeft + load.xSize + load.padRight;
  uint64_t rows = load.padTop + load.ySize + load.padBottom;
  for (uint64_t i = 0; i < rows * columns; ++i) {
    ExpectedWrite write{space, load.sram + i, {}};
    if (space == Space::Acc || space == Space::Inp) {
      write.data = contents(state, space, write.index);
    } else {
      uint64_t beat =
          load.dram + i / columns * load.yStride + i % columns * load.xStride;
      auto bytes = state.dram.subspan(beat * layout.beatBytes,
                                      layout.transferBytes(load.memory));
      write.data.assign(bytes.begin(), bytes.end());
    }
    writes.push_back(std::move(write));
  }
  return writes;
}

std::vector<ExpectedWrite> writesOf(const std::vector<Access> &accesses,
                                    const State &state) {
  std::vector<ExpectedWrite> writes;
  for (const Access &access : accesses)
    if (access.isWrite)
      writes.push_back({access.space, access.index, {}});
  std::set<std::pair<Space, uint64_t>> known;
  for (auto write = writes.rbegin(); write != writes.rend(); ++write)
    if (known.insert({write->space, write->index}).second)
      write->data = contents(state, write->space, write->index);
  return writes;
}

std::vector<uint8_t> initialDram(const isa::Program &program) {
  std::vector<uint8_t> dram(program.dram_bytes());
  sim::poison(dram.data(), 0, dram.size());
  for (const isa::Segment &segment : program.segments())
    std::copy(segment.data().begin(), segment.data().end(),
              dram.begin() + segment.offset());
  return dram;
}

absl::Status executeOne(const isa::Instruction &instruction, State &state) {
  return std::visit(
      [&](const auto &in) -> absl::Status {
        if constexpr (std::is_same_v<std::decay_t<decltype(in)>, isa::Finish>)
          return absl::OkStatus();
        else
          return sim::functional::execute(in, state);
      },
      instruction);
}

absl::Status checkForm(const isa::Layout &layout, const isa::Program &program) {
  if (program.steps_size() != 1 || !program.steps(0).has_launch())
    return absl::InvalidArgumentError("expected a program with one launch");
  const isa::Launch &launch = program.steps(0).launch();
  if (launch.program_offset() > program.dram_bytes() ||
      launch.instruction_count() * layout.instructionBytes >
          program.dram_bytes() - launch.program_offset())
    return absl::InvalidArgumentError("the launch lies outside of DRAM");
  for (const isa::Segment &segment : program.segments())
    if (segment.offset() > program.dram_bytes() ||
        segment.data().size() > program.dram_bytes() - segment.offset())
      return absl::InvalidArgumentError("a segment lies outside of DRAM");
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<ExpectedRun> expectedRun(const isa::Layout &layout,
                                        const isa::Program &program) {
  if (absl::Status status = checkForm(layout, program); !status.ok())
    return status;
  std::vector<uint8_t> dram = initialDram(program);
  State state(layout);
  state.dram = absl::MakeSpan(dram);
  state.startLaunch();

  ExpectedRun run;
  const isa::Launch &launch = program.steps(0).launch();
  for (uint64_t i = 0; i < launch.instruction_count(); ++i) {
    auto instruction = isa::decode(
        layout, &dram[launch.program_offset() + i * layout.instructionBytes]);
    if (!instruction.ok())
      return instruction.status();
    if (std::holds_alternative<isa::Finish>(*instruction))
      break;
    std::vector<Access> accesses = accessesOf(*instruction, state);
    if (absl::Status status = executeOne(*instruction, state); !status.ok())
      return absl::Status(status.code(), absl::StrCat("instruction ", i, ": ",
                                                      status.message()));
    const auto *load = std::get_if<isa::Load>(&*instruction);
    run.engines[size_t(isa::engineOf(*instruction))].push_back(
        {i, *instruction,
         load ? writesOf(*load, accesses.back().space, state)
              : writesOf(accesses, state)});
  }
  return run;
}

} // namespace tenon::differential
