//===- Clusters.h - What integer clusters are formed of ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// For whoever writes quantised networks: which operators import takes into
// integer clusters, which the accelerator computes, and what for.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_CLUSTERS_H
#define TENON_FRONTEND_ONNX_CLUSTERS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include "tenon/Dialect/ONNX/Node.h"
#include <map>
#include <string>

namespace tenon {

/// What an operator of the float network becomes between DequantizeLinear and
/// QuantizeLinear.
enum class ClusterRole {
  None,           ///< it is computed in float
  Contraction,    ///< a convolution or matrix product with constant weights
  Product,        ///< the same of two tensors, each with its scale
  Addition,       ///< of two tensors, each with its scale
  Multiplication, ///< element by element, of two tensors, each with its scale
  Concatenation,  ///< of tensors, each with its scale
  Average,        ///< of windows
  Function,       ///< of each element by itself, with another scale
  Selection,      ///< elements of the input, between two, or 0: one scale
  Activation,     ///< a clamp, part of the cluster that computes its input
};

/// The role of the node's operator, and of a contraction by whether its weights
/// are a constant of the network.  That the node itself can take it, with its
/// attributes and shapes, only the import of the quantised network tells
/// (findRefusals).
ClusterRole clusterRole(const onnx::Node &N);

/// Imports a quantised model, which prepareModel prepared, and throws the
/// result away: why nodes between quantised tensors are in no integer cluster,
/// by their names.  Fails, with diagnostics, where import does.
mlir::FailureOr<std::map<std::string, std::string>>
findRefusals(mlir::ModuleOp Model);

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_CLUSTERS_H
