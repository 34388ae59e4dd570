//===- tools/tenon/verify.h - The static verifier in the tool ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_VERIFY_H
#define TENON_TOOLS_TENON_VERIFY_H

#include "isa/verifier/verifier.h"

namespace tenon::tools {

/// isa::verify, with the seconds it took.
absl::StatusOr<isa::Verification> verifyTimed(const isa::Program &program,
                                              uint32_t mostFindings = 20);

/// Says on stderr why `path` does not verify; the exit code.
int reportUnverified(const std::string &path,
                     const isa::Verification &verification);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_VERIFY_H
