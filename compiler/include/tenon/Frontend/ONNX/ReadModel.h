//===- ReadModel.h - Model files to the onnx dialect ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The first step of import: the file as it is, in SSA (tenon/Dialect/ONNX).
// Nothing is decided here, and refused is only what is malformed: a name that
// nothing defines, a graph that is not sorted, a tensor whose bytes do not fit
// its dimensions.  All such problems of a file are reported, each as a
// diagnostic with its place.
//
// Initializers are resources: those of an external file are mapped, those in
// the protobuf file are held once.  What has no bearing on execution and is not
// kept: documentation and metadata of tensors, values and attributes, and
// denotations.  Training information and placement on several devices are not
// kept either; a remark says so.
//
// Any file content is safe to pass.  Nesting is bounded by protobuf's own limit
// of 100 messages.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_READMODEL_H
#define TENON_FRONTEND_ONNX_READMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

namespace tenon {

/// Reads binary protobuf, its text form where the name ends in `.textproto`, or
/// this dialect as MLIR's text or bytecode (`.mlir`, `.mlirbc`).  Null after an
/// error.  External data is looked for beside `path`, and only there.
mlir::OwningOpRef<mlir::ModuleOp> readModel(llvm::StringRef path,
                                            mlir::MLIRContext &context);

/// The same on the file's content.
mlir::OwningOpRef<mlir::ModuleOp> readModel(llvm::StringRef content,
                                            llvm::StringRef path,
                                            mlir::MLIRContext &context);

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_READMODEL_H
