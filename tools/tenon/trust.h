//===- tools/tenon/trust.h - Whose host code is run -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_TRUST_H
#define TENON_TOOLS_TENON_TRUST_H

#include "runtime/loaded_program.h"

#include "absl/strings/string_view.h"

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

/// --trust-host-code.
void addTrustOption(CLI::App &verb, bool &trustHostCode);

/// Of the host code of `path`: a network is compiled here, so that it is
/// trusted; a program must have this user's digest, or his word.
runtime::HostCodeTrust trustOf(absl::string_view path, bool trustHostCode);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_TRUST_H
