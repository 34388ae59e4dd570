//===- QuantizeProducts.h - Weights and biases as integers ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_QUANTIZATION_QUANTIZEPRODUCTS_H
#define TENON_LIB_QUANTIZATION_QUANTIZEPRODUCTS_H

#include "tenon/Quantization/InsertQuantization.h"
#include "tenon/Quantization/Rewriting.h"
#include <functional>

namespace tenon::quantization {

/// Names of a tensor's integers, and of those as floats.
std::string integersName(llvm::StringRef Tensor);
std::string roundedName(llvm::StringRef Tensor);

/// What a layer reads instead of `Rounded`, the integers as floats, and
/// `Float`.
using Switch = std::function<mlir::Value(
    const PlannedLayer &Layer, mlir::Value Rounded, mlir::Value Float)>;

/// Makes integers of the weights of every contraction of a plan, and of the
/// biases of those that compute in integers.
/// `HasSwitches`: `Switched` reads its `Float`, which a bias that correction
/// adds has not by itself.
mlir::LogicalResult quantizeProducts(Rewriting &R, const Plan &Of,
                                     const Calibration &With, bool HasSwitches,
                                     const Switch &Switched);

} // namespace tenon::quantization

#endif // TENON_LIB_QUANTIZATION_QUANTIZEPRODUCTS_H
