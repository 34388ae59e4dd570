//===- ConstantTensor.h - The elements of a constant ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_CONSTANTTENSOR_H
#define TENON_LIB_TRANSFORMS_CONSTANTTENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <vector>

namespace tenon {

/// An element: a float as a double, an integer or an index with its sign. The
/// type says which.
union Scalar {
  double Real;
  int64_t Integer;
};

/// The elements of a tensor of static shape, of integers up to 64 bits or
/// floats of 16, 32 or 64. Weights are looked at where they lie, as long as
/// what it was made of exists.
class ConstantTensor {
public:
  /// Of a constant, a fill or a splat; none of any other value, and of element
  /// types that it does not hold.
  static std::optional<ConstantTensor> read(mlir::Value V);
  /// For results: elements not yet written.
  explicit ConstantTensor(mlir::RankedTensorType Type);

  /// Whether elements of `Element` can be held.
  static bool holds(mlir::Type Element);

  mlir::RankedTensorType type() const { return Type; }
  bool isSplat() const { return Splat; }
  /// By its place in row-major order.
  Scalar at(int64_t Place) const;
  /// The value has the tensor's precision already.
  void set(int64_t Place, Scalar Value);
  /// The bits of an element of another one of the same element type: of a NaN
  /// too, which `at` does not keep.
  void copy(int64_t Place, const ConstantTensor &From, int64_t FromPlace);
  mlir::ElementsAttr attribute() const;

private:
  ConstantTensor(mlir::RankedTensorType Type, llvm::ArrayRef<char> Data,
                 bool Splat);
  const char *element(int64_t Place) const;

  mlir::RankedTensorType Type;
  llvm::ArrayRef<char> Data; ///< of a constant
  std::vector<char> Own;     ///< of a result, or one that was unpacked
  unsigned Width;            ///< bytes an element
  bool Splat = false;
};

/// `Value` with the precision of `Type`, rounded to even; of integers the low
/// bits.
Scalar rounded(mlir::Type Type, Scalar Value);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_CONSTANTTENSOR_H
