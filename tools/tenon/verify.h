//===- tools/tenon/verify.h - The static verifier in the tool ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_VERIFY_H
#define TENON_TOOLS_TENON_VERIFY_H

#include "isa/verifier/verifier.h"

namespace tenon::tools {

/// Says on stderr why `path` does not verify; the exit code.
int reportUnverified(const std::string &path,
                     const isa::Verification &verification);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_VERIFY_H
