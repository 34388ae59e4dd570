// Part of Tenon, under the Apache License v2.0.
//
// Turns instructions without tokens into a legal, race-free stream.
//
// An instruction is accepted only if it validates, reads nothing undefined and
// executes (the builder follows the contents of the machine with the functional
// simulator's State).  Then tokens are inserted: conflicts with other engines
// are found element by element; a vector clock per instruction says which are
// ordered already; each of the rest gets a signal on the last conflicting
// instruction and a wait here.
//
// Why it cannot deadlock: every token is given in front of where it is taken in
// the stream, and in stream order no channel ever holds more than channel_depth
// (else the signal goes to a SET right in front of the wait).  So executing
// the stream one instruction at a time is possible, and in a Kahn network one
// possible execution shows that all end.

#ifndef TESTS_DIFFERENTIAL_STREAM_BUILDER_H
#define TESTS_DIFFERENTIAL_STREAM_BUILDER_H

#include "tests/differential/regions.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tenon::differential {

class StreamBuilder {
public:
  /// All of `dram` counts as defined; the builder works on a copy.
  StreamBuilder(const isa::Layout &layout, const std::vector<uint8_t> &dram);
  StreamBuilder(const StreamBuilder &) = delete;

  /// Changes DRAM as it is at the start of the program; no instruction
  /// appended so far may touch these bytes.
  void writeDram(uint64_t offset, absl::Span<const uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), dram.begin() + offset);
  }

  /// Appends `instruction`, whose wait and signal must be 0, with what it
  /// needs in front.  False, and nothing changes, if it is not legal here.
  bool append(const isa::Instruction &instruction);

  /// The instructions appended so far as they were given.
  const std::vector<isa::Instruction> &accepted() const { return given; }

  /// The stream with tokens and FINISH.
  std::vector<isa::Instruction> finish() const;

  /// The machine after what was appended.
  const sim::functional::State &state() const { return machine; }

  /// Whether an element has been written (DRAM: always).
  bool isDefined(Space space, uint64_t index) const {
    return defined[size_t(space)][index];
  }

private:
  static constexpr int none = -1;
  // For each engine the last item that is known to have retired.
  using Clock = std::array<int, isa::engineCount>;
  struct Item {
    isa::Instruction instruction;
    isa::Engine engine;
    Clock clock; // when it retires; its own entry is itself
  };
  struct LastAccesses {
    int writer = none;
    std::array<int, isa::engineCount> readers{none, none, none, none};
  };
  struct TokenPair {
    int giver, taker;
  };

  bool readsAreDefined(const std::vector<Access> &accesses);
  bool execute(const isa::Instruction &instruction);
  Clock conflicts(isa::Engine engine,
                  const std::vector<Access> &accesses) const;
  void emit(const isa::Instruction &instruction,
            const std::vector<Access> &accesses);
  int giver(isa::Engine from, isa::Engine to, int atLeast);
  int addItem(const isa::Instruction &instruction, isa::Engine engine);
  Clock clockOf(isa::Engine engine) const;

  std::vector<uint8_t> dram;
  sim::functional::State machine;
  std::array<std::vector<bool>, spaceCount> defined;
  std::array<std::vector<LastAccesses>, spaceCount> last;
  std::vector<isa::Instruction> given;
  std::vector<Item> items;
  std::array<int, isa::engineCount> lastItem{none, none, none, none};
  std::array<std::array<std::vector<TokenPair>, isa::engineCount>,
             isa::engineCount>
      tokens;
};

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_STREAM_BUILDER_H
