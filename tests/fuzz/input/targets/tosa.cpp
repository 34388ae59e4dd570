// Part of Tenon, under the Apache License v2.0.
//
// TOSA as text or bytecode, as the compiler loads it.

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tests/fuzz/input/target.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"

namespace tenon::fuzz {

absl::Status tosa(absl::string_view input) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = parseTosa(std::string(input), "input", context);
  if (module)
    return absl::OkStatus();
  return absl::InvalidArgumentError(llvm::toString(module.takeError()));
}

} // namespace tenon::fuzz
