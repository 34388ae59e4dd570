// Part of Tenon, under the Apache License v2.0.
//
// round_trip LIST: each line of the file LIST names a model and a folder. The
// model is read, printed, parsed and printed again; both texts must be equal.

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/ReadModel.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>
#include <iostream>
#include <string>

namespace {

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// Whether the model survives; complaints go to standard error.
bool check(const std::string &model, const std::string &folder) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = tenon::readModel(model, context);
  if (!module)
    return false;
  std::string text = print(*module);
  std::ofstream(folder + "/model.mlir") << text;
  mlir::MLIRContext fresh(mlir::MLIRContext::Threading::DISABLED);
  fresh.loadDialect<tenon::onnx::ONNXDialect>();
  mlir::SourceMgrDiagnosticHandler other(sources, &fresh);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &fresh);
  if (!parsed)
    return false;
  if (print(*parsed) == text)
    return true;
  std::ofstream(folder + "/parsed.mlir") << print(*parsed);
  std::cerr << model << ": the text parsed and printed again is another\n";
  return false;
}

} // namespace

int main(int argc, char **argv) {
  std::ifstream list(argc > 1 ? argv[1] : "");
  std::string model, folder;
  int failures = 0;
  while (list >> model >> folder)
    if (!check(model, folder)) {
      std::cout << "failed " << model << "\n";
      ++failures;
    }
  return failures != 0;
}
