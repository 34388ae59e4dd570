//===- NamePlaces.h - Where nodes are wanted --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_NAMEPLACES_H
#define TENON_LIB_FRONTEND_ONNX_NAMEPLACES_H

#include "tenon/Frontend/ONNX/ImportModel.h"

namespace tenon::frontend {

/// The wanted place of each node by its name, of a model in the onnx dialect or
/// in TOSA.  An error for every name that neither a node nor an operator has.
mlir::FailureOr<mlir::DictionaryAttr> namePlaces(mlir::ModuleOp Model,
                                                 const WantedPlaces &Wanted);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_NAMEPLACES_H
