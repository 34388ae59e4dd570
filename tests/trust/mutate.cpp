// Part of Tenon, under the Apache License v2.0.

#include "tests/trust/mutate.h"

#include "isa/dram_image.h"

#include "fmt/format.h"

#include <algorithm>
#include <optional>

namespace tenon::trust {

using isa::Engine;
using isa::Instruction;

namespace {

uint32_t bitOf(Engine engine, Engine other) {
  auto others = isa::neighbours(engine);
  return 1u << (std::find(others.begin(), others.end(), other) -
                others.begin());
}

void setMasks(Instruction &instruction, uint32_t wait, uint32_t signal) {
  std::visit(
      [&](auto &in) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(in)>,
                                      isa::Finish>) {
          in.wait = wait;
          in.signal = signal;
        }
      },
      instruction);
}
void setWait(Instruction &in, uint32_t wait) {
  setMasks(in, wait, isa::signalOf(in));
}
void setSignal(Instruction &in, uint32_t signal) {
  setMasks(in, isa::waitOf(in), signal);
}

bool isFinish(const Instruction &in) {
  return std::holds_alternative<isa::Finish>(in);
}

/// One of the bits of a mask that is not 0.
uint32_t drawBit(uint32_t mask, std::mt19937_64 &random) {
  while (true)
    if (uint32_t bit = 1u << random() % 3; mask & bit)
      return bit;
}

/// The index of an instruction that satisfies `fits`; none after some tries.
template <typename Stream, typename Fits>
std::optional<size_t> drawIndex(const Stream &stream, std::mt19937_64 &random,
                                Fits &&fits) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    size_t index = random() % stream.size();
    if (!isFinish(stream[index].instruction) && fits(stream[index].instruction))
      return index;
  }
  return std::nullopt;
}

bool waits(const Instruction &in) { return isa::waitOf(in) != 0; }
bool signals(const Instruction &in) { return isa::signalOf(in) != 0; }

/// The next or previous instruction of the same engine and launch.
template <typename Stream>
std::optional<size_t> sibling(const Stream &stream, size_t index, int step) {
  Engine engine = isa::engineOf(stream[index].instruction);
  for (int64_t i = int64_t(index) + step; i >= 0 && i < int64_t(stream.size());
       i += step) {
    if (stream[i].launch != stream[index].launch)
      return std::nullopt;
    if (!isFinish(stream[i].instruction) &&
        isa::engineOf(stream[i].instruction) == engine)
      return size_t(i);
  }
  return std::nullopt;
}

/// A small distance, either way, rarely a large one.
int64_t drawDistance(std::mt19937_64 &random) {
  static constexpr int64_t distances[] = {1, 1, 2, 4, 8, 32, 256};
  int64_t distance = distances[random() % std::size(distances)];
  return random() % 2 ? distance : -distance;
}

void shift(uint32_t &field, std::mt19937_64 &random) {
  field = uint32_t(std::max<int64_t>(0, int64_t(field) + drawDistance(random)));
}

} // namespace

absl::StatusOr<Mutator> Mutator::create(const isa::Program &program) {
  auto layout = isa::Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  Mutator mutator(program, *layout);
  isa::DramImage image(program);
  uint32_t launches = 0;
  for (const isa::Step &step : program.steps()) {
    if (!step.has_launch())
      continue;
    for (uint64_t i = 0; i < step.launch().instruction_count(); ++i) {
      uint64_t at =
          step.launch().program_offset() + i * layout->instructionBytes;
      auto in =
          isa::decode(*layout, image.constant(at, layout->instructionBytes));
      if (!in.ok())
        return in.status();
      mutator.original.push_back({at, *std::move(in), launches});
    }
    ++launches;
  }
  if (mutator.original.empty())
    return absl::InvalidArgumentError("the program launches nothing");
  return mutator;
}

void Mutator::removeWait(Stream &stream, Random &random) const {
  if (auto i = drawIndex(stream, random, waits)) {
    Instruction &in = stream[*i].instruction;
    setWait(in, isa::waitOf(in) & ~drawBit(isa::waitOf(in), random));
  }
}

void Mutator::removeSignal(Stream &stream, Random &random) const {
  if (auto i = drawIndex(stream, random, signals)) {
    Instruction &in = stream[*i].instruction;
    setSignal(in, isa::signalOf(in) & ~drawBit(isa::signalOf(in), random));
  }
}

