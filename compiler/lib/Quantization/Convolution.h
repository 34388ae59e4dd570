//===- Convolution.h - Weights that change ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_QUANTIZATION_CONVOLUTION_H
#define TENON_LIB_QUANTIZATION_CONVOLUTION_H

#include "tenon/Quantization/Rewriting.h"
#include "llvm/ADT/MapVector.h"

namespace tenon::quantization {

/// A convolution, whose weights are O x PerGroup x Window.
struct Convolution {
  std::vector<float> Weights, Bias; // no bias: empty
  int64_t Outputs, PerGroup, Window, Groups;

  int64_t inputs() const { return PerGroup * Groups; }
  /// The weights that input channel `Input` meets, each given to `Apply`.
  template <typename Function> void ofInput(int64_t Input, Function Apply) {
    const int64_t Many = Outputs / Groups, First = Input / PerGroup * Many;
    for (int64_t Output = First; Output < First + Many; ++Output)
      for (int64_t At = 0; At < Window; ++At)
        Apply(Weights[(Output * PerGroup + Input % PerGroup) * Window + At]);
  }
  template <typename Function> void ofOutput(int64_t Output, Function Apply) {
    for (int64_t At = 0; At < PerGroup * Window; ++At)
      Apply(Weights[Output * PerGroup * Window + At]);
  }
};

using Convolutions = llvm::MapVector<mlir::Operation *, Convolution>;

/// Those of a graph whose weights are constants of float32.
Convolutions convolutionsOf(onnx::GraphOp Graph);

/// Whether f(a x) = a f(x) for each channel and a > 0.
bool isHomogeneous(const onnx::Node &N);

/// Gives the node the weights and the bias of `Of`, which are called
/// `Suffix` behind its result.
void writeConvolution(mlir::Operation *Op, const Convolution &Of,
                      llvm::StringRef Suffix, Rewriting &R);

} // namespace tenon::quantization

#endif // TENON_LIB_QUANTIZATION_CONVOLUTION_H
