// Part of Tenon, under the Apache License v2.0.

#include "isa/verifier/launch.h"

#include "isa/verifier/last_accesses.h"

#include <optional>

namespace tenon::isa {
namespace {

bool loadsMicroOps(const Instruction &instruction) {
  const auto *load = std::get_if<Load>(&instruction);
  return load &&
         (load->memory == Memory::UopGemm || load->memory == Memory::UopAlu);
}

class LaunchVerifier {
public:
  LaunchVerifier(const Layout &layout, const Launch &launch,
                 const Stream &stream, const Order &order, Contents &contents,
                 Findings &findings)
      : layout(layout), launch(launch), stream(stream), order(order),
        contents(contents), findings(findings), needed(order.tokens.size()) {}

  std::vector<bool> run() {
    contents.walker.startLaunch();
    for (uint32_t index : order.sequence)
      visit(index);
    return std::move(needed);
  }

private:
  void visit(uint32_t index) {
    const Instruction &instruction = stream.instructions[index];
    auto accesses = contents.walker.next(instruction);
    if (!accesses.ok()) {
      findings.add(absl::IsOutOfRange(accesses.status()) ? "bounds"
                                                         : "undefined",
                   index, accesses.status().message());
      return;
    }
    checkDefined(index, *accesses);
    checkOperands(index, *accesses);
    checkConflicts(index, *accesses);
    checkFetch(index, *accesses);
  }

  void checkDefined(uint32_t index, const Accesses &accesses) {
    for (uint32_t i = 0; i < spaceCount; ++i) {
      Space space = Space(i);
      IntervalSet &written = contents.written[i];
      if (space == Space::Dram && loadsMicroOps(stream.instructions[index]))
        continue; // the walker knows which of them are used
      for (Interval units : accesses.reads[i]) {
        uint64_t missing = space == Space::Dram
                               ? contents.walker.dram().firstUndefined(units)
                               : written.firstMissing(units);
        if (missing == units.end)
          continue;
        findings.addUndefined(index, space, {missing, units.end});
        written.add(units); // what follows from it is not told again
      }
      for (Interval units : accesses.writes[i])
        written.add(units);
    }
  }

  void checkOperands(uint32_t index, const Accesses &accesses) {
    const Instruction &instruction = stream.instructions[index];
    if (const auto *load = std::get_if<Load>(&instruction);
        load && load->memory == Memory::Prm)
      contents.operands.load(*load, contents.walker.dram());
    if (const auto *alu = std::get_if<Alu>(&instruction))
      if (std::string wrong =
              contents.operands.check(*alu, accesses, contents.walker);
          !wrong.empty())
        findings.add("encoding", index, wrong);
  }

  void checkConflicts(uint32_t index, const Accesses &accesses) {
    Engine engine = stream.engine(index);
    Clock known = order.before[index];
    join(known, assumed[size_t(engine)]);
    // By engine, the latest instruction that is not ordered before this one.
    std::array<std::optional<Conflict>, engineCount> open;
    for (uint32_t i = 0; i < spaceCount; ++i) {
      auto collect = [&](bool writes) {
        return [&, writes](uint32_t other, bool wrote, Interval units) {
          Engine from = stream.engine(other);
          if (stream.numbers[other] >= known[size_t(from)])
            note(open[size_t(from)],
                 {other, index, wrote, writes, Space(i), units});
          else
            markNeeded(order, engine, from, stream.numbers[other], needed);
        };
      };
      for (Interval units : accesses.reads[i])
        last[i].read(units, engine, index, collect(false));
      for (Interval units : accesses.writes[i])
        last[i].write(units, engine, index, collect(true));
    }
    for (const std::optional<Conflict> &conflict : open)
      if (conflict)
        addRace(*conflict, engine);
  }

  /// Keeps the conflict with the latest instruction, and all of its region that
  /// is in one piece.
  static void note(std::optional<Conflict> &open, const Conflict &found) {
    if (!open || open->first < found.first)
      open = found;
    else if (open->first == found.first && open->space == found.space &&
             open->firstWrites == found.firstWrites &&
             open->secondWrites == found.secondWrites &&
             open->units.end == found.units.begin)
      open->units.end = found.units.end;
  }

  void addRace(Conflict conflict, Engine engine) {
    // As if the token were there: what follows from it is not told again.
    size_t other = size_t(stream.engine(conflict.first));
    Clock &clock = assumed[size_t(engine)];
    join(clock, order.before[conflict.first]);
    clock[other] = std::max(clock[other], stream.numbers[conflict.first] + 1);
    if (conflict.first > conflict.second) {
      std::swap(conflict.first, conflict.second);
      std::swap(conflict.firstWrites, conflict.secondWrites);
    }
    findings.addRace(conflict);
  }

  /// FETCH reads the program without any token. Fetched for sure is what stands
  /// in front of an instruction that is complete, and the STORE itself.
  void checkFetch(uint32_t index, const Accesses &accesses) {
    uint64_t bytes = layout.instructionBytes;
    for (Interval units : accesses.writesOf(Space::Dram)) {
      uint64_t begin = launch.program_offset();
      uint64_t end = begin + (uint64_t(stream.size()) + 1) * bytes; // FINISH
      if (units.end <= begin || units.begin >= end)
        continue;
      uint32_t fetched = index;
      for (uint32_t e = 0; e < engineCount; ++e)
        if (uint32_t count = order.before[index][e]) {
          fetched = std::max(fetched, stream.engines[e][count - 1]);
          markNeeded(order, Engine::Store, Engine(e), count - 1, needed);
        }
      uint64_t unsafe = begin + (uint64_t(fetched) + 1) * bytes;
      if (units.end <= unsafe)
        continue;
      units = {std::max(units.begin, unsafe), std::min(units.end, end)};
      findings.addFetchRace(index, uint32_t((units.begin - begin) / bytes),
                            units);
    }
  }

  const Layout &layout;
  const Launch &launch;
  const Stream &stream;
  const Order &order;
  Contents &contents;
  Findings &findings;
  std::array<LastAccesses, spaceCount> last;
  std::array<Clock, engineCount> assumed{}; // by engine, from races found
  std::vector<bool> needed;                 // by token
};

} // namespace

std::vector<bool> verifyLaunch(const Layout &layout, const Launch &launch,
                               const Stream &stream, const Order &order,
                               Contents &contents, Findings &findings) {
  return LaunchVerifier(layout, launch, stream, order, contents, findings)
      .run();
}

} // namespace tenon::isa
