//===- tools/tenon/verify.cpp - tenon verify ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/verify.h"

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/result.h"

#include "isa/assembler.h"
#include "isa/files.h"
#include "isa/program.h"
#include "isa/verifier/verifier.h"

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"

namespace tenon::tools {

namespace {

struct Options {
  std::string input, json;
  uint32_t findings = 20;
  bool superfluous = false;
};

absl::StatusOr<isa::Program> readEither(const std::string &path) {
  if (!absl::EndsWith(path, ".tasm"))
    return isa::readProgram(path);
  auto text = isa::readFile(path);
  if (!text.ok())
    return text.status();
  return isa::assembleProgram(*text, path);
}

std::string countsText(const isa::Verification &result) {
  return fmt::format("{} instructions in {} launch{}, {} tokens ({} "
                     "superfluous), {:.2f} s",
                     result.instructions(), result.launches(),
                     result.launches() == 1 ? "" : "es", result.tokens(),
                     result.superfluous_tokens(), result.seconds());
}

std::string notLookedAt(const isa::Verification &result) {
  if (!result.executables())
    return "";
  return fmt::format("not looked at: host code, {} executable{} of {} bytes\n",
                     result.executables(), result.executables() == 1 ? "" : "s",
                     result.executable_bytes());
}

int verify(const Options &options) {
  auto program = readEither(options.input);
  if (!program.ok())
    return report(program.status());
  auto result = isa::verify(*program, options.findings);
  if (!result.ok())
    return report(result.status());
  if (!options.json.empty())
    if (auto status = writeOutput(options.json, isa::toJson(*result));
        !status.ok())
      return report(status);
  if (options.json != "-") {
    std::string text =
        absl::StrCat(isa::findingsText(*result),
                     options.superfluous ? isa::superfluousText(*result) : "",
                     result->verified() ? "verified: " : "not verified: ",
                     countsText(*result), "\n", notLookedAt(*result));
    if (auto status = writeOutput("-", text); !status.ok())
      return report(status);
  }
  return result->verified() ? ExitDone : ExitCheckFailed;
}

} // namespace

int reportUnverified(const std::string &path,
                     const isa::Verification &verification) {
  fmt::print(stderr,
             "tenon: '{}' does not verify; --no-verify runs it all the "
             "same\n{}",
             path, isa::findingsText(verification));
  return ExitCheckFailed;
}

void addVerify(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = program.add_subcommand(
      "verify", "Prove a program free of races, deadlock and undefined "
                "behaviour, or say where it is not");
  verb->add_option("PROGRAM", options->input,
                   "compiled program, or assembly in .tasm")
      ->required();
  verb->add_option("--json", options->json,
                   "file for the findings as JSON; '-' is stdout");
  verb->add_flag("--superfluous", options->superfluous,
                 "list tokens that no conflict needs");
  verb->add_option("--findings", options->findings,
                   "findings to list; the others are counted")
      ->capture_default_str();
  verb->callback([options, &exitCode] { exitCode = verify(*options); });
}

} // namespace tenon::tools
