//===- Registry.cpp - The ONNX operators that import knows ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace tenon::frontend;

static constexpr llvm::StringLiteral WindowAttributes =
    "auto_pad ceil_mode count_include_pad dilations kernel_shape pads "
    "storage_order strides";
static constexpr llvm::StringLiteral ConvAttributes =
    "auto_pad dilations group kernel_shape pads strides";
static constexpr llvm::StringLiteral QuantizationAttributes =
    "axis block_size output_dtype precision saturate";

/// Later versions that only admit more element types share their builder's
/// entry: types are checked where a tensor is used.
static const OperatorVersion Table[] = {
    {"", "Add", 7, buildAdd, ""},
    {"", "AveragePool", 7, buildAveragePool, WindowAttributes},
    {"", "Cast", 6, buildCast, "round_mode saturate to"},
    {"", "Clip", 11, buildClip, ""},
    {"", "Concat", 4, buildConcat, "axis"},
    {"", "Conv", 1, buildConv, ConvAttributes},
    {"", "DequantizeLinear", 10, buildDequantizeLinear, QuantizationAttributes},
    {"", "Flatten", 1, buildFlatten, "axis"},
    {"", "Gemm", 7, buildGemm, "alpha beta transA transB"},
    {"", "GlobalAveragePool", 1, buildGlobalAveragePool, ""},
    {"", "Identity", 1, buildIdentity, ""},
    {"", "MatMul", 1, buildMatMul, ""},
    {"", "MatMulInteger", 10, buildMatMulInteger, ""},
    {"", "Max", 8, buildMax, ""},
    {"", "MaxPool", 1, buildMaxPool, WindowAttributes},
    {"", "Min", 8, buildMin, ""},
    {"", "Mul", 7, buildMul, ""},
    {"", "Pad", 11, buildPad, "mode"},
    {"", "QLinearConv", 10, buildQLinearConv, ConvAttributes},
    {"", "QLinearMatMul", 10, buildQLinearMatMul, ""},
    {"", "QuantizeLinear", 10, buildQuantizeLinear, QuantizationAttributes},
    {"", "Relu", 6, buildRelu, ""},
    {"", "Reshape", 5, buildReshape, "allowzero"},
    {"", "Slice", 10, buildSlice, ""},
    {"", "Softmax", 13, buildSoftmax, "axis"},
    {"", "Squeeze", 13, buildSqueeze, ""},
    {"", "Transpose", 1, buildTranspose, "perm"},
};

/// An attribute that the builder does not read would change nothing: refused.
static LogicalResult checkAttributes(const Node &N,
                                     const OperatorVersion &Version) {
  SmallVector<StringRef> Known;
  Version.Attributes.split(Known, ' ');
  for (NamedAttribute Attribute : N.op().getNodeAttributes())
    if (!llvm::is_contained(Known, Attribute.getName()))
      return N.error() << "attribute '" << Attribute.getName().getValue()
                       << "' is not supported";
  return success();
}

static const OperatorVersion *newest(const Node &N) {
  const OperatorVersion *Best = nullptr;
  for (const OperatorVersion &Entry : Table)
    if (Entry.Domain == N.domain() && Entry.Name == N.operatorName() &&
        Entry.Since <= N.opset() && (!Best || Entry.Since > Best->Since))
      Best = &Entry;
  return Best;
}

bool tenon::frontend::hasClusterBuilder(const Node &N) { return newest(N); }

const OperatorVersion *tenon::frontend::findOperator(const Node &N) {
  const OperatorVersion *Best = newest(N);
  if (!Best)
    return nullptr;
  for (int64_t Index = 1; Index < N.outputCount(); ++Index)
    if (!N.outputName(Index).empty()) {
      N.error() << "its output '" << N.outputName(Index)
                << "' beyond the first is not supported";
      return nullptr;
    }
  return succeeded(checkAttributes(N, *Best)) ? Best : nullptr;
}
