//===- InitAllTenon.h - Every dialect and pass of ours ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// For pass drivers.  A part registers itself by one function, named here; the
// driver's CMakeLists.txt defines TENON_HAS_<PART> for the parts it links.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_INITALLTENON_H
#define TENON_INITALLTENON_H

#include "tenon/Dialect/Accel/Accel.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/Normalize.h"
#include "tenon/Quantization/Equalize.h"
#include "tenon/Quantization/FoldAffine.h"
#include "tenon/Quantization/InsertQuantization.h"
#include "tenon/Quantization/Simplify.h"
#ifdef TENON_HAS_SCHEDULING
#include "tenon/Scheduling/Passes.h"
#endif
#include "tenon/Target/CPU/CPUTarget.h"
#ifdef TENON_HAS_TRANSFORMS
#include "tenon/Transforms/Passes.h"
#endif

namespace tenon {

inline void registerAllTenonDialects(mlir::DialectRegistry &registry) {
  registry.insert<accel::AccelDialect, onnx::ONNXDialect>();
}

inline void registerAllTenonPasses() {
  registerNormalizePass();
  registerCPUPasses();
  quantization::registerEqualizePass();
  quantization::registerFoldAffinePass();
  quantization::registerQuantizePass();
  quantization::registerSimplifyPass();
#ifdef TENON_HAS_TRANSFORMS
  registerTransformsPasses();
#endif
#ifdef TENON_HAS_SCHEDULING
  registerSchedulingPasses();
#endif
}

} // namespace tenon

#endif // TENON_INITALLTENON_H
