// Part of Tenon, under the Apache License v2.0.
//
// ONNX, binary, or as text where the input begins with a letter. What is
// imported verifies as MLIR (the importer does so).

#include "tests/fuzz/input/lower.h"
#include "tests/fuzz/input/target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace tenon::fuzz {

absl::Status onnx(absl::string_view input) {
  // Threads are of no use here, and a context a call is what a program has.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
      error += d.str();
    return mlir::success();
  });
  if (importOnnx(input, context))
    return absl::OkStatus();
  return absl::InvalidArgumentError(error);
}

} // namespace tenon::fuzz
