//===- Registry.cpp - The ONNX operators that import knows ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tenon::frontend;

/// The newest opset of ai.onnx whose changes this table has seen.
static constexpr int64_t NewestOpset = 28;

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

static std::string knownOperators() {
  SmallVector<StringRef> Names;
  for (const OperatorVersion &Entry : Table)
    if (Names.empty() || Names.back() != Entry.Name)
      Names.push_back(Entry.Name);
  return llvm::join(Names, " ");
}

/// An attribute that the builder does not read would change nothing: refused.
static LogicalResult checkAttributes(Importer &I, const Node &N,
                                     const OperatorVersion &Version) {
  SmallVector<StringRef> Known;
  Version.Attributes.split(Known, ' ');
  for (const auto &Attribute : N.Proto->attribute())
    if (!llvm::is_contained(Known, StringRef(Attribute.name())))
      return I.error(N) << "attribute '" << Attribute.name()
                        << "' is not supported";
  return success();
}

const OperatorVersion *tenon::frontend::findOperator(Importer &I,
                                                     const Node &N) {
  const OperatorVersion *Best = nullptr;
  for (const OperatorVersion &Entry : Table)
    if (Entry.Domain == N.Domain && Entry.Name == N.Operator &&
        Entry.Since <= N.Opset && (!Best || Entry.Since > Best->Since))
      Best = &Entry;
  if (!Best) {
    I.error(N) << "the operator is not supported: it needs a builder in the "
                  "importer's registry, and then a place on the accelerator or "
                  "the CPU; ai.onnx has "
               << knownOperators();
    return nullptr;
  }
  if (N.Opset > NewestOpset) {
    I.error(N) << "the opset is newer than " << NewestOpset
               << ", the newest known; convert the model";
    return nullptr;
  }
  return succeeded(checkAttributes(I, N, *Best)) ? Best : nullptr;
}
