//===- sim/tlm/program.h - A program in DRAM, decoded -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_PROGRAM_H
#define TENON_SIM_TLM_PROGRAM_H

#include "sim/tlm/context.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tenon::sim::tlm {

/// Decodes `count` instructions from `offset` on. InvalidArgument names the one
/// that is undefined, misplaced (FINISH not last) or outside of DRAM.
absl::StatusOr<Program> decodeProgram(const isa::Layout &layout,
                                      absl::Span<const uint8_t> dram,
                                      uint64_t offset, uint64_t count);

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_PROGRAM_H
