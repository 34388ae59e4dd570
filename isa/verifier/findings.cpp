// Part of Tenon, under the Apache License v2.0.

#include "isa/verifier/findings.h"

#include "isa/program.h"
#include "isa/verifier/verifier.h"

#include "absl/strings/ascii.h"
#include "fmt/format.h"

namespace tenon::isa {
namespace {

/// "LOAD", as in the messages of the simulators.
std::string upper(absl::string_view name) {
  return absl::AsciiStrToUpper(name);
}

const char *verb(bool writes) { return writes ? "writes" : "reads"; }

} // namespace

std::string regionText(Space space, Interval units) {
  std::string name(toString(space));
  if (units.end - units.begin == 1)
    return fmt::format("{}[{}]", name, units.begin);
  return fmt::format("{}[{}..{}]", name, units.begin, units.end - 1);
}

Finding *Findings::begin(absl::string_view kind, std::string message) {
  result.set_verified(false);
  if (uint32_t(result.findings_size()) >= most) {
    result.set_more(result.more() + 1);
    return nullptr;
  }
  Finding *finding = result.add_findings();
  finding->set_kind(std::string(kind));
  finding->set_message(number ? fmt::format("launch {}: {}", number, message)
                              : std::move(message));
  return finding;
}

Place Findings::place(uint32_t index) const {
  Place place;
  Engine engine = stream.engine(index);
  place.set_launch(number);
  place.set_index(index);
  place.set_engine(std::string(toString(engine)));
  place.set_number(stream.numbers[index]);
  place.set_text(disassemble(layout, stream.instructions[index]));
  const Run *run = findRun(program.debug(), engine,
                           retired[size_t(engine)] + stream.numbers[index]);
  if (run && run->layer() < uint32_t(program.debug().layers_size()))
    place.set_layer(program.debug().layers(int(run->layer())).name());
  return place;
}

std::string Findings::text(const Place &place) const {
  return fmt::format("{} #{} (instruction {}{}{}) `{}`", upper(place.engine()),
                     place.number(), place.index(),
                     place.layer().empty() ? "" : " of ", place.layer(),
                     place.text());
}

void Findings::add(absl::string_view kind, std::string message) {
  begin(kind, std::move(message));
}

void Findings::add(absl::string_view kind, uint32_t index,
                   absl::string_view what) {
  Place at = place(index);
  if (Finding *finding =
          begin(kind, fmt::format("{} {}", text(at), std::string(what))))
    *finding->add_instructions() = std::move(at);
}

void Findings::addUndefined(uint32_t index, Space space, Interval units) {
  Place at = place(index);
  at.set_access("reads");
  Finding *finding =
      begin("undefined", fmt::format("{} reads {}, which nothing has written",
                                     text(at), regionText(space, units)));
  if (!finding)
    return;
  *finding->add_instructions() = std::move(at);
  finding->set_space(std::string(toString(space)));
  finding->set_begin(double(units.begin));
  finding->set_end(double(units.end));
}

void Findings::addRace(const Conflict &conflict) {
  Place first = place(conflict.first), second = place(conflict.second);
  first.set_access(verb(conflict.firstWrites));
  second.set_access(verb(conflict.secondWrites));
  Finding *finding = begin(
      "race",
      fmt::format("{} {} {}, which {} {}; nothing orders them: a token from "
                  "{} to {} is missing",
                  text(first), first.access(),
                  regionText(conflict.space, conflict.units), text(second),
                  second.access(), upper(first.engine()),
                  upper(second.engine())));
  if (!finding)
    return;
  finding->set_space(std::string(toString(conflict.space)));
  finding->set_begin(double(conflict.units.begin));
  finding->set_end(double(conflict.units.end));
  finding->set_from(first.engine());
  finding->set_to(second.engine());
  *finding->add_instructions() = std::move(first);
  *finding->add_instructions() = std::move(second);
}

void Findings::addFetchRace(uint32_t store, uint32_t fetched, Interval bytes) {
  Place writer = place(store), read;
  writer.set_access("writes");
  read.set_access("reads");
  read.set_engine("fetch");
  read.set_launch(number);
  read.set_index(fetched);
  read.set_number(fetched);
  read.set_text(fetched < stream.size()
                    ? disassemble(layout, stream.instructions[fetched])
                    : "finish");
  Finding *finding = begin(
      "race", fmt::format("{} writes {}, from where FETCH reads instruction "
                          "{} `{}`; nothing orders them",
                          text(writer), regionText(Space::Dram, bytes), fetched,
                          read.text()));
  if (!finding)
    return;
  finding->set_space("dram");
  finding->set_begin(double(bytes.begin));
  finding->set_end(double(bytes.end));
  *finding->add_instructions() = std::move(writer);
  *finding->add_instructions() = std::move(read);
}

void Findings::addSuperfluous(const Token &token) {
  result.set_superfluous_tokens(result.superfluous_tokens() + 1);
  if (uint32_t(result.superfluous_size()) >= most)
    return;
  Finding &note = *result.add_superfluous();
  Place giver = place(token.giver), taker = place(token.taker);
  note.set_kind("superfluous");
  note.set_message(fmt::format(
      "{} gives a token to {}; what it orders is ordered without it, or does "
      "not conflict",
      text(giver), text(taker)));
  note.set_from(giver.engine());
  note.set_to(taker.engine());
  *note.add_instructions() = std::move(giver);
  *note.add_instructions() = std::move(taker);
}

void Findings::addLeftover(const Token &token) {
  Place giver = place(token.giver);
  Finding *finding = begin(
      "leftover", fmt::format("{} gives a token to {} that nobody takes: one "
                              "signal too many, or a wait is missing",
                              text(giver), upper(toString(token.to))));
  if (!finding)
    return;
  *finding->add_instructions() = std::move(giver);
  finding->set_from(std::string(toString(token.from)));
  finding->set_to(std::string(toString(token.to)));
}

} // namespace tenon::isa
