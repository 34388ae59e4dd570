// Part of Tenon, under the Apache License v2.0.

#include "isa/verifier/operands.h"

#include "fmt/format.h"

namespace tenon::isa {
namespace {

constexpr uint32_t leastShift = 2, mostShift = 62; // of RESCALE
constexpr uint32_t mostImmediate = 31;             // of SHL, SHR, SHRR

bool isRescaleShift(uint32_t shift) {
  return shift >= leastShift && shift <= mostShift;
}

} // namespace

Operands::Operands(const Layout &layout)
    : layout(layout), parameters(layout.config.prm_entries()) {}

Operands::Entry Operands::entryAt(const uint8_t *element) const {
  if (!element)
    return {Entry::Unknown, 0, 0};
  uint32_t lanes = layout.config.block_out();
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (uint8_t shift = element[lanes * 8 + lane]; !isRescaleShift(shift))
      return {Entry::Illegal, shift, lane};
  return {};
}

void Operands::load(const Load &load, const DramImage &dram) {
  uint64_t at = load.sram;
  for (uint64_t y = 0; y < load.ySize; ++y)
    for (uint64_t x = 0; x < load.xSize; ++x) {
      uint64_t beat = load.dram + y * load.yStride + x * load.xStride;
      parameters[at++] =
          entryAt(dram.constant(beat * layout.beatBytes, layout.prmBytes));
    }
}

std::string Operands::check(const Alu &alu, const Accesses &accesses,
                            const AccessWalker &walker) const {
  if (alu.op == AluOp::Shl || alu.op == AluOp::Shr || alu.op == AluOp::Shrr) {
    uint32_t amount = walker.reg(AluRegister::Immediate);
    return amount <= mostImmediate
               ? ""
               : fmt::format("shifts by register immediate, {}; expected 0 to "
                             "{}",
                             int32_t(amount), mostImmediate);
  }
  uint32_t addShift = walker.reg(AluRegister::AddShift);
  if (alu.op == AluOp::QuantAdd && !isRescaleShift(addShift))
    return fmt::format("shifts by register add_shift, {}; expected {} to {}",
                       addShift, leastShift, mostShift);
  for (Interval units : accesses.readsOf(Space::Prm))
    for (uint64_t i = units.begin; i < units.end; ++i) {
      const Entry &entry = parameters[i];
      if (entry.kind == Entry::Illegal)
        return fmt::format("rescales with prm[{}], whose lane {} shifts by "
                           "{}; expected {} to {}",
                           i, entry.lane, entry.shift, leastShift, mostShift);
      if (entry.kind == Entry::Unknown)
        return fmt::format("rescales with prm[{}], which was loaded from DRAM "
                           "that the program does not define",
                           i);
    }
  return "";
}

} // namespace tenon::isa
