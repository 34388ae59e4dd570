// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/coverage.h"

#include "isa/specification.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tenon::differential {
namespace {

using isa::Engine;

std::string nameOf(Engine engine) { return std::string(toString(engine)); }

bool isMask(const std::string &field) {
  return field == "wait" || field == "signal";
}

// Named by a register, or chosen with it.
bool isOfSet(const isa::spec::Format &format) { return format.name() == "set"; }

const isa::spec::Enumeration *enumerationOf(const isa::spec::Field &field) {
  for (const auto &each : isa::specification().enumerations())
    if (!field.enumeration().empty() && each.name() == field.enumeration())
      return &each;
  return nullptr;
}

std::string channelPoint(const std::string &format, const std::string &field,
                         Engine self, Engine other) {
  return absl::StrCat(format, " of ", nameOf(self), ": ", field, " ",
                      nameOf(other));
}

std::vector<Engine> partners(Engine self, bool gives) {
  std::vector<Engine> found;
  for (Engine other : isa::neighbours(self))
    if (gives ? isa::hasChannel(self, other) : isa::hasChannel(other, self))
      found.push_back(other);
  return found;
}

std::string tokenPoint(const char *how, Engine from, Engine to) {
  return absl::StrCat("channel ", nameOf(from), " to ", nameOf(to), ": ", how);
}

std::string paddingPoint(isa::Memory memory, isa::Pad kind) {
  return absl::StrCat("padding of ", toString(memory), ": ", toString(kind));
}

std::string overlapPoint(unsigned a, unsigned b) {
  return absl::StrCat("busy at once: ", nameOf(Engine(a)), " and ",
                      nameOf(Engine(b)));
}

Engine engineNamed(const std::string &name) {
  unsigned e = 0;
  while (e + 1 < isa::engineCount && nameOf(Engine(e)) != name)
    ++e;
  return Engine(e);
}

uint64_t bitsAt(const uint8_t *code, isa::FieldPosition position) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < position.width; ++i) {
    uint32_t bit = position.offset + i;
    value |= uint64_t(code[bit / 8] >> bit % 8 & 1) << i;
  }
  return value;
}

bool isCount(const std::string &field) {
  return field == "y_size" || field == "x_size" || field == "uop_count" ||
         field == "outer_count" || field == "inner_count";
}

// The greatest value of a numeric field.
uint64_t mostOf(const isa::Layout &layout, const isa::Instruction &instruction,
                const std::string &field, uint32_t width) {
  if (field == "sram") {
    const auto *load = std::get_if<isa::Load>(&instruction);
    return (load ? layout.entries(load->memory) : layout.config.out_entries()) -
           1;
  }
  return (uint64_t(1) << width) - 1;
}

} // namespace

Coverage::Coverage() {
  for (const auto &format : isa::specification().formats())
    for (const auto &field : format.fields()) {
      std::string point = absl::StrCat(format.name(), ".", field.name());
      if (field.name() == "opcode" ||
          (isOfSet(format) && !isMask(field.name())))
        continue;
      if (isMask(field.name())) {
        for (unsigned e = 0; e < isa::engineCount; ++e)
          if (isOfSet(format) || format.engine() == nameOf(Engine(e)))
            for (Engine other : partners(Engine(e), field.name() == "signal"))
              counts[channelPoint(format.name(), field.name(), Engine(e),
                                  other)];
      } else if (const auto *values = enumerationOf(field)) {
        for (const auto &value : values->values())
          counts[absl::StrCat(point, " = ", value.name())];
      } else {
        counts[point + " = least"];
        counts[point + " = most"];
      }
    }
  for (const auto &format : isa::specification().micro_ops())
    for (const auto &field : format.fields())
      for (const char *extreme : {" = least", " = most"})
        counts[absl::StrCat(format.name(), ".", field.name(), extreme)];
  for (const auto &each : isa::specification().registers())
    for (const char *extreme : {" = least", " = most", " = zero"})
      if (each.is_signed() || extreme != std::string(" = zero"))
        counts[absl::StrCat(each.engine(), ".", each.name(), extreme)];
  for (isa::Memory memory :
       {isa::Memory::Inp, isa::Memory::Acc, isa::Memory::Acc8})
    for (isa::Pad kind :
         {isa::Pad::Zero, isa::Pad::Min, isa::Pad::Max, isa::Pad::Value})
      counts[paddingPoint(memory, kind)];
  for (const isa::Channel &channel : isa::channels) {
    counts[tokenPoint("empty", channel.from, channel.to)];
    counts[tokenPoint("full", channel.from, channel.to)];
  }
  for (unsigned a = 0; a < isa::engineCount; ++a)
    for (unsigned b = a + 1; b < isa::engineCount; ++b)
      counts[overlapPoint(a, b)];
}

void Coverage::reach(const std::string &point) {
  auto found = counts.find(point);
  if (found != counts.end())
    ++found->second;
}

void Coverage::add(const isa::Layout &layout, const isa::Program &program) {
  const isa::Launch &launch = program.steps(0).launch();
  for (const isa::Segment &segment : program.segments()) {
    if (segment.offset() != launch.program_offset())
      continue;
    auto code = reinterpret_cast<const uint8_t *>(segment.data().data());
    for (uint64_t i = 0; i < launch.instruction_count(); ++i) {
      const uint8_t *at = code + i * layout.instructionBytes;
      auto instruction = isa::decode(layout, at);
      if (!instruction.ok() ||
          std::holds_alternative<isa::Finish>(*instruction))
        break;
      addInstruction(layout, at, *instruction);
      if (const auto *load = std::get_if<isa::Load>(&*instruction))
        addMicroOps(layout, program, *load);
    }
  }
}

