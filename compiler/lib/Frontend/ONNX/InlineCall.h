//===- InlineCall.h - A function's body in place of a node ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_INLINECALL_H
#define TENON_LIB_FRONTEND_ONNX_INLINECALL_H

#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::frontend {

/// Replaces `Caller`, which has no more inputs and outputs than `Function`, by
/// a copy of the function's nodes, called CALLER/NODE; each is given to
/// `Copied`.
void inlineCall(onnx::NodeOp Caller, onnx::FunctionOp Function,
                llvm::function_ref<void(mlir::Operation *)> Copied);

/// Puts `Prefix` before the names of nodes and values in `Copy`.
void renameCopy(mlir::Operation *Copy, llvm::StringRef Prefix);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_INLINECALL_H
