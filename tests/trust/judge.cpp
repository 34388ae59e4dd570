// Part of Tenon, under the Apache License v2.0.

#include "tests/trust/judge.h"

#include "isa/program.h"
#include "isa/verifier/verifier.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>

namespace tenon::trust {
namespace {

constexpr absl::string_view valueError = "it must fit 9 signed bits";
constexpr uint32_t mostDetecting = 3; // seeds that the race detector follows
// An operand that an instruction refuses: valueError, or the shift of a
// rescale.
constexpr absl::string_view operandError = "it must ";
constexpr absl::string_view unwritten = "which nothing has written";
constexpr absl::string_view notUnpacked = "an unpacked tensor is not written";
constexpr uint32_t allFindings = 1 << 20;
constexpr absl::string_view unprovable = "that the program does not define";

absl::Status write(sim::Simulator &device, uint64_t offset,
                   const std::string &data) {
  return device.write(
      offset, absl::MakeConstSpan(
                  reinterpret_cast<const uint8_t *>(data.data()), data.size()));
}

/// The usual memory, one that answers at once, and a slow and narrow one: other
/// engines get ahead in each.
std::vector<sim::MemoryTiming> timings() {
  std::vector<sim::MemoryTiming> result(3);
  result[1].latency = 1;
  result[2].latency = 300;
  result[2].bytesPerCycle = 2;
  result[2].outstanding = 3;
  return result;
}

/// The instruction that an error is of: "STORE #2 (instruction 62 of ...) `...`
/// reads OUT[0], ...".
struct Subject {
  std::string engine; // as isa::Place has it
  uint32_t number = 0, index = 0;
};
std::optional<Subject> subjectOf(absl::string_view error) {
  char engine[8];
  unsigned number, index;
  if (std::sscanf(std::string(error).c_str(), "%7[A-Z] #%u (instruction %u",
                  engine, &number, &index) != 3)
    return std::nullopt;
  return Subject{absl::AsciiStrToLower(engine), number, index};
}

/// Whether a race lets an error about values that are not those of the program
/// come up. It is told once for all that the missing token puts in order: what
/// stands in front of the one instruction may see micro-ops of LOADs behind the
/// other, and what stands behind that one reads before anything is written.
bool isUnordered(absl::string_view error, const isa::Finding &race) {
  const bool isUnwritten = absl::StrContains(error, unwritten);
  const auto of = subjectOf(error);
  if (!of || (!isUnwritten && !absl::StrContains(error, ", micro-op ")))
    return false;
  return std::any_of(race.instructions().begin(), race.instructions().end(),
                     [&](const isa::Place &place) {
                       return of->index <= place.index() ||
                              (isUnwritten && of->engine == place.engine() &&
                               of->number >= place.number());
                     });
}

/// Whether a finding is about micro-ops: with stale ones an instruction may do
/// anything.
bool isOfMicroOps(const isa::Finding &finding) {
  return absl::StartsWith(finding.space(), "uop_") ||
         absl::StrContains(finding.message(), "micro-op");
}

/// Whether a STORE may write to the program before FETCH has read it: then
/// another one is executed, with any end.
bool isOfFetch(const isa::Finding &race) {
  return std::any_of(
      race.instructions().begin(), race.instructions().end(),
      [](const isa::Place &place) { return place.engine() == "fetch"; });
}

/// Whether an execution may end with the error for what this finding says. A
/// value can stop it in front of a race.
bool promises(const isa::Finding &finding, absl::string_view error) {
  const std::string &kind = finding.kind();
  auto says = [&](absl::string_view text) {
    return absl::StrContains(error, text);
  };
  if (kind == "race")
    return says("race: ") || says(operandError) || isOfMicroOps(finding) ||
           isOfFetch(finding) || isUnordered(error, finding);
  if (kind == "undefined")
    return says(unwritten) || says(notUnpacked) || says(operandError) ||
           isOfMicroOps(finding);
  if (kind == "deadlock" || kind == "starved")
    return says("deadlock: ");
  if (kind == "leftover")
    return says("left over");
  // The verifier looks no further at such an instruction.
  if (kind == "bounds")
    return says("outside of") || says("entries") || says(": micro-ops ") ||
           (says("race: ") && !finding.instructions().empty() &&
            says(absl::StrCat("(instruction ", finding.instructions(0).index(),
                              " ")));
  if (kind == "encoding")
    return says("undefined encoding") || says(operandError);
  if (kind == "finish")
    return says("has no FINISH");
  return false;
}

} // namespace

absl::StatusOr<Judge> Judge::create(const isa::Configuration &configuration,
                                    uint32_t interleavings) {
  Judge judge;
  for (uint32_t seed = 0; seed <= interleavings; ++seed)
    for (bool detect : {false, true}) {
      if (detect && seed > mostDetecting)
        continue;
      auto device = sim::FunctionalDevice::create(
          configuration, seed ? std::optional<uint64_t>(seed) : std::nullopt,
          detect);
      if (!device.ok())
        return device.status();
      (detect ? judge.detecting : judge.plain).push_back(*std::move(device));
    }
  return judge;
}

Judge::Run Judge::execute(sim::Simulator &device, const isa::Program &program,
                          const sim::FunctionalDevice *detecting,
                          const sim::MemoryTiming &memory) const {
  Run run;
  auto layout = isa::Layout::get(program.configuration());
  std::mt19937_64 random(program.dram_bytes());
  run.status = device.allocate(program.dram_bytes());
  for (const isa::Segment &segment : program.segments())
    if (run.status.ok())
      run.status = write(device, segment.offset(), segment.data());
  for (const isa::Step &step : program.steps()) {
    if (!run.status.ok())
      return run;
    if (step.has_pack()) {
      const isa::DramTensor &tensor = program.tensors(step.pack().tensor());
      std::string data(isa::dramBytes(*layout, tensor), 0);
      for (char &byte : data)
        byte = char(random());
      run.status = write(device, tensor.offset(), data);
    }
    if (step.has_unpack() && detecting) {
      const isa::DramTensor &tensor = program.tensors(step.unpack().tensor());
      uint64_t bytes = isa::dramBytes(*layout, tensor);
      if (detecting->firstUndefined(tensor.offset(), bytes) !=
          tensor.offset() + bytes)
        run.status = absl::AbortedError(notUnpacked);
    }
    if (step.has_launch()) {
      sim::LaunchOptions options;
      options.memory = memory;
      options.programOffset = step.launch().program_offset();
      options.instructionCount = step.launch().instruction_count();
      run.status = device.launch(options).status();
    }
  }
  run.dram.resize(program.dram_bytes());
  if (run.status.ok())
    run.status = device.read(0, absl::MakeSpan(run.dram));
  return run;
}

Verdict Judge::judgeVerified(const isa::Program &program, sim::Simulator *rtl) {
  auto disagree = [](auto &&...text) {
    return Verdict{Verdict::Disagree, "",
                   absl::StrCat("it verifies, but ", text...)};
  };
  Run want = execute(*plain[0], program);
  bool valued = absl::StrContains(want.status.message(), valueError);
  if (!want.status.ok() && !valued)
    return disagree("the default order fails: ", want.status.message());
  for (size_t seed = 0; seed < detecting.size(); ++seed) {
    Run run = execute(*detecting[seed], program, detecting[seed].get());
    // Which of several values stops an interleaving first is its own.
    if (!run.status.ok() &&
        !(valued && absl::StrContains(run.status.message(), valueError)))
      return disagree("the race detector, seed ", seed,
                      ", says: ", run.status.message());
  }
  if (valued)
    return Verdict{Verdict::Valued, "", ""};
  for (size_t seed = 1; seed < plain.size(); ++seed) {
    Run run = execute(*plain[seed], program);
    if (!run.status.ok())
      return disagree("interleaving ", seed, " fails: ", run.status.message());
    if (run.dram != want.dram)
      return disagree("interleaving ", seed, " leaves another memory");
  }
  if (!rtl)
    return Verdict{};
  for (const sim::MemoryTiming &memory : timings()) {
    Run run = execute(*rtl, program, nullptr, memory);
    if (!run.status.ok())
      return disagree("the RTL fails at a latency of ", memory.latency, ": ",
                      run.status.message());
    if (run.dram != want.dram)
      return disagree("the RTL leaves another memory at a latency of ",
                      memory.latency);
  }
  return Verdict{Verdict::Verified, "", "", true};
}

Verdict Judge::judgeFound(const isa::Program &program,
                          const isa::Verification &findings) {
  Verdict verdict{Verdict::Found, findings.findings(0).kind(), ""};
  bool shown = false;
  auto disagree = [&](auto &&...text) {
    verdict.kind = Verdict::Disagree;
    verdict.text = absl::StrCat(text..., " of: ", isa::findingsText(findings));
    return verdict;
  };
  for (const Device &device : detecting) {
    absl::Status status = execute(*device, program, device.get()).status;
    if (status.ok())
      continue;
    if (!isPromised(status.message(), findings))
      return disagree("executing shows ", status.message(), ", not one");
    shown = true;
  }
  if (shown)
    return verdict;
  if (!absl::StrContains(isa::findingsText(findings), unprovable))
    return disagree("executing shows nothing");
  verdict.kind = Verdict::Unproved;
  return verdict;
}

Verdict Judge::judge(const isa::Program &program, sim::Simulator *rtl) {
  auto result = isa::verify(program, allFindings);
  if (!result.ok())
    return Verdict{Verdict::Disagree, "",
                   std::string(result.status().message())};
  return result->verified() ? judgeVerified(program, rtl)
                            : judgeFound(program, *result);
}

bool isPromised(absl::string_view error, const isa::Verification &findings) {
  return std::any_of(
      findings.findings().begin(), findings.findings().end(),
      [&](const isa::Finding &finding) { return promises(finding, error); });
}

} // namespace tenon::trust
