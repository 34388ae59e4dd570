// Part of Tenon, under the Apache License v2.0.
//
// Random legal, race-free programs.

#ifndef TESTS_DIFFERENTIAL_RANDOM_PROGRAM_H
#define TESTS_DIFFERENTIAL_RANDOM_PROGRAM_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include <cstdint>
#include <vector>

namespace tenon::differential {

/// A program as the instructions that matter: tokens follow from them.
struct RandomProgram {
  std::vector<uint8_t> dram;                  // without the instructions
  std::vector<isa::Instruction> instructions; // without tokens and FINISH
};

/// A program of about `size` computing or moving instructions, between loads
/// that define a window of every scratchpad and stores that make all of it
/// visible in DRAM.  Windows are small, so that hazards are dense; micro-ops
/// have dependences at every distance from 1 to 12.  Equal seeds and
/// layouts give equal programs.
RandomProgram randomProgram(const isa::Layout &layout, uint64_t seed,
                            uint32_t size);

/// Adds tokens and FINISH, and places the stream behind the data.  With fewer
/// instructions than were drawn, those that have become illegal are left out.
isa::Program assembleRandomProgram(const isa::Layout &layout,
                                   const RandomProgram &program);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_RANDOM_PROGRAM_H
