//===- Clusters.cpp - What integer clusters are formed of -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/Clusters.h"
#include "Importer.h"
#include "Registry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/Frontend/ONNX/ImportModel.h"

using namespace mlir;
using namespace tenon;

ClusterRole tenon::clusterRole(const onnx::Node &N) {
  ClusterRole Role = frontend::roleOf(N);
  return Role == ClusterRole::Contraction && !N.constant(1)
             ? ClusterRole::Product
             : Role;
}

FailureOr<std::map<std::string, std::string>>
tenon::findRefusals(ModuleOp Model) {
  loadImportDialects(*Model.getContext());
  OwningOpRef<ModuleOp> Imported =
      frontend::Importer(onnx::mainGraph(Model)).run();
  if (!Imported)
    return failure();
  std::map<std::string, std::string> Result;
  auto Main = *Imported->getOps<func::FuncOp>().begin();
  if (auto Reasons = Main->getAttrOfType<DictionaryAttr>("tenon.reasons"))
    for (NamedAttribute Reason : Reasons)
      Result[Reason.getName().str()] =
          cast<StringAttr>(Reason.getValue()).str();
  return Result;
}
