// Part of Tenon, under the Apache License v2.0.
//
// What an executor may rely on in the buffers of a program.

#ifndef TENON_ISA_CHECK_BUFFERS_H
#define TENON_ISA_CHECK_BUFFERS_H

#include "isa/proto/program.pb.h"

#include "absl/status/status.h"

namespace tenon::isa {

/// Whether an extent is not in `shape`: an input's has a name, one of what a
/// kernel makes may be "?".
bool hasOpenDimension(const Buffer &buffer);

/// Types, shapes and open dimensions, each for itself. Indices of inputs and
/// outputs must be checked.
absl::Status checkBuffers(const Program &program);

/// Whether every buffer that is read, or an output, is an input or has been
/// written by a step before: memory that a run takes holds what another part of
/// the process left in it. Steps must be checked.
absl::Status checkReads(const Program &program);

} // namespace tenon::isa

#endif // TENON_ISA_CHECK_BUFFERS_H
