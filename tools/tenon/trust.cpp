//===- tools/tenon/trust.cpp - Whose host code is run ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/trust.h"

#include "tools/tenon/files.h"

#include "CLI/CLI.hpp"

namespace tenon::tools {

void addTrustOption(CLI::App &verb, bool &trustHostCode) {
  verb.add_flag("--trust-host-code", trustHostCode,
                "run a program with native code that another user compiled: "
                "it can do whatever you can");
}

runtime::HostCodeTrust trustOf(absl::string_view path, bool trustHostCode) {
  return trustHostCode || !isProgram(path) ? runtime::HostCodeTrust::Any
                                           : runtime::HostCodeTrust::Own;
}

} // namespace tenon::tools
