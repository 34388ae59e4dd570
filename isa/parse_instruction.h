// Part of Tenon, under the Apache License v2.0.
//
// One line of assembler text to one instruction. Private to the isa library.

#ifndef TENON_ISA_PARSE_INSTRUCTION_H
#define TENON_ISA_PARSE_INSTRUCTION_H

#include "isa/isa.h"
#include "isa/scanner.h"

namespace tenon::isa {

/// Parses and validates the instruction that the rest of the line holds.
absl::StatusOr<Instruction> parseInstruction(const Layout &layout,
                                             Scanner &scanner);

/// Whether a line that begins with this word is an instruction.
bool isMnemonic(absl::string_view word);

} // namespace tenon::isa

#endif // TENON_ISA_PARSE_INSTRUCTION_H
