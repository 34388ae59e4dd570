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
static constexpr llvm::StringLiteral ReductionAttributes =
    "keepdims noop_with_empty_axes";
static constexpr llvm::StringLiteral QuantizationAttributes =
    "axis block_size output_dtype precision saturate";

using Role = tenon::ClusterRole;

/// Later versions that only admit more element types share their builder's
/// entry: types are checked where a tensor is used.
static const OperatorVersion Table[] = {
    {"", "Add", 7, buildAdd, "", Role::Addition},
    {"", "AveragePool", 7, buildAveragePool, WindowAttributes, Role::Average},
    {"", "Cast", 6, buildCast, "round_mode saturate to"},
    {"", "Clip", 11, buildClip, "", Role::Activation},
    {"", "Concat", 4, buildConcat, "axis", Role::Concatenation},
    {"", "Conv", 1, buildConv, ConvAttributes, Role::Contraction},
    {"", "ConvTranspose", 1, buildConvTranspose,
     "auto_pad dilations group kernel_shape output_padding output_shape pads "
     "strides",
     Role::Contraction},
    {"", "DepthToSpace", 1, buildDepthToSpace, "blocksize mode",
     Role::Selection},
    {"", "DequantizeLinear", 10, buildDequantizeLinear, QuantizationAttributes},
    {"", "Div", 7, buildDiv, "", Role::Multiplication},
    {"", "Flatten", 1, buildFlatten, "axis", Role::Selection},
    {"", "Gemm", 7, buildGemm, "alpha beta transA transB", Role::Contraction},
    {"", "GlobalAveragePool", 1, buildGlobalAveragePool, "", Role::Average},
    {"", "HardSigmoid", 6, buildHardSigmoid, "alpha beta", Role::Activation},
    {"", "HardSwish", 14, buildHardSwish, "", Role::Function},
    {"", "Identity", 1, buildIdentity, "", Role::Selection},
    {"", "LeakyRelu", 6, buildLeakyRelu, "alpha", Role::Function},
    {"", "MatMul", 1, buildMatMul, "", Role::Contraction},
    {"", "MatMulInteger", 10, buildMatMulInteger, ""},
    {"", "Max", 8, buildMax, ""},
    {"", "MaxPool", 1, buildMaxPool, WindowAttributes, Role::Selection},
    {"", "Min", 8, buildMin, ""},
    {"", "Mul", 7, buildMul, "", Role::Multiplication},
    {"", "Pad", 11, buildPad, "mode", Role::Selection},
    {"", "QLinearConv", 10, buildQLinearConv, ConvAttributes},
    {"", "QLinearMatMul", 10, buildQLinearMatMul, ""},
    {"", "QuantizeLinear", 10, buildQuantizeLinear, QuantizationAttributes},
    {"", "ReduceMax", 18, buildReduceMax, ReductionAttributes, Role::Selection},
    {"", "ReduceMean", 18, buildReduceMean, ReductionAttributes, Role::Average},
    {"", "ReduceSum", 13, buildReduceSum, ReductionAttributes, Role::Average},
    {"", "Relu", 6, buildRelu, "", Role::Activation},
    {"", "Reshape", 5, buildReshape, "allowzero", Role::Selection},
    {"", "Resize", 11, buildResize,
     "antialias axes coordinate_transformation_mode cubic_coeff_a "
     "exclude_outside extrapolation_value keep_aspect_ratio_policy mode "
     "nearest_mode",
     Role::Selection},
    {"", "Slice", 10, buildSlice, "", Role::Selection},
    {"", "Softmax", 13, buildSoftmax, "axis"},
    {"", "SpaceToDepth", 1, buildSpaceToDepth, "blocksize", Role::Selection},
    {"", "Squeeze", 13, buildSqueeze, "", Role::Selection},
    {"", "Sub", 7, buildSub, "", Role::Addition},
    {"", "Transpose", 1, buildTranspose, "perm", Role::Selection},
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

tenon::ClusterRole tenon::frontend::roleOf(const Node &N) {
  const OperatorVersion *Best = newest(N);
  return Best ? Best->Role : Role::None;
}

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
