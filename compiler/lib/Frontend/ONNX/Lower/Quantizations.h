//===- Quantizations.h - Integers for floats --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_QUANTIZATIONS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_QUANTIZATIONS_H

#include "Formulas.h"

namespace tenon::frontend {

/// X / Scale + Zero in `To`: the quotient is computed in `Precision` and, of
/// integers, rounded half to even; the sum is kept within `To`.
Scalar quantizedElement(Scalar X, Scalar Scale, std::optional<Scalar> Zero,
                        mlir::Type Precision, mlir::Type To,
                        const Narrowing &How);

/// (X - Zero) * Scale in `To`.
Scalar dequantizedElement(Scalar X, Scalar Scale, std::optional<Scalar> Zero,
                          mlir::Type To);

/// How a scale or zero point follows the tensor that it belongs to: one for all
/// elements, one an index of `Axis`, or one for each `Block` indices of it (0:
/// no blocks).
struct Followed {
  mlir::Value Tensor;
  mlir::AffineMap Map;
};
mlir::FailureOr<Followed> followScale(Lowering &L, const Plain &Scale,
                                      mlir::Value Of, int64_t Axis,
                                      int64_t Block);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_QUANTIZATIONS_H
