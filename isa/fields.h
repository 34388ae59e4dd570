// Part of Tenon, under the Apache License v2.0.
//
// Instructions as arrays of field values in the order of the specification, so
// that codec, assembler and disassembler are loops over its tables. Private to
// the isa library; the definitions are generated.

#ifndef TENON_ISA_FIELDS_H
#define TENON_ISA_FIELDS_H

#include "isa/expression.h"
#include "isa/isa.h"

#include <array>
#include <cstdint>

namespace tenon::isa {

/// At least as many as the longest format has fields (checked when generated).
constexpr size_t maxFields = 32;
using FieldValues = std::array<uint64_t, maxFields>;

/// Values of the instruction's fields, `opcode` first.
FieldValues fieldValues(const Instruction &instruction);

/// The instruction of format `opcode` (one that exists) with these values. A
/// value of an enumerated field must be one of its numbers.
Instruction makeInstruction(uint32_t opcode, const FieldValues &values);

/// Copies every derived name into the layout's member of that name.
void assignDerived(Layout &layout, const Names &names);

} // namespace tenon::isa

#endif // TENON_ISA_FIELDS_H
