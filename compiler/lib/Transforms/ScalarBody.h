//===- ScalarBody.h - The body of an element-wise operation -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_SCALARBODY_H
#define TENON_LIB_TRANSFORMS_SCALARBODY_H

#include "ConstantTensor.h"

#include "mlir/IR/Block.h"

#include <functional>
#include <optional>

namespace tenon {

/// A body of scalar operations, to be computed on numbers, with the bits that a
/// host gives. Only what IEEE 754 and two's complement determine: no
/// transcendental functions, which are a library's, and no NaN, whose bits
/// differ between hosts.
class ScalarBody {
public:
  /// None where an operation is unknown. Constants outside are taken, other
  /// values outside not.
  static std::optional<ScalarBody> read(mlir::Block &Body);

  /// What the body yields for arguments of their types, at a place of the loops
  /// for linalg.index; false where something that is read is a NaN.
  bool compute(llvm::ArrayRef<Scalar> Arguments, llvm::ArrayRef<int64_t> Place,
               llvm::MutableArrayRef<Scalar> Results);

  /// The argument that is all that the body yields, NaNs among them.
  std::optional<unsigned> yieldedArgument() const;

private:
  using Formula = std::function<Scalar(const Scalar *)>;
  struct Step {
    Formula Compute;
    llvm::SmallVector<unsigned, 3> From; ///< registers
    std::optional<unsigned> Loop;        ///< whose index it is
  };
  static Formula formulaOf(mlir::Operation *Op);
  bool addStep(mlir::Operation &Op, llvm::DenseMap<mlir::Value, unsigned> &);
  std::optional<unsigned> registerOf(mlir::Value V,
                                     llvm::DenseMap<mlir::Value, unsigned> &);
  unsigned addRegister(mlir::Value V, llvm::DenseMap<mlir::Value, unsigned> &);

  llvm::SmallVector<Scalar> Registers; ///< arguments, constants and results
  llvm::SmallVector<mlir::Type> Types; ///< of these
  llvm::SmallVector<Step> Steps;
  llvm::SmallVector<unsigned> StepResults, Yielded;
  unsigned NumArguments = 0;
};

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_SCALARBODY_H
