//===- Product.h - Weights that change --------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_QUANTIZATION_PRODUCT_H
#define TENON_LIB_QUANTIZATION_PRODUCT_H

#include "tenon/Quantization/Rewriting.h"
#include "llvm/ADT/MapVector.h"

namespace tenon::quantization {

/// A convolution or a matrix product with constant weights, which are
/// Outputs x PerGroup x Window, or Inputs x Outputs.
struct Product {
  std::vector<float> Weights, Bias; // no bias: empty
  int64_t Outputs, PerGroup, Window = 1, Groups = 1;
  bool IsConvolution = false, HasInputsFirst = false;

  int64_t inputs() const { return PerGroup * Groups; }
  /// Another one for weights that are read otherwise.
  int64_t layout() const { return HasInputsFirst ? -inputs() : inputs(); }
  /// Of a tensor of that rank that it reads or makes.
  int64_t channelAxis(int64_t Rank) const {
    return IsConvolution ? 1 : Rank - 1;
  }
  /// The weights that input channel `Input` meets, each given to `Apply`.
  template <typename Function> void ofInput(int64_t Input, Function Apply) {
    const int64_t Many = Outputs / Groups, First = Input / PerGroup * Many;
    for (int64_t Output = First; Output < First + Many; ++Output)
      for (int64_t At = 0; At < Window; ++At)
        Apply(weight(Output, Input % PerGroup, At));
  }
  template <typename Function> void ofOutput(int64_t Output, Function Apply) {
    for (int64_t Input = 0; Input < PerGroup; ++Input)
      for (int64_t At = 0; At < Window; ++At)
        Apply(weight(Output, Input, At));
  }

private:
  float &weight(int64_t Output, int64_t Input, int64_t At) {
    return Weights[HasInputsFirst ? Input * Outputs + Output
                                  : (Output * PerGroup + Input) * Window + At];
  }
};

using Products = llvm::MapVector<mlir::Operation *, Product>;

/// Those of a graph whose weights are constants of float32.
Products productsOf(onnx::GraphOp Graph);

/// Whether f(a x) = a f(x) for each channel and a > 0.
bool isHomogeneous(const onnx::Node &N);

/// `Values` in the place of the constant that an operand is, as `Name`.
void replaceConstant(mlir::OpOperand &Operand, llvm::ArrayRef<float> Values,
                     const llvm::Twine &Name, Rewriting &R);

/// Gives the node the weights and the bias of `Of`, which are called
/// `Suffix` behind its result.
void writeProduct(mlir::Operation *Op, const Product &Of,
                  llvm::StringRef Suffix, Rewriting &R);

} // namespace tenon::quantization

#endif // TENON_LIB_QUANTIZATION_PRODUCT_H