// The k-th signal of a channel and the k-th wait.
void Mutator::removePair(Stream &stream, Random &random) const {
  isa::Channel channel = isa::channels[random() % isa::channels.size()];
  std::vector<size_t> givers, takers;
  for (size_t i = 0; i < stream.size(); ++i) {
    const Instruction &in = stream[i].instruction;
    if (isFinish(in) || stream[i].launch != 0)
      continue;
    if (isa::engineOf(in) == channel.from &&
        isa::signalOf(in) & bitOf(channel.from, channel.to))
      givers.push_back(i);
    if (isa::engineOf(in) == channel.to &&
        isa::waitOf(in) & bitOf(channel.to, channel.from))
      takers.push_back(i);
  }
  if (givers.empty() || givers.size() != takers.size())
    return;
  size_t k = random() % givers.size();
  Instruction &giver = stream[givers[k]].instruction;
  setSignal(giver, isa::signalOf(giver) & ~bitOf(channel.from, channel.to));
  Instruction &taker = stream[takers[k]].instruction;
  setWait(taker, isa::waitOf(taker) & ~bitOf(channel.to, channel.from));
}

void Mutator::addWait(Stream &stream, Random &random) const {
  if (auto i = drawIndex(stream, random, [](auto &) { return true; })) {
    Instruction &in = stream[*i].instruction;
    setWait(in, isa::waitOf(in) | 1u << random() % 3);
  }
}

void Mutator::addSignal(Stream &stream, Random &random) const {
  if (auto i = drawIndex(stream, random, [](auto &) { return true; })) {
    Instruction &in = stream[*i].instruction;
    setSignal(in, isa::signalOf(in) | 1u << random() % 3);
  }
}

// A signal, and a wait for it soon after: often between tokens of the channel
// that then change partners.
void Mutator::addPair(Stream &stream, Random &random) const {
  isa::Channel channel = isa::channels[random() % isa::channels.size()];
  auto from = drawIndex(stream, random, [&](const Instruction &in) {
    return isa::engineOf(in) == channel.from &&
           !(isa::signalOf(in) & bitOf(channel.from, channel.to));
  });
  if (!from)
    return;
  for (size_t i = *from + 1; i < stream.size(); ++i) {
    Instruction &in = stream[i].instruction;
    if (isFinish(in))
      return;
    uint32_t bit = bitOf(channel.to, channel.from);
    if (isa::engineOf(in) != channel.to || isa::waitOf(in) & bit ||
        random() % 3 == 0)
      continue;
    setWait(in, isa::waitOf(in) | bit);
    Instruction &giver = stream[*from].instruction;
    setSignal(giver, isa::signalOf(giver) | bitOf(channel.from, channel.to));
    return;
  }
}

void Mutator::moveWait(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, waits);
  auto to = i ? sibling(stream, *i, random() % 2 ? 1 : -1) : std::nullopt;
  if (!to)
    return;
  Instruction &in = stream[*i].instruction, &other = stream[*to].instruction;
  uint32_t bit = drawBit(isa::waitOf(in), random);
  setWait(in, isa::waitOf(in) & ~bit);
  setWait(other, isa::waitOf(other) | bit);
}

void Mutator::moveSignal(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, signals);
  auto to = i ? sibling(stream, *i, random() % 2 ? 1 : -1) : std::nullopt;
  if (!to)
    return;
  Instruction &in = stream[*i].instruction, &other = stream[*to].instruction;
  uint32_t bit = drawBit(isa::signalOf(in), random);
  setSignal(in, isa::signalOf(in) & ~bit);
  setSignal(other, isa::signalOf(other) | bit);
}

// To, or from, another engine.
void Mutator::redirect(Stream &stream, Random &random) const {
  bool isWait = random() % 2;
  auto i = drawIndex(stream, random, isWait ? waits : signals);
  if (!i)
    return;
  Instruction &in = stream[*i].instruction;
  uint32_t mask = isWait ? isa::waitOf(in) : isa::signalOf(in);
  mask = (mask & ~drawBit(mask, random)) | 1u << random() % 3;
  isWait ? setWait(in, mask) : setSignal(in, mask);
}

// Two instructions of an engine, next to each other.
void Mutator::exchange(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, [](auto &) { return true; });
  auto to = i ? sibling(stream, *i, 1) : std::nullopt;
  if (to)
    std::swap(stream[*i].instruction, stream[*to].instruction);
}

void Mutator::moveScratchpad(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, [](const Instruction &in) {
    return std::holds_alternative<isa::Load>(in) ||
           std::holds_alternative<isa::Store>(in);
  });
  if (!i)
    return;
  if (auto *load = std::get_if<isa::Load>(&stream[*i].instruction))
    shift(load->sram, random);
  if (auto *store = std::get_if<isa::Store>(&stream[*i].instruction))
    shift(store->sram, random);
}

