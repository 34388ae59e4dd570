//===- Intrinsics.h - What the accelerator computes -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The reductions the accelerator has, declared by the roles of their iterators
// and their payload, and the matcher from a linalg.generic.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_INTRINSICS_H
#define TENON_TRANSFORMS_INTRINSICS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>
#include <optional>
#include <string>

namespace tenon {

/// What an iterator of a reduction does, by the operands whose indexing maps
/// it appears in.
enum class Role {
  Row,        ///< parallel; input and output: batch, position
  OutChannel, ///< parallel; weights and output
  Channel,    ///< parallel; input, weights and output
  InChannel,  ///< reduction; input, alone in its index, and weights
  Window      ///< reduction; input, as a summand beside a row, and weights
};

/// The combination of one pair of elements and the running value.
enum class Payload { MultiplyAdd, Add, Max };

/// A declared intrinsic.  A reduction matches it when its payload is the same
/// and the number of its iterators of every role lies in the range given.
struct Intrinsic {
  enum class Kind { Gemm, Diagonal, Mac, Sum, Max, Product } Kind;
  const char *Name;
  Payload Body;
  struct Range {
    unsigned Min, Max;
  };
  Range Rows, OutChannels, Channels, InChannels, Windows;
  /// Role of the last index of the input.
  Role Innermost;
  /// Its weights are computed at run time, not constant.
  bool ComputedWeights = false;
};

/// All intrinsics; the first that matches is taken.
llvm::ArrayRef<Intrinsic> intrinsics();

/// One of the four axes of a canonical weight tensor.
enum WeightAxis { AxisOut, AxisY, AxisX, AxisIn, NumWeightAxes };

/// A reduction seen as an intrinsic.
struct IntrinsicUse {
  const Intrinsic *Decl = nullptr;
  /// Numbers of the generic's inputs that are activation and weights; weights
  /// is -1 where the intrinsic has none.
  int Input = 0, Weights = -1;
  /// Window along y and x.
  std::array<int64_t, 2> Kernel = {1, 1}, Stride = {1, 1}, Dilation = {1, 1};
  /// Axis of the weights operand that is the output channel, y, x (of the
  /// window, and of a product y of the rows), input channel; -1 where it has
  /// none.
  std::array<int, NumWeightAxes> WeightAxes = {-1, -1, -1, -1};
  /// Diagonal: axis of the weights that counts the outputs of a channel.
  int MultiplierAxis = -1;
};

/// The same with what the payload subtracts from every element: values that
/// live as long as the reduction does.
struct IntrinsicMatch : IntrinsicUse {
  mlir::Value InputZeroPoint, WeightZeroPoint;
};

/// Matches a reduction to the first intrinsic that fits; otherwise `Why` says
/// what does not.  `IsActivation` tells the inputs of the generic that are
/// computed at run time from constants.
std::optional<IntrinsicMatch>
matchIntrinsic(mlir::linalg::GenericOp Op,
               llvm::function_ref<bool(mlir::Value)> IsActivation,
               std::string &Why);

} // namespace tenon

#endif // TENON_TRANSFORMS_INTRINSICS_H
