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

/// The opsets of ai.onnx whose semantics this table has seen.
static constexpr int64_t OldestOpset = 7, NewestOpset = 28;

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
    {"", "Clip", 6, buildClip6, "max min"},
    {"", "Clip", 11, buildClip11, ""},
    {"", "Concat", 4, buildConcat, "axis"},
    {"", "Constant", 1, buildConstant,
     "value value_float value_floats value_int value_ints"},
    {"", "Conv", 1, buildConv, ConvAttributes},
    {"", "DequantizeLinear", 10, buildDequantizeLinear, QuantizationAttributes},
    {"", "Flatten", 1, buildFlatten, "axis"},
    {"", "Gemm", 7, buildGemm, "alpha beta transA transB"},
    {"", "GlobalAveragePool", 1, buildGlobalAveragePool, ""},
    {"", "Identity", 1, buildIdentity, ""},
    {"", "MatMul", 1, buildMatMul, ""},
    {"", "MatMulInteger", 10, buildMatMulInteger, ""},
    {"", "MaxPool", 1, buildMaxPool, WindowAttributes},
    {"", "Mul", 7, buildMul, ""},
    {"", "Pad", 2, buildPad2, "mode pads value"},
    {"", "Pad", 11, buildPad11, "mode"},
    {"", "QLinearConv", 10, buildQLinearConv, ConvAttributes},
    {"", "QLinearMatMul", 10, buildQLinearMatMul, ""},
    {"", "QuantizeLinear", 10, buildQuantizeLinear, QuantizationAttributes},
    {"", "Relu", 6, buildRelu, ""},
    {"", "Reshape", 5, buildReshape, "allowzero"},
    {"", "Slice", 1, buildSlice1, "axes ends starts"},
    {"", "Slice", 10, buildSlice10, ""},
    {"", "Softmax", 1, buildSoftmax1, "axis"},
    {"", "Softmax", 13, buildSoftmax13, "axis"},
    {"", "Squeeze", 1, buildSqueeze1, "axes"},
    {"", "Squeeze", 13, buildSqueeze13, ""},
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

const OperatorVersion *tenon::frontend::findOperator(const Node &N) {
  const OperatorVersion *Best = nullptr;
  for (const OperatorVersion &Entry : Table)
    if (Entry.Domain == N.domain() && Entry.Name == N.operatorName() &&
        Entry.Since <= N.opset() && (!Best || Entry.Since > Best->Since))
      Best = &Entry;
  if (!Best) {
    N.error() << "the operator is not supported: it needs a builder in the "
                 "importer's registry, and then a place on the accelerator or "
                 "the CPU";
    return nullptr;
  }
  if (N.opset() < OldestOpset || N.opset() > NewestOpset) {
    N.error() << "the opset is not one of " << OldestOpset << " to "
              << NewestOpset << ", which are known; convert the model";
    return nullptr;
  }
  return succeeded(checkAttributes(N, *Best)) ? Best : nullptr;
}
