//===- ParseText.h - MLIR's text from anywhere ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_PARSETEXT_H
#define TENON_LIB_FRONTEND_ONNX_PARSETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon::frontend {

/// Whether the name of a file says that it holds MLIR, text or bytecode.
bool isMlirFile(llvm::StringRef Path);

/// Parses MLIR of any origin in dialects that are loaded.  MLIR's parser
/// recurses: a text whose brackets nest too deep is refused.
mlir::OwningOpRef<mlir::ModuleOp> parseMlir(llvm::StringRef Content,
                                            llvm::StringRef Path,
                                            mlir::MLIRContext &Context);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_PARSETEXT_H