void Coverage::addInstruction(const isa::Layout &layout, const uint8_t *code,
                              const isa::Instruction &instruction) {
  uint64_t opcode = bitsAt(code, layout.formats[0].fields[0]);
  const isa::spec::Format &format = isa::specification().formats(int(opcode));
  if (const auto *set = std::get_if<isa::Set>(&instruction))
    addRegister(layout, *set);
  const auto *load = std::get_if<isa::Load>(&instruction);
  if (load && load->padTop + load->padBottom + load->padLeft + load->padRight)
    reach(paddingPoint(load->memory, load->padKind));
  for (int f = 1; f < format.fields_size(); ++f) {
    const isa::spec::Field &field = format.fields(f);
    isa::FieldPosition position = layout.formats[opcode].fields[f];
    uint64_t value = bitsAt(code, position);
    std::string point = absl::StrCat(format.name(), ".", field.name());
    if (isMask(field.name()))
      addMask(format.name(), field.name(), isa::engineOf(instruction), value);
    else if (const auto *values = enumerationOf(field))
      reach(absl::StrCat(point, " = ", values->values(int(value)).name()));
    else {
      if (value == (isCount(field.name()) ? 1 : 0))
        reach(point + " = least");
      if (value == mostOf(layout, instruction, field.name(), position.width))
        reach(point + " = most");
    }
  }
}

void Coverage::addMask(const std::string &format, const std::string &field,
                       Engine engine, uint64_t mask) {
  auto others = isa::neighbours(engine);
  for (size_t i = 0; i < others.size(); ++i)
    if (mask >> i & 1)
      reach(channelPoint(format, field, engine, others[i]));
}

void Coverage::addRegister(const isa::Layout &layout, const isa::Set &set) {
  for (const auto &each : isa::specification().registers()) {
    if (engineNamed(each.engine()) != set.engine || each.number() != set.index)
      continue;
    std::string point = absl::StrCat(each.engine(), ".", each.name());
    uint32_t bits = layout.registerBits(set.engine, set.index);
    int64_t least = each.is_signed() ? -(int64_t(1) << (bits - 1)) : 0;
    int64_t most = (int64_t(1) << (each.is_signed() ? bits - 1 : bits)) - 1;
    int64_t value =
        each.is_signed() ? int64_t(int32_t(set.value)) : int64_t(set.value);
    if (each.name() == "gemm_base")
      most = isa::encodeGemmUop(layout, {~0u, ~0u, ~0u});
    if (each.name() == "alu_base")
      most = isa::encodeAluUop(layout, {~0u, ~0u, ~0u});
    if (each.name() == "add_shift")
      least = 2, most = 62;
    for (auto [name, extreme] :
         {std::pair(" = least", least), std::pair(" = most", most),
          std::pair(" = zero", int64_t(0))})
      if (value == extreme)
        reach(point + name);
  }
}

// Those that are in DRAM when the program starts.
void Coverage::addMicroOps(const isa::Layout &layout,
                           const isa::Program &program, const isa::Load &load) {
  bool gemm = load.memory == isa::Memory::UopGemm;
  if (!gemm && load.memory != isa::Memory::UopAlu)
    return;
  const auto &format = isa::specification().micro_ops(gemm ? 0 : 1);
  const std::string &data = program.segments(0).data();
  uint64_t begin = uint64_t(load.dram) * layout.beatBytes;
  for (uint64_t at = begin;
       at < begin + layout.beatBytes * load.xSize && at + 4 <= data.size();
       at += 4)
    for (int f = 0; f < format.fields_size(); ++f) {
      isa::FieldPosition position = layout.microOps[gemm ? 0 : 1].fields[f];
      uint64_t value =
          bitsAt(reinterpret_cast<const uint8_t *>(&data[at]), position);
      std::string point =
          absl::StrCat(format.name(), ".", format.fields(f).name());
      if (value == 0)
        reach(point + " = least");
      if (value == (uint64_t(1) << position.width) - 1)
        reach(point + " = most");
    }
}

void Coverage::add(const Activity &activity) {
  for (unsigned e = 0; e < isa::engineCount; ++e) {
    auto others = isa::neighbours(Engine(e));
    for (size_t i = 0; i < others.size(); ++i) {
      if (activity.emptyChannels >> (3 * e + i) & 1)
        reach(tokenPoint("empty", others[i], Engine(e)));
      if (activity.fullChannels >> (3 * e + i) & 1)
        reach(tokenPoint("full", Engine(e), others[i]));
    }
    for (unsigned b = e + 1; b < isa::engineCount; ++b)
      if (activity.overlaps >> (4 * e + b) & 1)
        reach(overlapPoint(e, b));
  }
}

std::string Coverage::reason(const std::string &point) {
  if (point == "load.dram = most" || point == "store.dram = most")
    return "the last of 2^28 beats: at least 1 GiB of DRAM";
  return "";
}

} // namespace tenon::differential