void Mutator::moveDram(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, [](const Instruction &in) {
    return std::holds_alternative<isa::Load>(in) ||
           std::holds_alternative<isa::Store>(in);
  });
  if (!i)
    return;
  if (auto *load = std::get_if<isa::Load>(&stream[*i].instruction))
    shift(random() % 4 ? load->dram : load->yStride, random);
  if (auto *store = std::get_if<isa::Store>(&stream[*i].instruction))
    shift(random() % 4 ? store->dram : store->yStride, random);
}

void Mutator::resize(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, [](const Instruction &in) {
    return !std::holds_alternative<isa::Set>(in);
  });
  if (!i)
    return;
  auto change = [&](uint32_t &a, uint32_t &b) {
    shift(random() % 2 ? a : b, random);
  };
  Instruction &in = stream[*i].instruction;
  if (auto *load = std::get_if<isa::Load>(&in))
    change(load->xSize, load->ySize);
  if (auto *store = std::get_if<isa::Store>(&in))
    change(store->xSize, store->ySize);
  if (auto *gemm = std::get_if<isa::Gemm>(&in))
    change(gemm->innerCount, gemm->uopCount);
  if (auto *alu = std::get_if<isa::Alu>(&in))
    change(alu->innerCount, alu->uopCount);
}

void Mutator::moveLoop(Stream &stream, Random &random) const {
  auto i = drawIndex(stream, random, [](const Instruction &in) {
    const auto *set = std::get_if<isa::Set>(&in);
    bool base = set && set->index == 1 &&
                (set->engine == Engine::Gemm || set->engine == Engine::Alu);
    return base || std::holds_alternative<isa::Gemm>(in) ||
           std::holds_alternative<isa::Alu>(in);
  });
  if (!i)
    return;
  auto change = [&](auto &loop) {
    uint32_t *fields[] = {&loop.uopBegin, &loop.dstInner, &loop.srcInner,
                          &loop.thirdInner, &loop.dstOuter};
    shift(*fields[random() % std::size(fields)], random);
  };
  Instruction &in = stream[*i].instruction;
  if (auto *set = std::get_if<isa::Set>(&in))
    shift(set->value, random);
  if (auto *gemm = std::get_if<isa::Gemm>(&in))
    change(*gemm);
  if (auto *alu = std::get_if<isa::Alu>(&in))
    change(*alu);
}

const std::vector<Mutator::Kind> &Mutator::changes() {
  static const auto *const all = new std::vector<Kind>{
      {"remove-wait", &Mutator::removeWait},
      {"remove-signal", &Mutator::removeSignal},
      {"remove-pair", &Mutator::removePair},
      {"add-wait", &Mutator::addWait},
      {"add-signal", &Mutator::addSignal},
      {"add-pair", &Mutator::addPair},
      {"move-wait", &Mutator::moveWait},
      {"move-signal", &Mutator::moveSignal},
      {"redirect", &Mutator::redirect},
      {"exchange", &Mutator::exchange},
      {"move-scratchpad", &Mutator::moveScratchpad},
      {"move-dram", &Mutator::moveDram},
      {"resize", &Mutator::resize},
      {"move-loop", &Mutator::moveLoop},
  };
  return *all;
}

std::vector<std::string> Mutator::kinds() {
  std::vector<std::string> names;
  for (const Kind &kind : changes())
    names.push_back(kind.name);
  return names;
}

Mutator::Mutant Mutator::draw(std::mt19937_64 &random) const {
  while (true) {
    const Kind &kind = changes()[random() % changes().size()];
    Stream stream = original;
    (this->*kind.change)(stream, random);
    Mutant mutant{kind.name, "", program};
    bool isDefined = true;
    for (size_t i = 0; i < stream.size(); ++i) {
      const Place &place = stream[i];
      std::string before = isa::disassemble(layout, original[i].instruction);
      if (!isa::validate(layout, place.instruction).ok()) {
        isDefined = false;
        break;
      }
      std::string after = isa::disassemble(layout, place.instruction);
      if (before == after)
        continue;
      mutant.description +=
          fmt::format("{}instruction {} `{}` becomes `{}`",
                      mutant.description.empty() ? "" : ", ", i, before, after);
      for (isa::Segment &segment : *mutant.program.mutable_segments())
        if (place.offset >= segment.offset() &&
            place.offset - segment.offset() < segment.data().size())
          isDefined &=
              isa::encode(layout, place.instruction,
                          reinterpret_cast<uint8_t *>(
                              &(*segment.mutable_data())[place.offset -
                                                         segment.offset()]))
                  .ok();
    }
    if (isDefined && !mutant.description.empty())
      return mutant;
  }
}

} // namespace tenon::trust
