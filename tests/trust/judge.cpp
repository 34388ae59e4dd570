// Part of Tenon, under the Apache License v2.0.

#include "tests/trust/judge.h"

#include "isa/program.h"
#include "isa/verifier/verifier.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <random>

namespace tenon::trust {
namespace {

constexpr absl::string_view valueError = "it must fit 9 signed bits";
constexpr uint32_t mostDetecting = 3; // seeds that the race detector follows
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

/// The kind of all findings; empty if there are several, or some not listed.
std::string onlyKind(const isa::Verification &result) {
  for (const isa::Finding &finding : result.findings())
    if (finding.kind() != result.findings(0).kind())
      return "";
  return result.more() ? "" : result.findings(0).kind();
}

/// Whether the error is a read of what nothing has written, by an instruction
/// that a finding names: "STORE #2 (instruction 62 ...) `...` reads OUT[0],
/// ...".
bool readsTooEarly(absl::string_view error, absl::string_view findings) {
  return absl::StrContains(error, "which nothing has written") &&
         absl::StrContains(findings, error.substr(0, error.find('(') + 1));
}

/// Whether an execution's error is what the one kind of findings promises; any
/// is, where there are several. A value can stop an execution in front of a
/// race, a read can come before the write that it races with, and after a race
/// on micro-ops whatever stale ones do.
bool shows(absl::string_view error, absl::string_view kind,
           absl::string_view findings) {
  if (kind == "race")
    return absl::StrContains(error, "race: ") ||
           absl::StrContains(error, valueError) ||
           readsTooEarly(error, findings) ||
           absl::StrContains(findings, "s uop_");
  if (kind == "deadlock" || kind == "starved")
    return absl::StrContains(error, "deadlock: ");
  if (kind == "leftover")
    return absl::StrContains(error, "left over");
  return true;
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
        run.status = absl::AbortedError("an unpacked tensor is not written");
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

Verdict Judge::judgeFound(const isa::Program &program, const std::string &kind,
                          const std::string &text, Verdict verdict) {
  std::string shown;
  for (const Device &device : detecting) {
    absl::Status status = execute(*device, program, device.get()).status;
    if (status.ok())
      continue;
    if (shows(status.message(), kind, text))
      return verdict;
    absl::StrAppend(&shown, status.message(), "\n");
  }
  verdict.kind = Verdict::Unproved;
  if (shown.empty() && absl::StrContains(text, unprovable))
    return verdict;
  verdict.kind = Verdict::Disagree;
  verdict.text = absl::StrCat("executing shows ",
                              shown.empty() ? "nothing" : shown, " of: ", text);
  return verdict;
}

Verdict Judge::judge(const isa::Program &program, sim::Simulator *rtl) {
  auto result = isa::verify(program);
  if (!result.ok())
    return Verdict{Verdict::Disagree, "",
                   std::string(result.status().message())};
  if (result->verified())
    return judgeVerified(program, rtl);
  return judgeFound(program, onlyKind(*result), isa::findingsText(*result),
                    Verdict{Verdict::Found, result->findings(0).kind(), ""});
}

} // namespace tenon::trust
