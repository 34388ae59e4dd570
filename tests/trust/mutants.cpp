// Part of Tenon, under the Apache License v2.0.

#include "tests/trust/mutants.h"

#include "isa/assembler.h"
#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/program.h"
#include "sim/rtl/rtl_device.h"
#include "tests/differential/random_program.h"
#include "tests/trust/mutate.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include <map>

namespace tenon::trust {
namespace {

/// "CONFIGURATION:SEED"
absl::StatusOr<isa::Program> randomProgram(const std::string &name) {
  std::pair<std::string, std::string> parts =
      absl::StrSplit(name, absl::MaxSplits(':', 1));
  uint64_t number, seed;
  if (!absl::SimpleAtoi(parts.second, &seed))
    return absl::InvalidArgumentError(absl::StrCat(
        "'random:", name, "': expected random:CONFIGURATION:SEED"));
  absl::StatusOr<isa::Configuration> configuration;
  if (absl::SimpleAtoi(parts.first, &number)) {
    std::mt19937_64 random(number);
    configuration = isa::randomConfiguration(random);
  } else {
    configuration = isa::loadConfiguration(parts.first);
  }
  if (!configuration.ok())
    return configuration.status();
  auto layout = isa::Layout::get(*configuration);
  if (!layout.ok())
    return layout.status();
  constexpr uint32_t size = 40;
  return differential::assembleRandomProgram(
      *layout, differential::randomProgram(*layout, seed, size));
}

absl::StatusOr<isa::Program> readAny(const std::string &path) {
  if (absl::StartsWith(path, "random:"))
    return randomProgram(path.substr(7));
  if (!absl::EndsWith(path, ".tasm"))
    return isa::readProgram(path);
  auto text = isa::readFile(path);
  return text.ok() ? isa::assembleProgram(*text, path) : text.status();
}

void count(const Verdict &verdict, Figures &figures) {
  auto is = [&](Verdict::Kind kind) { return uint32_t(verdict.kind == kind); };
  figures.set_mutants(figures.mutants() + 1);
  figures.set_verified(figures.verified() + is(Verdict::Verified));
  figures.set_valued(figures.valued() + is(Verdict::Valued));
  figures.set_found(figures.found() + is(Verdict::Found));
  figures.set_unproved(figures.unproved() + is(Verdict::Unproved));
  figures.set_on_rtl(figures.on_rtl() + verdict.onRtl);
  if (!verdict.finding.empty())
    ++(*figures.mutable_findings())[verdict.finding];
}

template <typename Key, typename Value>
std::map<Key, Value> sorted(const google::protobuf::Map<Key, Value> &map) {
  return {map.begin(), map.end()};
}

/// Mutant i of a program has a seed of its own, so that one can be repeated,
/// and other programs have others.
std::mt19937_64 randomOf(const isa::Program &program, uint64_t seed) {
  std::seed_seq seeds{uint32_t(seed), uint32_t(seed >> 32),
                      uint32_t(program.dram_bytes()),
                      uint32_t(program.ByteSizeLong())};
  return std::mt19937_64(seeds);
}

absl::Status judgeProgram(const Options &options, const std::string &path,
                          Figures &figures) {
  auto program = readAny(path);
  if (!program.ok())
    return program.status();
  auto mutator = Mutator::create(*program);
  auto judge = Judge::create(program->configuration(), options.interleavings);
  if (!mutator.ok() || !judge.ok())
    return mutator.ok() ? judge.status() : mutator.status();
  std::unique_ptr<sim::Simulator> rtl;
  if (options.onRtl) {
    auto device = sim::RtlDevice::create(program->configuration());
    if (!device.ok())
      return device.status();
    rtl = *std::move(device);
  }
  Verdict original = judge->judge(*program, rtl.get());
  if (original.kind != Verdict::Verified)
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is not verified as it is: ", original.finding, original.text));
  figures.set_programs(figures.programs() + 1);
  uint32_t onRtl = 0;
  for (uint32_t i = 0; i < options.mutants; ++i) {
    std::mt19937_64 random = randomOf(*program, options.seed + i);
    Mutator::Mutant mutant = mutator->draw(random);
    Verdict verdict = judge->judge(mutant.program,
                                   onRtl < options.onRtl ? rtl.get() : nullptr);
    onRtl += verdict.onRtl;
    count(verdict, figures);
    KindFigures &kind = (*figures.mutable_kinds())[mutant.kind];
    kind.set_drawn(kind.drawn() + 1);
    kind.set_found(kind.found() + (verdict.kind == Verdict::Found));
    if (verdict.kind == Verdict::Disagree)
      figures.add_disagreements(fmt::format(
          "{} ({}): {}\n  {}\n  repeat: tenon-mutants --seed {} --mutants 1 {}",
          path, mutant.kind, verdict.text, mutant.description, options.seed + i,
          path));
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<Figures> judgeMutants(const Options &options) {
  Figures figures;
  for (const std::string &path : options.programs) {
    if (absl::Status s = judgeProgram(options, path, figures); !s.ok())
      return s;
    if (options.progress)
      options.progress(path);
  }
  return figures;
}

std::string figuresText(const Figures &figures) {
  std::string text;
  for (const std::string &disagreement : figures.disagreements())
    absl::StrAppend(&text, disagreement, "\n");
  absl::StrAppend(
      &text,
      fmt::format("{} mutants of {} programs, {} disagreements\n"
                  "  {} found by the verifier and by executing\n"
                  "  {} verified and the same in every order, {} of them on "
                  "the RTL\n"
                  "  {} verified, stopped by a value in every order\n"
                  "  {} refused that cannot be proved\n",
                  figures.mutants(), figures.programs(),
                  figures.disagreements_size(), figures.found(),
                  figures.verified(), figures.on_rtl(), figures.valued(),
                  figures.unproved()));
  absl::StrAppend(&text, "first findings:");
  for (const auto &[kind, number] : sorted(figures.findings()))
    absl::StrAppend(&text, " ", kind, " ", number);
  absl::StrAppend(&text, "\nfound of drawn:");
  for (const auto &[kind, count] : sorted(figures.kinds()))
    absl::StrAppend(&text, " ", kind, " ", count.found(), "/", count.drawn());
  return text + "\n";
}

} // namespace tenon::trust
