// Part of Tenon, under the Apache License v2.0.
//
// Compares what the RTL does, instruction by instruction, with what it must:
// each write into a memory with the next one that its engine's oldest
// unfinished instruction owes, and that it owes none when it retires.

#ifndef TESTS_DIFFERENTIAL_RETIRE_CHECKER_H
#define TESTS_DIFFERENTIAL_RETIRE_CHECKER_H

#include "sim/rtl/model_observer.h"
#include "tests/differential/expected_run.h"

#include "absl/status/status.h"

#include <deque>
#include <string>

namespace tenon::differential {

/// What has been seen in all launches; bits of tokens as the trace ports of
/// tenon_machine have them.
struct Activity {
  uint64_t instructions = 0, writes = 0;
  uint32_t emptyChannels = 0; // bit 3*taker+neighbour: an engine waited
  uint32_t fullChannels = 0;  // bit 3*giver+neighbour: an engine waited
  uint32_t overlaps = 0;      // bit 4*a+b: engines a < b busy in one cycle
};

class RetireChecker {
public:
  explicit RetireChecker(const isa::Layout &layout) : layout(layout) {}
  RetireChecker(const RetireChecker &) = delete;

  /// Calls into this object.
  sim::ModelObserver observer();

  /// What the next launch must do.
  void begin(ExpectedRun run);

  /// Internal: the first difference of the launch, as "cycle, engine and
  /// instruction, what it did, what was expected".
  absl::Status end();

  const Activity &activity() const { return seen; }

private:
  // An instruction that has not retired.
  struct Cursor {
    size_t retired = 0;     // instructions
    size_t at = 0;          // the oldest that owes writes
    size_t next = 0;        // of its writes, where they are in order
    std::vector<bool> done; // of a LOAD's beats
    size_t left = 0;        // of them
  };
  struct Burst {
    uint64_t beat, beats;
  };

  void written(uint64_t cycle, size_t engine, Space space, uint64_t index,
               int32_t beat, const uint8_t *data);
  void loaded(uint64_t cycle, const ExpectedInstruction &owner, Space space,
              uint64_t index, int32_t beat, const uint8_t *data);
  void addressed(uint64_t cycle, uint64_t offset, uint32_t beats);
  void stored(uint64_t cycle, const uint8_t *data);
  void placeBeats(uint64_t cycle);
  void retired(uint64_t cycle, size_t engine);
  void passed(uint32_t states, uint32_t tokenWaits, uint32_t roomWaits);

  /// Moves to the next instruction that owes writes; null if there is none.
  const ExpectedInstruction *owing(size_t engine);
  void compare(uint64_t cycle, size_t engine, const ExpectedInstruction &owner,
               const ExpectedWrite &expected, size_t from, size_t bytes,
               const uint8_t *data);
  void fail(uint64_t cycle, size_t engine, const ExpectedInstruction *owner,
            const std::string &what);

  const isa::Layout layout;
  ExpectedRun expected;
  std::array<Cursor, isa::engineCount> cursors;
  std::deque<Burst> bursts;               // addresses without data
  std::deque<std::vector<uint8_t>> beats; // data without addresses
  std::string failure;                    // the first
  Activity seen;
};

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_RETIRE_CHECKER_H
