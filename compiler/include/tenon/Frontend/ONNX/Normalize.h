//===- Normalize.h - One form for every operator ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The second step of import, on the onnx dialect: what stands behind it knows
// one form of each operator, the newest, and types wherever they can be known.
// Four steps, each printable (pass `onnx-normalize`):
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
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_NORMALIZE_H
#define TENON_FRONTEND_ONNX_NORMALIZE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"

namespace tenon {

/// Normalises a module that readModel gave.  Fails, with diagnostics, where a
/// node does not fit its operator's schema (CheckSchemas.h), where a function
/// calls itself or the functions expand to an absurd size.
mlir::LogicalResult normalizeModel(mlir::ModuleOp module);

/// Registers the pass `onnx-normalize`.
void registerNormalizePass();

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_NORMALIZE_H
