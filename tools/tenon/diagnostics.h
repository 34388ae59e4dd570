//===- tools/tenon/diagnostics.h - What the compiler remarks ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_DIAGNOSTICS_H
#define TENON_TOOLS_TENON_DIAGNOSTICS_H

#include "tools/tenon/progress.h"

#include "compiler/driver/diagnostics.h"

namespace tenon::tools {

/// Prints warnings and remarks on stderr as they arise, a line each, and
/// `progress` out of the way. Errors are in the status that ends the verb.
compiler::DiagnosticListener remarkPrinter(Progress &progress);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_DIAGNOSTICS_H
