//===- Border.h - Layouts where values cross the border ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Between host arrays and accelerator tensors lie transposes, reshapes and
// rescales between uint8 and int8.  accel.pack and accel.unpack do all of that
// in one step where it is a permutation and an offset.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_BORDER_H
#define TENON_LIB_TRANSFORMS_BORDER_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <array>
#include <optional>

namespace tenon {

using BorderFilter = llvm::function_ref<bool(mlir::Operation *)>;

/// True for an operation that changes nothing but the layout or the sign's
/// representation of 8-bit values.
bool isBorderCandidate(mlir::Operation *Op);

/// The value behind the operations `Through` accepts.
mlir::Value borderRoot(mlir::Value V, BorderFilter Through);

/// What accel.pack or accel.unpack has to do.
struct BorderLayout {
  mlir::Value Source;
  llvm::SmallVector<int64_t> Permutation;
  int64_t Offset = 0;
};

/// `V` as an NHWC accelerator tensor packed from the array at its root;
/// nothing where the operations between are no permutation.
std::optional<BorderLayout> describePack(mlir::Value V, BorderFilter Through);

/// `V` as an array unpacked from the accelerator tensor at its root.
std::optional<BorderLayout> describeUnpack(mlir::Value V, BorderFilter Through);

/// Whether the tensor at the root, as NHWC, is `V` as NHWC without any move.
bool isSameTensor(mlir::Value V, BorderFilter Through);

/// "quantize" for operations that turn the network's float inputs into 8-bit
/// values, "dequantize" for those that turn 8-bit values into its float
/// outputs, each element by itself: what packing and unpacking of a network
/// with a float border include. Empty for any other group.
llvm::StringRef borderConversion(llvm::ArrayRef<mlir::Operation *> Ops);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_BORDER_H
