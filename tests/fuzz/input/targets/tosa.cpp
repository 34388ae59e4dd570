// Part of Tenon, under the Apache License v2.0.
//
// TOSA as text or bytecode, as the compiler loads it.

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tests/fuzz/input/target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace tenon::fuzz {

absl::Status tosa(absl::string_view input) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
      error += d.str();
    return mlir::success();
  });
  if (parseTosa({input.data(), input.size()}, "input", context))
    return absl::OkStatus();
  return absl::InvalidArgumentError(error);
}

} // namespace tenon::fuzz
