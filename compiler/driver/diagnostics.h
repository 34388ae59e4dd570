//===- compiler/driver/diagnostics.h - What the compiler says ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_DIAGNOSTICS_H
#define TENON_COMPILER_DRIVER_DIAGNOSTICS_H

#include <functional>
#include <string>

namespace tenon::compiler {

enum class Severity { Error, Warning, Remark };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string node; // of the network, where it is about one
  std::string message;
  unsigned line = 0; // of the file, where its text is at fault; from 1 on
};

/// Is told each diagnostic when it arises, by one thread at a time. Empty:
/// nobody listens.
using DiagnosticListener = std::function<void(const Diagnostic &)>;

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_DIAGNOSTICS_H
