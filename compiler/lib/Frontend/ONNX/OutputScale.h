//===- OutputScale.h - What the network's outputs mean ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_OUTPUTSCALE_H
#define TENON_LIB_FRONTEND_ONNX_OUTPUTSCALE_H

#include "Graph.h"
#include <optional>

namespace tenon::frontend {

/// A stored integer q stands for (q - ZeroPoint) * Scale.
struct OutputScale {
  double Scale;
  int64_t ZeroPoint;
};

/// The scale of the integer tensor `Name`: that of the operator which quantises
/// it, seen through operators that only move elements.  None where it is not
/// quantised, or per channel.
std::optional<OutputScale> outputScale(const Graph &Source,
                                       llvm::StringRef Name);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_OUTPUTSCALE_H
