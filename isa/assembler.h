// Part of Tenon, under the Apache License v2.0.
//
// Assembler text. Line based; ';' begins a comment. Both directions are driven
// by one table (isa/syntax.h) and lossless.
// The grammar is in docs/isa.md, section "Assembler text".

#ifndef TENON_ISA_ASSEMBLER_H
#define TENON_ISA_ASSEMBLER_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include <string>
#include <vector>

namespace tenon::isa {

/// Instructions only, no directives. Errors begin with source:line:column and
/// say what was expected; every instruction is validated.
absl::StatusOr<std::vector<Instruction>>
assemble(const Layout &layout, absl::string_view text,
         absl::string_view source = "input");

/// A whole program, validated as by validateProgram.
absl::StatusOr<Program> assembleProgram(absl::string_view text,
                                        absl::string_view source);

/// The text of a program. With `annotate` each launched instruction has a
/// comment with its number in its engine, layer, tile and network nodes.
/// Bytes that are launched but do not decode come out as data.
std::string disassembleProgram(const Program &program, bool annotate);

} // namespace tenon::isa

#endif // TENON_ISA_ASSEMBLER_H
