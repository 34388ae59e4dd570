// Part of Tenon, under the Apache License v2.0.
//
// The reference manual of the instruction set.

#ifndef TENON_ISA_MANUAL_H
#define TENON_ISA_MANUAL_H

#include "absl/status/statusor.h"

#include <string>

namespace tenon::isa {

/// docs/isa.md, from the specification and the shipped configurations. An
/// error only where a shipped configuration is not legal.
absl::StatusOr<std::string> referenceManual();

} // namespace tenon::isa

#endif // TENON_ISA_MANUAL_H
