// Part of Tenon, under the Apache License v2.0.
//
// Encoding and decoding: loops over the layout's field positions.

#include "isa/fields.h"
#include "isa/specification.h"
#include "isa/validate.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

/// Stores value < 2^width, width <= 64, at bit `offset`, least significant bit
/// first. The bits must be zero before.
void putBits(uint8_t *out, uint32_t offset, uint32_t width, uint64_t value) {
  while (width > 0) {
    uint32_t shift = offset % 8, count = std::min(8 - shift, width);
    out[offset / 8] |= uint8_t(value << shift);
    value >>= count;
    offset += count;
    width -= count;
  }
}

uint64_t getBits(const uint8_t *in, uint32_t offset, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t done = 0; done < width;) {
    uint32_t shift = offset % 8, count = std::min(8 - shift, width - done);
    uint64_t bits = (in[offset / 8] >> shift) & ((1u << count) - 1);
    value |= bits << done;
    offset += count;
    done += count;
  }
  return value;
}

/// The first set bit from `begin` up to `end`, or `end`.
uint32_t findSetBit(const uint8_t *in, uint32_t begin, uint32_t end) {
  for (uint32_t bit = begin; bit < end;) {
    if (bit % 8 == 0 && in[bit / 8] == 0) {
      bit += 8;
      continue;
    }
    if (in[bit / 8] >> (bit % 8) & 1)
      return bit;
    ++bit;
  }
  return end;
}

uint32_t encodeUop(const FormatLayout &format, MicroOp uop) {
  const uint32_t values[] = {uop.dst, uop.src, uop.third};
  uint32_t word = 0;
  for (size_t i = 0; i < format.fields.size(); ++i) {
    uint64_t mask = (uint64_t{1} << format.fields[i].width) - 1;
    word |= uint32_t(values[i] & mask) << format.fields[i].offset;
  }
  return word;
}

MicroOp decodeUop(const FormatLayout &format, uint32_t word) {
  uint32_t values[3];
  for (size_t i = 0; i < 3; ++i) {
    uint64_t mask = (uint64_t{1} << format.fields[i].width) - 1;
    values[i] = uint32_t(word >> format.fields[i].offset & mask);
  }
  return {values[0], values[1], values[2]};
}

} // namespace

absl::Status encode(const Layout &layout, const Instruction &instruction,
                    uint8_t *out) {
  if (absl::Status status = validate(layout, instruction); !status.ok())
    return status;
  FieldValues values = fieldValues(instruction);
  const FormatLayout &format = layout.formats[instruction.index()];
  std::fill(out, out + layout.instructionBytes, 0);
  for (size_t i = 0; i < format.fields.size(); ++i)
    putBits(out, format.fields[i].offset, format.fields[i].width, values[i]);
  return absl::OkStatus();
}

absl::StatusOr<Instruction> decode(const Layout &layout, const uint8_t *in) {
  FieldPosition opcodeField = layout.formats[0].fields[0];
  uint64_t opcode = getBits(in, opcodeField.offset, opcodeField.width);
  if (opcode >= layout.formats.size())
    return absl::InvalidArgumentError(
        fmt::format("opcode {} is not defined: expected 0 to {}", opcode,
                    layout.formats.size() - 1));
  const FormatLayout &format = layout.formats[opcode];
  uint32_t end = layout.instructionBytes * 8;
  if (uint32_t bit = findSetBit(in, format.bits, end); bit != end)
    return absl::InvalidArgumentError(fmt::format(
        "{}: bit {} is set; bits {} to {} are unused and must be zero",
        specification().formats(opcode).name(), bit, format.bits, end - 1));
  FieldValues values{};
  for (size_t i = 0; i < format.fields.size(); ++i)
    values[i] = getBits(in, format.fields[i].offset, format.fields[i].width);
  if (absl::Status status = validateFields(layout, opcode, values);
      !status.ok())
    return status;
  Instruction result = makeInstruction(opcode, values);
  if (absl::Status status = validateMeaning(layout, result); !status.ok())
    return status;
  return result;
}

uint32_t encodeGemmUop(const Layout &layout, MicroOp uop) {
  return encodeUop(layout.microOps[0], uop);
}
uint32_t encodeAluUop(const Layout &layout, MicroOp uop) {
  return encodeUop(layout.microOps[1], uop);
}
MicroOp decodeGemmUop(const Layout &layout, uint32_t word) {
  return decodeUop(layout.microOps[0], word);
}
MicroOp decodeAluUop(const Layout &layout, uint32_t word) {
  return decodeUop(layout.microOps[1], word);
}

} // namespace tenon::isa
