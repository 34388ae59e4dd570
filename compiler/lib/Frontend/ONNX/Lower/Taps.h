//===- Taps.h - Which elements a resized axis is made of --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The coordinates are those of ONNX's Resize, in f32 and in the order of
// operations that onnxruntime has.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_TAPS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_TAPS_H

#include "Lowering.h"
#include "Scalars.h"

namespace tenon::frontend {

/// One axis: its extents before and after; null scale where it stays.
struct ResizedAxis {
  OpFoldResult From, To;
  mlir::Value Scale;
  bool IsRatio = false;   ///< the scale is To / From, but for rounding
  mlir::Value Start, End; ///< of the region, in parts of the axis; or null
};

struct ResizeModes {
  std::string Mode;        ///< nearest, linear, cubic
  std::string Coordinates; ///< coordinate_transformation_mode
  std::string Nearest;     ///< nearest_mode
  bool Antialias, ExcludesOutside;
  double CubicA;

  /// A word that is no mode; empty where all are.
  llvm::StringRef unknown() const;
};

struct Taps {
  mlir::Value Places;    ///< index; nearest: [To], else [To, taps]
  mlir::Value Weights;   ///< f32 [To, taps]; null for nearest
  mlir::Value IsOutside; ///< i1 [To]; null but for tf_crop_and_resize
};

/// The weight at the distance `X` of a line that is 1 at 0 and 0 from 1 on.
mlir::Value linearWeight(Scalars &S, mlir::Value X);
/// Keys' cubic convolution with the parameter `A`.
mlir::Value cubicWeight(Scalars &S, mlir::Value X, double A);

Taps makeTaps(Lowering &L, const ResizedAxis &Axis, const ResizeModes &Modes);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_TAPS_H
