// Part of Tenon, under the Apache License v2.0.
//
// Findings as text: which instructions, which region, what is missing.

#ifndef TENON_ISA_VERIFIER_FINDINGS_H
#define TENON_ISA_VERIFIER_FINDINGS_H

#include "isa/accesses.h"
#include "isa/verifier/order.h"
#include "isa/verifier/verification.pb.h"

#include <string>

namespace tenon::isa {

/// One of two accesses of the same units, not ordered.
struct Conflict {
  uint32_t first, second; // indices, the earlier in the stream first
  bool firstWrites, secondWrites;
  Space space;
  Interval units;
};

/// Adds findings of one launch to a Verification.
class Findings {
public:
  /// `number` is the launch's. References must outlive it.
  Findings(const Layout &layout, const Program &program, const Stream &stream,
           uint32_t number, const std::array<uint32_t, engineCount> &retired,
           uint32_t most, Verification &result)
      : layout(layout), program(program), stream(stream), number(number),
        retired(retired), most(most), result(result) {}

  /// One without an instruction.
  void add(absl::string_view kind, std::string message);
  /// "INSTRUCTION what".
  void add(absl::string_view kind, uint32_t index, absl::string_view what);
  void addUndefined(uint32_t index, Space space, Interval units);
  void addRace(const Conflict &conflict);
  /// A STORE to the program that FETCH reads at any time; `fetched` is
  /// stream.size() for FINISH.
  void addFetchRace(uint32_t store, uint32_t fetched, Interval bytes);
  void addLeftover(const Token &token);
  /// No finding: listed apart.
  void addSuperfluous(const Token &token);
  /// What an execution that is stuck waits for.
  void addStuck(const Order &order);

private:
  Place place(uint32_t index) const;
  std::string text(const Place &place) const;
  std::string text(uint32_t index) const { return text(place(index)); }
  void addStarved(uint32_t index, Engine from, Engine to,
                  absl::string_view what);
  /// The finding to fill, or null where there are enough; its message is there.
  Finding *begin(absl::string_view kind, std::string message);

  const Layout &layout;
  const Program &program;
  const Stream &stream;
  const uint32_t number;
  const std::array<uint32_t, engineCount> retired; // before this launch
  const uint32_t most;
  Verification &result;
};

/// "inp[3]" or "inp[3..17]".
std::string regionText(Space space, Interval units);

} // namespace tenon::isa

#endif // TENON_ISA_VERIFIER_FINDINGS_H
