// Part of Tenon, under the Apache License v2.0.
//
// Assembler text. What assembles must print to text that assembles to the same
// program.

#include "isa/assembler.h"
#include "isa/program.h"
#include "tests/fuzz/input/target.h"

namespace tenon::fuzz {

absl::Status assembly(absl::string_view input) {
  auto program = isa::assembleProgram(input, "input");
  if (!program.ok())
    return program.status();
  std::string text = isa::disassembleProgram(*program, /*annotate=*/true);
  auto again = isa::assembleProgram(text, "printed");
  if (!again.ok())
    broken("a program's text does not assemble: " + again.status().ToString() +
           "\n" + text);
  if (again->SerializeAsString() != program->SerializeAsString())
    broken("a program's text assembles to another program:\n" + text);
  return absl::OkStatus();
}

} // namespace tenon::fuzz
