//===- Normalize.h - One form for every operator ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The second step of import, on the onnx dialect: what stands behind it knows
// one form of each operator, the newest, and types wherever they can be known.
// The steps, 2 to 6 again as long as 5 or 6 does something (pass
// `onnx-normalize`):
//
// 1. Local functions are inlined.  Their nodes are called CALLER/NODE.
// 2. `Constant` nodes become `onnx.constant`.
// 3. Types are inferred by the ONNX library, with the values that flow into
//    shapes; what is known is never forgotten.  Integers that are known by then
//    (Shape, Gather, Concat and so on) become constants.  Nodes without a use
//    are dropped.
// 4. Older forms are rewritten into newer ones; a node's `opset` is the version
//    whose form it has.  These forms do not occur afterwards:
//      attribute, now an input:  Clip before 11, Dropout before 12, Pad before
//        11, the reductions before 18 (ReduceSum: 13), Reshape before 5, Slice
//        before 10, Split before 13, Squeeze and Unsqueeze before 13, TopK
//        before 10
//      other operator:  Scatter (ScatterElements), Upsample from 7 (Resize),
//        Resize before 11
//      other meaning or words:  Softmax, LogSoftmax and Hardmax before 13 over
//        an input of known rank, BatchNormalization before 15 for inference,
//        Cast before 6, Gemm and the binary operators before 7 (with `axis`:
//        where both ranks are known)
//    A node that lacks what its rewriting needs stays as it is, with its opset.
// 5. Readers of sequences and optionals whose elements are known read the
//    tensors themselves.
// 6. Operators that import does not know by themselves are replaced by the
//    nodes of their definitions: a function body in ONNX's schemas, or one of
//    our own for other domains (lib/Frontend/ONNX/Definitions.h).
// 7. Values that were called alike get names of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_NORMALIZE_H
#define TENON_FRONTEND_ONNX_NORMALIZE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon {

namespace onnx {
class Node;
} // namespace onnx

/// Whether something is done about a node as it is.
using OperatorTest = llvm::function_ref<bool(const onnx::Node &)>;

/// Normalises a module that readModel gave.  Fails, with diagnostics, where a
/// node does not fit its operator's schema (CheckSchemas.h), where a function
/// calls itself or the functions expand to an absurd size.  Nodes that are not
/// `IsKnown` are replaced by their definitions, where they have one.
mlir::LogicalResult normalizeModel(mlir::ModuleOp module, OperatorTest IsKnown);

/// Registers the pass `onnx-normalize`.
void registerNormalizePass();

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_NORMALIZE_H
