//===- Registry.h - The ONNX operators that import knows --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// To add an operator: write a builder in the file of its kind, declare it here,
// and list it in Registry.cpp with the opset since which its semantics hold.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_REGISTRY_H
#define TENON_LIB_FRONTEND_ONNX_REGISTRY_H

#include "Importer.h"
#include "tenon/Frontend/ONNX/Clusters.h"

namespace tenon::frontend {

using Builder = mlir::LogicalResult (*)(Importer &, const Node &);

/// One version of one operator.
struct OperatorVersion {
  llvm::StringRef Domain, Name;
  int64_t Since;
  Builder Build;
  llvm::StringRef Attributes; // that the builder reads, separated by spaces
  /// Of the float operator; None of those that are of integers.
  ClusterRole Role = ClusterRole::None;
};

/// Whether nodes of the operator can be in a cluster.
bool hasClusterBuilder(const Node &N);

/// What the operator of `N` becomes where its tensors are quantised.
ClusterRole roleOf(const Node &N);

/// The version that `N` means, or null with a diagnostic.
const OperatorVersion *findOperator(const Node &N);

// Convolution.cpp
mlir::LogicalResult buildConv(Importer &I, const Node &N);
mlir::LogicalResult buildQLinearConv(Importer &I, const Node &N);
// ConvTranspose.cpp
mlir::LogicalResult buildConvTranspose(Importer &I, const Node &N);
// MatrixProduct.cpp
mlir::LogicalResult buildGemm(Importer &I, const Node &N);
mlir::LogicalResult buildMatMul(Importer &I, const Node &N);
mlir::LogicalResult buildMatMulInteger(Importer &I, const Node &N);
mlir::LogicalResult buildQLinearMatMul(Importer &I, const Node &N);
// Sums.cpp
mlir::LogicalResult buildAdd(Importer &I, const Node &N);
mlir::LogicalResult buildSub(Importer &I, const Node &N);
// Factors.cpp
mlir::LogicalResult buildMul(Importer &I, const Node &N);
mlir::LogicalResult buildDiv(Importer &I, const Node &N);
// Activations.cpp
mlir::LogicalResult buildHardSigmoid(Importer &I, const Node &N);
mlir::LogicalResult buildHardSwish(Importer &I, const Node &N);
mlir::LogicalResult buildLeakyRelu(Importer &I, const Node &N);
// Elementwise.cpp
mlir::LogicalResult buildCast(Importer &I, const Node &N);
mlir::LogicalResult buildRelu(Importer &I, const Node &N);
mlir::LogicalResult buildClip(Importer &I, const Node &N);
mlir::LogicalResult buildMax(Importer &I, const Node &N);
mlir::LogicalResult buildMin(Importer &I, const Node &N);
// Pooling.cpp
mlir::LogicalResult buildAveragePool(Importer &I, const Node &N);
mlir::LogicalResult buildGlobalAveragePool(Importer &I, const Node &N);
mlir::LogicalResult buildMaxPool(Importer &I, const Node &N);
mlir::LogicalResult buildReduceMax(Importer &I, const Node &N);
mlir::LogicalResult buildReduceMean(Importer &I, const Node &N);
mlir::LogicalResult buildReduceSum(Importer &I, const Node &N);
// DataMovement.cpp
mlir::LogicalResult buildReshape(Importer &I, const Node &N);
mlir::LogicalResult buildFlatten(Importer &I, const Node &N);
mlir::LogicalResult buildSqueeze(Importer &I, const Node &N);
mlir::LogicalResult buildTranspose(Importer &I, const Node &N);
mlir::LogicalResult buildIdentity(Importer &I, const Node &N);
mlir::LogicalResult buildConcat(Importer &I, const Node &N);
// Upsampling.cpp
mlir::LogicalResult buildDepthToSpace(Importer &I, const Node &N);
mlir::LogicalResult buildSpaceToDepth(Importer &I, const Node &N);
mlir::LogicalResult buildResize(Importer &I, const Node &N);
// Slice.cpp
mlir::LogicalResult buildSlice(Importer &I, const Node &N);
// Pad.cpp
mlir::LogicalResult buildPad(Importer &I, const Node &N);
// Softmax.cpp
mlir::LogicalResult buildSoftmax(Importer &I, const Node &N);
// Quantization.cpp
mlir::LogicalResult buildQuantizeLinear(Importer &I, const Node &N);
mlir::LogicalResult buildDequantizeLinear(Importer &I, const Node &N);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_REGISTRY_H
