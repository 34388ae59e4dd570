//===- MissingLowerings.cpp - What of a model cannot be imported ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An import whose errors are collected and whose result is thrown away.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/MissingLowerings.h"
#include "Importer.h"
#include "tenon/Frontend/ONNX/ImportModel.h"

using namespace mlir;
using namespace tenon;

/// `Message` is about `Of`, if any; what says so in front of it is dropped.
static MissingLowering describe(const std::optional<onnx::Node> &Of,
                                std::string Message) {
  if (!Of)
    return {{}, {}, {}, 0, std::move(Message)};
  std::string Prefix =
      ("node '" + Of->name() + "' (" + Of->describe() + "): ").str();
  llvm::StringRef Reason = Message;
  Reason.consume_front(Prefix);
  return {Of->name().str(), Of->operatorName().str(), Of->domain().str(),
          Of->opset(), Reason.str()};
}

std::vector<MissingLowering> tenon::findMissing(ModuleOp Model) {
  loadImportDialects(*Model.getContext());
  std::vector<MissingLowering> Result;
  frontend::Importer Import(onnx::mainGraph(Model));
  ScopedDiagnosticHandler Handler(Model.getContext(), [&](Diagnostic &D) {
    if (D.getSeverity() == DiagnosticSeverity::Error)
      Result.push_back(describe(Import.current(), D.str()));
  });
  Import.run();
  return Result;
}
