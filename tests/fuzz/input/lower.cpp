// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/input/lower.h"

#include "tests/fuzz/input/target.h"

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Transforms/Passes.h"

#include "absl/strings/ascii.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

namespace tenon::fuzz {

mlir::OwningOpRef<mlir::ModuleOp> importOnnx(absl::string_view input,
                                             mlir::MLIRContext &context) {
  bool text = !input.empty() && absl::ascii_isalpha(input[0]);
  return parseOnnx({input.data(), input.size()},
                   text ? "input.textproto" : "input.onnx", context);
}

absl::Status
lower(llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &)>
          import) {
  // Threads are of no use here, and a context a call is what a program has.
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  loadImportDialects(context);
  context.loadAllAvailableDialects();
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
      error += d.str();
    return mlir::success();
  });
  auto module = import(context);
  if (!module)
    return absl::InvalidArgumentError(error);
  mlir::PassManager manager(&context);
  buildImportPipeline(manager);
  buildGraphPipeline(manager);
  // Of constants that contradict each other.
  if (mlir::failed(manager.run(*module)))
    return absl::InvalidArgumentError(error);
  auto objects = compileForHosts(*module, /*Targets=*/{});
  if (!objects)
    broken("what was imported is no host code: " +
           llvm::toString(objects.takeError()));
  return absl::OkStatus();
}

} // namespace tenon::fuzz
