//===- tenon-opt.cpp - The pass driver ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// mlir-opt with our dialects and passes, which also reads ONNX: an input file
// that ends in .onnx or .textproto is imported first.  The one translation unit
// that includes every upstream dialect and pass.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/InitAllTenon.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// The module in `path` as text with its locations; null after an error.
static std::unique_ptr<llvm::MemoryBuffer> importAsText(StringRef path) {
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = tenon::importModel(path, context);
  if (!module)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return llvm::MemoryBuffer::getMemBufferCopy(text, path);
}

static std::unique_ptr<llvm::MemoryBuffer> openInput(StringRef path) {
  if (path.ends_with(".onnx") || path.ends_with(".textproto"))
    return importAsText(path);
  std::string message;
  auto file = openInputFile(path, &message);
  if (!file)
    llvm::errs() << message << "\n";
  return file;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerAllPasses();
  tenon::registerAllTenonPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  tenon::registerAllTenonDialects(registry);

  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Tenon's pass driver (MLIR or ONNX in, MLIR out)", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  std::unique_ptr<llvm::MemoryBuffer> source = openInput(input);
  if (!source)
    return EXIT_FAILURE;
  std::string message;
  auto result = openOutputFile(output, &message);
  if (!result) {
    llvm::errs() << message << "\n";
    return EXIT_FAILURE;
  }
  if (failed(MlirOptMain(result->os(), std::move(source), registry, config)))
    return EXIT_FAILURE;
  result->keep();
  return EXIT_SUCCESS;
}
