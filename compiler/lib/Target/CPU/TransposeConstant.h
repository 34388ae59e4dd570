//===- TransposeConstant.h - Constants in another order ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_TRANSPOSECONSTANT_H
#define TENON_LIB_TARGET_CPU_TRANSPOSECONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/DenseMap.h"

namespace tenon {

/// The elements of a constant with all of them in memory, or none.
llvm::ArrayRef<char> bytesOf(mlir::ElementsAttr Elements);

/// Constants in another order, each made once: what several operations read
/// stays one.
class TransposedConstants {
public:
  /// The array whose axis I is axis Axes[I] of `Elements`; null where elements
  /// take no whole bytes, or their data is not there.
  mlir::ElementsAttr get(mlir::ElementsAttr Elements,
                         llvm::ArrayRef<int64_t> Axes);

private:
  /// By elements and axes.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>,
                 mlir::ElementsAttr>
      Known;
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_TRANSPOSECONSTANT_H
