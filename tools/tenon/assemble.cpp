//===- tools/tenon/assemble.cpp - tenon asm, tenon dis --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"

#include "isa/assembler.h"
#include "isa/program.h"

#include "CLI/CLI.hpp"

namespace tenon::tools {

namespace {

struct Options {
  std::string input, output;
  bool plain = false;
};

int assemble(const Options &options) {
  auto text = isa::readFile(options.input);
  if (!text.ok())
    return report(text.status());
  auto program = isa::assembleProgram(*text, options.input);
  if (!program.ok())
    return report(program.status());
  auto bytes = isa::serializeProgram(*program);
  return report(bytes.ok() ? writeOutput(options.output, *bytes)
                           : bytes.status());
}

int disassemble(const Options &options) {
  auto program = isa::readProgram(options.input);
  if (!program.ok())
    return report(program.status());
  return report(writeOutput(options.output,
                            isa::disassembleProgram(*program, !options.plain)));
}

} // namespace

void addAssemble(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = program.add_subcommand("asm", "Assemble text to a program");
  verb->add_option("TEXT", options->input, "assembly file")->required();
  verb->add_option("-o,--output", options->output,
                   "program to write; '-' is stdout")
      ->required();
  verb->callback([options, &exitCode] { exitCode = assemble(*options); });
}

void addDisassemble(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  options->output = "-";
  CLI::App *verb = program.add_subcommand(
      "dis", "Disassemble a program; the text assembles to the same program");
  verb->add_option("PROGRAM", options->input, "compiled program")->required();
  verb->add_option("-o,--output", options->output,
                   "file to write; '-' is stdout")
      ->capture_default_str();
  verb->add_flag("--plain", options->plain,
                 "without the layer, tile and nodes behind each instruction");
  verb->callback([options, &exitCode] { exitCode = disassemble(*options); });
}

} // namespace tenon::tools
