//===- compiler/driver/collector.h - Hears MLIR's diagnostics ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only: its public headers are without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_COLLECTOR_H
#define TENON_COMPILER_DRIVER_COLLECTOR_H

#include "compiler/driver/diagnostics.h"

#include "mlir/IR/Diagnostics.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include <vector>

namespace tenon::compiler {

/// Takes every diagnostic of a context while it lives: passes it on to the
/// listener and keeps the errors.
class Collector {
public:
  Collector(mlir::MLIRContext &context, DiagnosticListener listener);

  /// The errors, one a line as "NODE: message". Without any there is a defect
  /// of Tenon's, which `fallback` says.
  absl::Status status(absl::string_view fallback) const;

  /// The same of a file that cannot be taken, one a line as "'PATH': message",
  /// or "'PATH', line N: message" where a text is at fault: what is wrong with a
  /// file names its nodes itself.
  absl::Status statusOf(absl::string_view path,
                        absl::string_view fallback) const;

  /// What comes from now on is kept back, until it is released to the listener
  /// and the errors, or forgotten.
  void hold() { isHolding = true; }
  void release();
  void forget();

private:
  void take(Diagnostic said);
  void add(mlir::Diagnostic &diagnostic);

  DiagnosticListener listener;
  std::vector<Diagnostic> errors, held;
  bool isHolding = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_COLLECTOR_H
