//===- sim/program_walk.h - What a program in DRAM contains -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_PROGRAM_WALK_H
#define TENON_SIM_PROGRAM_WALK_H

#include "isa/isa.h"
#include "sim/accounting.h"
#include "sim/memory/timing.h"

#include "absl/types/span.h"

#include <array>
#include <string>

namespace tenon::sim {

/// A stream of instructions in DRAM, from its first to FINISH.
struct Stream {
  absl::Span<const uint8_t> dram;
  uint64_t offset = 0; // of the first instruction, bytes
  uint64_t count = 0;  // with FINISH
};

struct StreamFacts {
  std::array<uint64_t, numEngines> instructions{}; // SET included
  /// More cycles than a sound execution takes, even if nothing overlaps.
  uint64_t cycleBound = 0;
};

/// Decodes the whole stream. InvalidArgument names the instruction that is
/// undefined, misplaced (FINISH not last) or outside of DRAM.
absl::StatusOr<StreamFacts> examineStream(const isa::Layout &layout,
                                          const Stream &stream,
                                          const MemoryTiming &timing);

/// The most cycles that pass without a beat while this memory has a request:
/// it answers the longest bursts, as many as may be under way, one by one.
uint64_t longestSilence(const isa::Layout &layout, const MemoryTiming &timing);

/// Whether all that LOADs and STOREs touch lies within `stream.dram`, and no
/// STORE writes an instruction behind itself, which FETCH may still read: what
/// was decoded is then what is executed. OutOfRange names the first instruction
/// that does otherwise. Linear in instructions and in rows of STOREs; the
/// stream decodes (examineStream).
absl::Status checkTransfers(const isa::Layout &layout, const Stream &stream);

/// "instruction 17: gemm ..." for the instruction that `engine` executes after
/// `retired` others of its own; "no further instruction" behind the last.
std::string describeInstruction(const isa::Layout &layout, const Stream &stream,
                                isa::Engine engine, uint64_t retired);

/// "STORE #2 (instruction 17 of the stream) `store ...`" for the LOAD or STORE
/// that has a burst at this offset of DRAM, and how many others could have it;
/// "STORE" where none has.
std::string describeAccess(const isa::Layout &layout, const Stream &stream,
                           isa::Engine engine, uint64_t offset);

} // namespace tenon::sim

#endif // TENON_SIM_PROGRAM_WALK_H
