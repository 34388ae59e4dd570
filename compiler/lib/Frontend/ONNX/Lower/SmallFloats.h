//===- SmallFloats.h - Floats as their bits ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Floats that no host has arithmetic for, by integer arithmetic on their bits:
// exact, rounded once (half to even), the same on every host.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_SMALLFLOATS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_SMALLFLOATS_H

#include "Formulas.h"

namespace tenon::frontend {

/// f32 of a float of 4 to 8 bits, whose bits `Code` holds in i8.
Scalar decoded(Scalar Code);

/// The bits of `X`, f32 or f64, in the narrower format `To`; in i8, those of
/// f16 and bf16 in i16.
Scalar encoded(Scalar X, mlir::FloatType To, const Narrowing &How);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_SMALLFLOATS_H
