//===- Layer.h - One layer of the accelerator -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A layer is what one accelerator operation computes: a reduction with its
// requantising epilogue, read from TOSA by structure.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_LAYER_H
#define TENON_TRANSFORMS_LAYER_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tenon {

enum class LayerKind { Contract, Mac, Sum, Max, Average, Concat };

struct Layer {
  LayerKind Kind = LayerKind::Contract;
  /// "convolution", "depthwise", "dense", "max_pool", "average_pool",
  /// "addition", "requantise", "concatenation".
  std::string Op;
  /// The activation read, the other addend of a residual addition (or null),
  /// the value stored.  Concat reads `Inputs` instead.
  mlir::Value Input, Residual, Result;
  llvm::SmallVector<mlir::Value> Inputs;
  /// The operations it replaces, in program order, constants not included.
  llvm::SetVector<mlir::Operation *> Members;

  /// NHWC shapes of input and result.  Of a layer that is `Pointwise` (1x1
  /// window, stride 1, no padding) only the product of N, H, W counts.
  std::array<int64_t, 4> InputShape = {1, 1, 1, 1};
  std::array<int64_t, 4> ResultShape = {1, 1, 1, 1};
  bool Pointwise = false;

  std::array<int64_t, 2> Kernel = {1, 1}, Stride = {1, 1}, Dilation = {1, 1};
  std::array<int64_t, 4> Pad = {0, 0, 0, 0}; ///< top, bottom, left, right
  int32_t InputZeroPoint = 0, WeightZeroPoint = 0;
  /// Contract: O, KH, KW, I.  Mac: KH, KW, C.
  llvm::SmallVector<int8_t, 0> Weights;
  llvm::SmallVector<int32_t, 0> Bias, Multiplier;
  llvm::SmallVector<int8_t, 0> Shift;

  struct Quant {
    int32_t ZeroPoint = 0, Min = -128, Max = 127;
  } Quantization;
  struct Addition {
    int32_t Min, Max, Scale, OperandScale, Shift, OperandZeroPoint;
  };
  std::optional<Addition> Add;

  /// Multiply-accumulates of the network's operator, without block padding.
  int64_t Macs = 0;

  int64_t channels() const { return ResultShape[3]; }
};

/// Why an operation is not part of a layer.
struct Refusal {
  std::string Reason, Remedy;
};

/// All layers of a block and the reasons of the operations that belong to none
/// but look as if they could.
struct LayerSet {
  llvm::SmallVector<Layer, 0> Layers;
  llvm::MapVector<mlir::Operation *, Refusal> Refusals;
};

/// Reads the layers of a block of TOSA.  Channels of one DRAM block
/// (`blockMax`) decide which concatenations move no data.
LayerSet findLayers(mlir::Block &Block, int64_t BlockMax);

} // namespace tenon

#endif // TENON_TRANSFORMS_LAYER_H
