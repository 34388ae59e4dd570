// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/shrink.h"

#include "isa/assembler.h"
#include "tests/differential/stream_builder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>

namespace tenon::differential {
namespace {

// Fields of an instruction and the least each of them may be.
struct Smaller {
  std::vector<isa::Instruction> candidates;

  template <typename Instruction, typename Field>
  void reduce(const Instruction &in, Field Instruction::*field, Field least) {
    if (in.*field == least)
      return;
    Instruction copy = in;
    copy.*field = least;
    candidates.push_back(copy);
  }
  // To the least, else to half.
  template <typename Instruction>
  void reduceCount(const Instruction &in, uint32_t Instruction::*field) {
    reduce(in, field, 1u);
    if (in.*field > 3)
      reduce(in, field, in.*field / 2);
  }
  template <typename Compute> void reduceLoops(const Compute &in) {
    for (auto field :
         {&Compute::outerCount, &Compute::innerCount, &Compute::uopCount})
      reduceCount(in, field);
    for (auto field :
         {&Compute::dstOuter, &Compute::dstInner, &Compute::srcOuter,
          &Compute::srcInner, &Compute::thirdOuter, &Compute::thirdInner})
      reduce(in, field, 0u);
    if (in.uopCount > 1) {
      Compute copy = in;
      ++copy.uopBegin;
      --copy.uopCount;
      candidates.push_back(copy);
    }
  }

  void operator()(const isa::Load &in) {
    isa::Load plain = in;
    plain.padTop = plain.padBottom = plain.padLeft = plain.padRight = 0;
    plain.padKind = isa::Pad::Zero;
    if (in.padTop + in.padBottom + in.padLeft + in.padRight)
      candidates.push_back(plain);
    for (auto field : {&isa::Load::padTop, &isa::Load::padBottom,
                       &isa::Load::padLeft, &isa::Load::padRight})
      reduce(in, field, 0u);
    reduceCount(in, &isa::Load::ySize);
    reduceCount(in, &isa::Load::xSize);
  }
  void operator()(const isa::Store &in) {
    reduceCount(in, &isa::Store::ySize);
    reduceCount(in, &isa::Store::xSize);
  }
  void operator()(const isa::Gemm &in) { reduceLoops(in); }
  void operator()(const isa::Alu &in) { reduceLoops(in); }
  void operator()(const isa::Set &) {}
  void operator()(const isa::Finish &) {}
};

// The beats that LOADs read.
std::vector<bool> readBeats(const isa::Layout &layout,
                            const RandomProgram &program) {
  std::vector<bool> read(program.dram.size() / layout.beatBytes);
  for (const isa::Instruction &each : program.instructions)
    if (const auto *load = std::get_if<isa::Load>(&each)) {
      uint64_t beats = layout.transferBytes(load->memory) / layout.beatBytes;
      for (uint64_t y = 0; y < load->ySize; ++y)
        for (uint64_t x = 0; x < load->xSize; ++x)
          for (uint64_t b = 0; b < beats; ++b)
            read.at(load->dram + y * load->yStride + x * load->xStride + b) =
                true;
    }
  return read;
}

class Shrinker {
public:
  Shrinker(const isa::Layout &layout, RandomProgram program, const Fails &fails,
           unsigned attempts)
      : layout(layout), program(legal(std::move(program))), fails(fails),
        attempts(attempts) {}

  RandomProgram run() {
    size_t before;
    do {
      before = program.instructions.size();
      dropInstructions();
      simplifyInstructions();
    } while (program.instructions.size() < before && attempts > 0);
    clearData();
    return program;
  }

private:
  // Without the instructions that are not legal any more.
  RandomProgram legal(RandomProgram candidate) const {
    StreamBuilder builder(layout, candidate.dram);
    for (const isa::Instruction &each : candidate.instructions)
      builder.append(each);
    candidate.instructions = builder.accepted();
    return candidate;
  }

