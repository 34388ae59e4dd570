//===- ImportModel.cpp - Model files to TOSA ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

void tenon::loadImportDialects(MLIRContext &Context) {
  Context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      tensor::TensorDialect, tosa::TosaDialect>();
}

OwningOpRef<ModuleOp> tenon::importOnnx(llvm::StringRef Path,
                                        MLIRContext &Context) {
  loadImportDialects(Context);
  Location Place = FileLineColLoc::get(&Context, Path, 0, 0);
  auto File = llvm::MemoryBuffer::getFile(Path);
  if (!File) {
    mlir::emitError(Place) << "cannot read the file: "
                           << File.getError().message();
    return nullptr;
  }
  auto Graph = frontend::Graph::parse((*File)->getBuffer(),
                                      Path.ends_with(".textproto"));
  if (!Graph) {
    mlir::emitError(Place) << llvm::toString(Graph.takeError());
    return nullptr;
  }
  return frontend::Importer(**Graph, &Context).run();
}

llvm::Expected<OwningOpRef<ModuleOp>>
tenon::importModel(llvm::StringRef Path, MLIRContext &Context,
                   std::vector<std::string> *Remarks) {
  std::string First;
  OwningOpRef<ModuleOp> Module;
  {
    ScopedDiagnosticHandler Handler(&Context, [&](Diagnostic &D) {
      if (D.getSeverity() != DiagnosticSeverity::Error) {
        if (Remarks)
          Remarks->push_back(D.str());
      } else if (First.empty()) {
        First = D.str();
      }
      return success();
    });
    if (Path.ends_with(".mlir") || Path.ends_with(".mlirbc")) {
      loadImportDialects(Context);
      Module = parseSourceFile<ModuleOp>(Path, &Context);
    } else {
      Module = importOnnx(Path, Context);
    }
  }
  if (!Module)
    return llvm::createStringError(First.empty() ? "the import failed" : First);
  return Module;
}
