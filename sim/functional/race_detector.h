// Part of Tenon, under the Apache License v2.0.
//
// Follows an execution and stops it at a race: two instructions that no chain
// of tokens orders touch the same element, and one of them writes it. Vector
// clocks (C. Fidge, F. Mattern, 1988) of the four engines and FETCH: a token
// carries what its giver knew to be complete. Every element has a shadow, who
// wrote it last and who has read it since (after FastTrack, C. Flanagan and S.
// Freund, PLDI 2009). A race is found in whatever order the interleaving had
// the two. Reads of what nothing has written and tokens left over are errors
// as well.
//
// State                 written by              reset
// clocks, carried       takes, gives, execute   startLaunch
// shadow's numbers      execute, fetch          startLaunch
// shadow's isWritten    execute                 allocate: scratchpads keep what
//                                               they hold from launch to launch
// definedDram           the host, execute       allocate

#ifndef SIM_FUNCTIONAL_RACE_DETECTOR_H
#define SIM_FUNCTIONAL_RACE_DETECTOR_H

#include "absl/status/status.h"
#include "isa/isa.h"
#include "sim/functional/touches.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace tenon::sim::functional {

class RaceDetector {
public:
  explicit RaceDetector(const isa::Layout &layout);

  /// Another program begins: DRAM of this size, nothing written anywhere.
  void allocate(uint64_t dramBytes);
  /// The host writes DRAM.
  void hostWrites(uint64_t offset, uint64_t bytes);
  /// The first byte that nobody has written; offset + bytes if there is none.
  uint64_t firstUndefined(uint64_t offset, uint64_t bytes) const;

  void startLaunch();
  /// FETCH reads the next instruction of the stream at this offset in DRAM.
  absl::Status fetch(uint64_t offset, const isa::Instruction &instruction);
  void take(isa::Engine from, isa::Engine to);
  void give(isa::Engine from, isa::Engine to);
  /// `state` has just executed the next instruction of the engine, which stands
  /// at `streamIndex`. Aborted: a race, with both instructions and the element.
  absl::Status execute(isa::Engine engine, uint64_t streamIndex,
                       const isa::Instruction &instruction, const State &state);
  /// Every engine has retired all it got. Aborted: a token is left over.
  absl::Status finish() const;

private:
  static constexpr unsigned fetchActor = isa::engineCount;
  static constexpr unsigned actorCount = isa::engineCount + 1;
  /// Of each engine, how many instructions are complete; of FETCH, how many it
  /// has read.
  using Clock = std::array<uint32_t, actorCount>;

  /// Numbers count from 1; 0: nobody.
  struct Shadow {
    Clock readers{};
    uint32_t writer = 0;
    uint8_t writerActor = 0;
    bool isWritten = false;
  };
  struct Executed {
    uint64_t streamIndex;
    isa::Instruction instruction;
  };

  absl::Status touch(unsigned actor, Memory memory, uint64_t index,
                     bool isWrite);
  absl::Status race(unsigned actor, bool isWrite, unsigned other,
                    uint32_t otherNumber, bool otherWrites, Memory memory,
                    uint64_t index) const;
  bool isDefined(Memory memory, uint64_t index, unsigned actor) const;
  void defineMicroOps(const isa::Load &load);
  void defineDram(const isa::Store &store);
  std::string describe(unsigned actor, uint32_t number) const;
  std::string elementName(Memory memory, uint64_t index) const;

  const isa::Layout layout;
  std::array<std::vector<Shadow>, memoryCount> shadows;
  std::vector<bool> definedDram; // by byte
  std::array<Clock, actorCount> clocks{};
  std::array<std::array<std::deque<Clock>, isa::engineCount>, isa::engineCount>
      carried; // by the tokens in the channels
  std::array<std::vector<Executed>, actorCount> executed;
};

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_RACE_DETECTOR_H