  bool accept(RandomProgram candidate) {
    if (attempts == 0)
      return false;
    --attempts;
    candidate = legal(std::move(candidate));
    if (!fails(assembleRandomProgram(layout, candidate)))
      return false;
    program = std::move(candidate);
    return true;
  }

  void dropInstructions() {
    for (size_t chunk = std::max<size_t>(program.instructions.size() / 2, 1);;
         chunk = std::max<size_t>(chunk / 2, 1)) {
      bool dropped = false;
      // From the end: what is behind the failure goes first.
      for (size_t end = program.instructions.size(); end > 0 && attempts > 0;) {
        size_t begin = end - std::min(chunk, end);
        RandomProgram smaller = program;
        smaller.instructions.erase(smaller.instructions.begin() + begin,
                                   smaller.instructions.begin() + end);
        dropped |= accept(std::move(smaller));
        end = std::min(begin, program.instructions.size());
      }
      if (attempts == 0 || (chunk == 1 && !dropped))
        return;
    }
  }

  void simplifyInstructions() {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      while (simplify(i)) {
      }
  }

  bool simplify(size_t i) {
    if (i >= program.instructions.size())
      return false;
    Smaller smaller;
    std::visit(smaller, program.instructions[i]);
    for (const isa::Instruction &each : smaller.candidates) {
      RandomProgram candidate = program;
      candidate.instructions[i] = each;
      if (accept(std::move(candidate)))
        return true;
    }
    return false;
  }

  // Beats of zeros, halving what cannot be zeros as a whole.
  void clearData() {
    std::vector<bool> read = readBeats(layout, program);
    std::vector<size_t> beats;
    for (size_t b = 0; b < read.size(); ++b)
      if (read[b])
        beats.push_back(b);
    clear(beats, 0, beats.size());
  }

  void clear(const std::vector<size_t> &beats, size_t begin, size_t end) {
    if (begin == end || attempts == 0)
      return;
    RandomProgram candidate = program;
    for (size_t i = begin; i < end; ++i)
      std::fill_n(candidate.dram.begin() + beats[i] * layout.beatBytes,
                  layout.beatBytes, 0);
    // Micro-ops of zeros may make instructions illegal: nothing is to go now.
    if (legal(candidate).instructions.size() == program.instructions.size() &&
        accept(std::move(candidate)))
      return;
    if (end - begin == 1)
      return;
    clear(beats, begin, (begin + end) / 2);
    clear(beats, (begin + end) / 2, end);
  }

  const isa::Layout &layout;
  RandomProgram program;
  const Fails &fails;
  unsigned attempts;
};

} // namespace

RandomProgram shrink(const isa::Layout &layout, RandomProgram program,
                     const Fails &fails, unsigned attempts) {
  return Shrinker(layout, std::move(program), fails, attempts).run();
}

isa::Program withoutUnreadData(const isa::Layout &layout,
                               const RandomProgram &program) {
  isa::Program whole = assembleRandomProgram(layout, program);
  isa::Segment code = whole.segments(1);
  whole.clear_segments();
  std::vector<bool> read = readBeats(layout, program);
  for (size_t begin = 0; begin < read.size();) {
    if (!read[begin]) {
      ++begin;
      continue;
    }
    size_t end =
        std::find(read.begin() + begin, read.end(), false) - read.begin();
    isa::Segment *data = whole.add_segments();
    data->set_name(absl::StrCat("data", whole.segments_size()));
    data->set_offset(begin * layout.beatBytes);
    data->set_data(program.dram.data() + begin * layout.beatBytes,
                   (end - begin) * layout.beatBytes);
    begin = end;
  }
  *whole.add_segments() = code;
  return whole;
}

std::string testText(const isa::Program &program, const std::string &comment) {
  std::string text;
  for (absl::string_view line : absl::StrSplit(comment, '\n'))
    absl::StrAppend(&text, "; ", line, "\n");
  return text + isa::disassembleProgram(program, false);
}

} // namespace tenon::differential
