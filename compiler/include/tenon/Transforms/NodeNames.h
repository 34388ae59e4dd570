//===- NodeNames.h - Back to the network ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_NODENAMES_H
#define TENON_TRANSFORMS_NODENAMES_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Names of the ONNX nodes the operations came from, each once.
llvm::SmallVector<mlir::Attribute>
nodeNames(llvm::ArrayRef<mlir::Operation *> Ops);

} // namespace tenon

#endif // TENON_TRANSFORMS_NODENAMES_H
