// Part of Tenon, under the Apache License v2.0.
//
// round_trip LIST: each line of the file LIST names a model and a folder. The
// model is read, printed, parsed and printed again; both texts must be equal.
// What was parsed is written to the folder as ONNX, to compare with the model.
// With --read after LIST the models are read, and that is all; with --normalize
// they are normalised before they are printed, down to operators that no others
// define.

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/Normalize.h"
#include "tenon/Frontend/ONNX/ReadModel.h"
#include "tenon/Frontend/ONNX/WriteModel.h"
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

void write(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Everything that has a definition is replaced by it.
bool isKnown(const tenon::onnx::Node &) { return false; }

/// Whether the model survives; complaints go to standard error.
bool check(const std::string &model, const std::string &folder,
           const std::string &mode) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = tenon::readModel(model, context);
  if (!module || mode == "--read")
    return bool(module);
  if (mode == "--normalize" &&
      (failed(tenon::normalizeModel(*module, isKnown)) ||
       failed(mlir::verify(*module))))
    return false;
  std::string text = print(*module);
  mlir::MLIRContext fresh(mlir::MLIRContext::Threading::DISABLED);
  fresh.loadDialect<tenon::onnx::ONNXDialect>();
  mlir::SourceMgrDiagnosticHandler other(sources, &fresh);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &fresh);
  if (!parsed)
    return false;
  if (print(*parsed) != text) {
    std::cerr << model << ": the text parsed and printed again is another\n";
    write(folder + "/model.mlir", text);
    write(folder + "/parsed.mlir", print(*parsed));
    return false;
  }
  auto written = tenon::writeModel(*parsed);
  if (!written) {
    std::cerr << model << ": " << llvm::toString(written.takeError()) << "\n";
    return false;
  }
  write(folder + "/written.onnx", *written);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::ifstream list(argc > 1 ? argv[1] : "");
  std::string mode = argc > 2 ? argv[2] : "";
  std::string model, folder;
  int models = 0, failures = 0;
  for (; list >> model >> folder; ++models)
    if (!check(model, folder, mode)) {
      std::cout << "failed " << model << "\n";
      ++failures;
    }
  std::cout << models << " models, " << failures << " failed\n";
  return models == 0 || failures != 0;
}
