// Part of Tenon, under the Apache License v2.0.

#ifndef TENON_TESTS_FUZZ_INPUT_LOWER_H
#define TENON_TESTS_FUZZ_INPUT_LOWER_H

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::fuzz {

/// Imports a network by `import` and takes it through the passes over the graph
/// and those of host code, down to loops on buffers whose memory is planned: no
/// code is generated. An error is one of the import or of a pass over the
/// graph: what is host code afterwards is lowered.
absl::Status
lower(llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &)>
          import);

/// `input` is binary, or ONNX's text where it begins with a letter.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(absl::string_view input,
                                             mlir::MLIRContext &context);

} // namespace tenon::fuzz

#endif // TENON_TESTS_FUZZ_INPUT_LOWER_H
