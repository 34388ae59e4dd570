//===- ConstantExpression.h - What is known before the run ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_CONSTANTEXPRESSION_H
#define TENON_LIB_TRANSFORMS_CONSTANTEXPRESSION_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Whether `Op` has one result, of a size worth computing in the compiler, and
/// is of a form that evaluate knows.
bool canEvaluate(mlir::Operation *Op);

/// Whether `V` is a constant tensor or an expression of such that can be
/// evaluated.
bool isConstantExpression(mlir::Value V);

/// The result of an operation that can be evaluated, all of whose tensors are
/// constants; null where one is not, or where a NaN appears.
mlir::ElementsAttr evaluate(mlir::Operation *Op);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_CONSTANTEXPRESSION_H
