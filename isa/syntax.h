// Part of Tenon, under the Apache License v2.0.
//
// How the fields of each format are written; read by assembler and
// disassembler. Private to the isa library.

#ifndef TENON_ISA_SYNTAX_H
#define TENON_ISA_SYNTAX_H

#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::isa {

/// One piece of an instruction's text.
struct SyntaxItem {
  enum Kind {
    Name,     // enumerator, first operand
    Flag,     // KEY: the field is 1
    Number,   // KEY=N
    Choice,   // KEY=enumerator
    Pair,     // KEY=N,N
    Range,    // KEY=BEGIN+COUNT
    Padding,  // KEY=N,N,N,N:enumerator; the last field is the enumerator
    Register, // NAME=VALUE; fields index, value
    Engines,  // KEY(ENGINE,..): a mask of neighbours
  };
  Kind kind;
  std::string key;
  /// Indices of the fields in the specification's format.
  std::vector<size_t> fields;
  /// Value of each field where the item is left out.
  uint64_t missing = 0;
  /// Printed even where every field has that value.
  bool always = false;
  bool hexadecimal = false;
};

/// The items of a format in the order they are printed.
const std::vector<SyntaxItem> &syntaxOf(uint32_t opcode);

/// A directive of program text, for the manual.
struct DirectiveHelp {
  const char *usage;
  const char *doc;
};
std::vector<DirectiveHelp> directiveHelp();

} // namespace tenon::isa

#endif // TENON_ISA_SYNTAX_H
