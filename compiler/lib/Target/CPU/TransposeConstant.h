//===- TransposeConstant.h - Constants in another order ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_TRANSPOSECONSTANT_H
#define TENON_LIB_TARGET_CPU_TRANSPOSECONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"

namespace tenon {

/// The array whose axis I is axis Axes[I] of `Elements`; null where elements
/// take no whole bytes, or their data is not there.
mlir::ElementsAttr transposeConstant(mlir::ElementsAttr Elements,
                                     llvm::ArrayRef<int64_t> Axes);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_TRANSPOSECONSTANT_H
