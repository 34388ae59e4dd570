//===- tools/tenon/commands.h - The verbs -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Each function adds one verb with its options to the program; the verb's exit
// code goes to `exitCode` when it runs.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_COMMANDS_H
#define TENON_TOOLS_TENON_COMMANDS_H

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

void addRun(CLI::App &program, int &exitCode);
void addCompile(CLI::App &program, int &exitCode);
void addAssemble(CLI::App &program, int &exitCode);
void addDisassemble(CLI::App &program, int &exitCode);
void addBench(CLI::App &program, int &exitCode);
void addVerify(CLI::App &program, int &exitCode);
void addQuantize(CLI::App &program, int &exitCode);
void addReport(CLI::App &program, int &exitCode);
void addInspect(CLI::App &program, int &exitCode);
void addConfig(CLI::App &program, int &exitCode);
void addFpga(CLI::App &program, int &exitCode);
/// A verb of `tenon fpga`.
void addFpgaSimulate(CLI::App &fpga, int &exitCode);
void addDoctor(CLI::App &program, int &exitCode);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_COMMANDS_H
