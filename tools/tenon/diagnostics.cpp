//===- tools/tenon/diagnostics.cpp - What the compiler remarks ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/diagnostics.h"

#include "fmt/format.h"

namespace tenon::tools {

compiler::DiagnosticListener remarkPrinter(Progress &progress) {
  return [&progress](const compiler::Diagnostic &said) {
    if (said.severity == compiler::Severity::Error)
      return;
    progress.clear();
    bool isWarning = said.severity == compiler::Severity::Warning;
    fmt::print(stderr, "tenon: {}: {}{}{}\n", isWarning ? "warning" : "remark",
               said.node, said.node.empty() ? "" : ": ", said.message);
  };
}

} // namespace tenon::tools
