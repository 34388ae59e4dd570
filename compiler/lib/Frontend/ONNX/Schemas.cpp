//===- Schemas.cpp - Operators as the ONNX library knows them -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Schemas.h"
#include "onnx/defs/operator_sets.h"
#include "onnx/defs/operator_sets_ml.h"
#include "onnx/defs/operator_sets_preview.h"
#include "onnx/defs/operator_sets_training.h"
#include <climits>
#include <mutex>

using namespace tenon::frontend;

/// The library is built without registration at the start of the program.
static void registerSchemas() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    ::onnx::RegisterOnnxOperatorSetSchema();
    ::onnx::RegisterOnnxMLOperatorSetSchema();
    ::onnx::RegisterOnnxTrainingOperatorSetSchema();
    ::onnx::RegisterOnnxPreviewOperatorSetSchema();
  });
}

const ::onnx::OpSchema *tenon::frontend::schemaOf(onnx::NodeOp Op) {
  registerSchemas();
  if (Op.getOpset() > INT_MAX)
    return nullptr;
  return ::onnx::OpSchemaRegistry::Schema(
      Op.getOpType().str(), int(Op.getOpset()), Op.getDomain().str());
}
