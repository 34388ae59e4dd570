// Part of Tenon, under the Apache License v2.0.
//
// What the fields of an instruction, and the registers that begin a launch,
// hold.

#ifndef TENON_ISA_FIELD_LIMITS_H
#define TENON_ISA_FIELD_LIMITS_H

#include "isa/isa.h"

namespace tenon::isa {

/// The largest value of an unsigned field, both named as the specification
/// names them. NotFound where it has no such format or field.
absl::StatusOr<uint64_t> largestValue(const Layout &layout,
                                      absl::string_view format,
                                      absl::string_view field);

/// The largest offset at which a launch can begin: register PROGRAM counts
/// beats.
uint64_t lastProgramOffset(const Layout &layout);

/// The most bytes of DRAM, wherever it begins: the machine's addresses count
/// beats from the high word of the DRAM base, 2^29 of them and 8 GiB at least
/// (axi_bursts.sv), of which the low word takes up to 4 GiB.
uint64_t mostDramBytes(const Layout &layout);

} // namespace tenon::isa

#endif // TENON_ISA_FIELD_LIMITS_H
