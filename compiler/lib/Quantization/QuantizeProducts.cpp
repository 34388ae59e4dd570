//===- QuantizeProducts.cpp - Weights and biases as integers --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "QuantizeProducts.h"
#include "tenon/Dialect/ONNX/TensorData.h"
#include "tenon/Quantization/BiasCorrection.h"
#include "tenon/Quantization/ProductInputs.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

std::string tenon::quantization::integersName(StringRef Tensor) {
  return (Tensor + "/quantized").str();
}

std::string tenon::quantization::roundedName(StringRef Tensor) {
  return (Tensor + "/dequantized").str();
}

/// The constant weights; fails, with a diagnostic, where they are not finite.
static FailureOr<std::vector<float>> weightsOf(NodeOp Product) {
  Node N(Product);
  std::vector<float> Weights = floatsOf(N.input(1));
  if (!llvm::all_of(Weights, [](float V) { return std::isfinite(V); }))
    return N.error() << "the weights '" << N.inputName(1)
                     << "' have elements that are no finite numbers: "
                        "they cannot be quantised";
  return Weights;
}

namespace {

class ProductQuantizer {
public:
  ProductQuantizer(Rewriting &R, const Plan &Of, const Calibration &With,
                   bool HasSwitches, const Switch &Switched)
      : R(R), Of(Of), With(With), HasSwitches(HasSwitches), Switched(Switched) {
  }

  LogicalResult run();

private:
  Precision precisionOf(const PlannedLayer &Layer) const {
    return quantization::precisionOf(With.Layers, Layer.Node);
  }
  const Parameters &parametersOf(StringRef Tensor) const {
    return With.Groups[Of.tensor(Tensor)->Group];
  }
  void findLeastScales();
  LogicalResult quantizeWeights(const PlannedLayer &Layer);
  const std::vector<double> *meansOf(const PlannedLayer &Layer) const;
  std::optional<std::vector<double>> shiftOf(const PlannedLayer &Layer,
                                             const IntegerWeights &Weights);
  std::vector<float> biasOf(const PlannedLayer &Layer,
                            const IntegerWeights &Weights);
  void quantizeBias(const PlannedLayer &Layer, const IntegerWeights &Weights);
  void correctSum(const PlannedLayer &Layer, const IntegerWeights &Weights);
  WeightShape shapeOf(const PlannedLayer &Layer) const;
  Value dequantized(Value Integers, ArrayRef<float> Scales, int64_t Axis,
                    const llvm::Twine &Name);
  Value dequantizedGroups(Value Integers, ArrayRef<float> Scales, int64_t Axis,
                          const llvm::Twine &Name);

  /// Weights that layers share are rounded once.
  struct Shared {
    IntegerWeights Integers;
    Value Dequantized;
  };

  Rewriting &R;
  const Plan &Of;
  const Calibration &With;
  const bool HasSwitches;
  const Switch &Switched;
  std::map<std::pair<std::string, std::optional<int64_t>>, Shared>
      Rounded; // by the name and the axis of groups
  llvm::StringMap<std::vector<float>> Least; // scales of weights
  /// Of weights, whose product with the input's, that of the bias, is no less
  /// than a normal float.
  llvm::StringMap<float> LeastNormal;
};

} // namespace

WeightShape ProductQuantizer::shapeOf(const PlannedLayer &Layer) const {
  auto Dims =
      cast<RankedTensorType>(R.find(Layer.Weights).getType()).getShape();
  WeightShape Shape;
  for (auto [Axis, Extent] : llvm::enumerate(Dims)) {
    int64_t &To = int64_t(Axis) < Layer.WeightAxis    ? Shape.Outer
                  : int64_t(Axis) == Layer.WeightAxis ? Shape.Channels
                                                      : Shape.Inner;
    To *= Extent;
  }
  if (Layer.GroupAxis) {
    Shape.Group = With.Weights.Group;
    Shape.Inputs = Dims[*Layer.GroupAxis];
    Shape.Stride = *elementCount(Dims.drop_front(*Layer.GroupAxis + 1));
  }
  return Shape;
}

/// Largest bias in steps of the accumulator: the sums, which have 32 bits, need
/// the rest.
static constexpr double LargestBias = 1 << 30;

/// Weights that layers share need the largest of what each needs.
void ProductQuantizer::findLeastScales() {
  for (const PlannedLayer &Layer : Of.Layers) {
    if (Layer.Role != ClusterRole::Contraction ||
        precisionOf(Layer) != Precision::Int8)
      continue;
    const float Input = parametersOf(Layer.Inputs[0]).Scale;
    float &Normal = LeastNormal[Layer.Weights];
    Normal = std::max(Normal, std::numeric_limits<float>::min() / Input);
    std::vector<float> Bias = floatsOf(R.find(Layer.Bias));
    if (Bias.empty())
      continue;
    const int64_t Channels = shapeOf(Layer).Channels;
    std::vector<float> &Bound = Least[Layer.Weights];
    Bound.resize(Channels, 0);
    for (int64_t Channel = 0; Channel < Channels; ++Channel)
      Bound[Channel] =
          std::max(Bound[Channel],
                   float(std::fabs(Bias[Bias.size() == 1 ? 0 : Channel]) /
                         (Input * LargestBias)));
  }
}

Value ProductQuantizer::dequantized(Value Integers, ArrayRef<float> Steps,
                                    int64_t Axis, const llvm::Twine &Name) {
  auto Type = cast<RankedTensorType>(Integers.getType());
  SmallVector<int64_t> Dims;
  SmallVector<NamedAttribute> Attributes;
  if (Steps.size() > 1) {
    Dims.push_back(Steps.size());
    Attributes.push_back(R.B.getNamedAttr("axis", R.B.getI64IntegerAttr(Axis)));
  }
  SmallVector<int8_t> Zeros(*storageBytes(Type.getElementType(), Steps.size()),
                            0);
  Value Scale = R.floats(Name + "/scale", Dims, Steps);
  Value Zero = R.constant<int8_t>(Name + "/zero_point", Type.getElementType(),
                                  Dims, Zeros);
  return R.node("DequantizeLinear", {Integers, Scale, Zero},
                RankedTensorType::get(Type.getShape(), R.B.getF32Type()),
                roundedName(Name.str()), Attributes);
}

/// There is no zero point, which is 0.
Value ProductQuantizer::dequantizedGroups(Value Integers, ArrayRef<float> Steps,
                                          int64_t Axis,
                                          const llvm::Twine &Name) {
  auto Type = cast<RankedTensorType>(Integers.getType());
  SmallVector<int64_t> Dims(Type.getShape());
  Dims[Axis] = llvm::divideCeil(Dims[Axis], With.Weights.Group);
  auto Attribute = [&](StringRef Called, int64_t Value) {
    return R.B.getNamedAttr(Called, R.B.getI64IntegerAttr(Value));
  };
  return R.node(
      "DequantizeLinear", {Integers, R.floats(Name + "/scale", Dims, Steps)},
      RankedTensorType::get(Type.getShape(), R.B.getF32Type()),
      roundedName(Name.str()),
      {Attribute("axis", Axis), Attribute("block_size", With.Weights.Group)});
}

/// The means of the channels that the product sums over; null where they are
/// not asked for, or were taken along another axis.
const std::vector<double> *
ProductQuantizer::meansOf(const PlannedLayer &Layer) const {
  auto Found = With.Means.find(Layer.Inputs[0]);
  if (Found == With.Means.end())
    return nullptr;
  Node N(cast<NodeOp>(R.find(Layer.Output).getDefiningOp()));
  auto Inputs = weightInputsOf(N, Layer);
  auto Type = cast<RankedTensorType>(R.find(Layer.Inputs[0]).getType());
  const int64_t Axis = N.is("Conv") ? 1 : Type.getRank() - 1;
  return Inputs && Of.tensor(Layer.Inputs[0])->ChannelAxis == Axis &&
                 Inputs->channels() == int64_t(Found->second.size())
             ? &Found->second
             : nullptr;
}

/// How far rounding the weights moves the mean of each channel.
std::optional<std::vector<double>>
ProductQuantizer::shiftOf(const PlannedLayer &Layer,
                          const IntegerWeights &Weights) {
  const std::vector<double> *Means = meansOf(Layer);
  if (!Means)
    return std::nullopt;
  Node N(cast<NodeOp>(R.find(Layer.Output).getDefiningOp()));
  return meanShift(floatsOf(R.find(Layer.Weights)), Weights, shapeOf(Layer),
                   *weightInputsOf(N, Layer), *Means);
}

/// The bias of the product itself, one value a channel, corrected; empty where
/// there is none, or it stays as it is.
std::vector<float> ProductQuantizer::biasOf(const PlannedLayer &Layer,
                                            const IntegerWeights &Weights) {
  Node N(cast<NodeOp>(R.find(Layer.Output).getDefiningOp()));
  if (N.hasAttribute("alpha") || N.hasAttribute("beta"))
    return {};
  const int64_t Channels = shapeOf(Layer).Channels;
  std::vector<float> Bias;
  if (Value Own = N.input(2)) {
    if (cast<RankedTensorType>(Own.getType()).getRank() != 1)
      return {};
    Bias = floatsOf(Own);
    if (int64_t(Bias.size()) != Channels)
      return {};
  }
  auto Shift = shiftOf(Layer, Weights);
  if (!Shift || N.is("MatMul"))
    return Bias;
  Bias.resize(Channels, 0);
  for (auto [Value, By] : llvm::zip(Bias, *Shift))
    Value -= By;
  return Bias;
}

/// In the accumulator's scale; in float beside activations in float, or of 16
/// bits, whose product with weights of 8 has no 32 bits of room for it.
void ProductQuantizer::quantizeBias(const PlannedLayer &Layer,
                                    const IntegerWeights &Weights) {
  auto Op = cast<NodeOp>(R.find(Layer.Output).getDefiningOp());
  std::vector<float> Bias = biasOf(Layer, Weights);
  if (Bias.empty())
    return;
  std::string Name = Layer.Bias.empty() ? Layer.Output + "/bias" : Layer.Bias;
  if (Layer.GroupAxis || precisionOf(Layer) == Precision::Int16) {
    Value Held =
        R.floats(R.fresh(Name + "/corrected"), {int64_t(Bias.size())}, Bias);
    Op.getInputsMutable().assign({Op.getInputs()[0], Op.getInputs()[1], Held});
    return;
  }
  const float Input = parametersOf(Layer.Inputs[0]).Scale;
  std::vector<float> Steps;
  for (float Scale : Weights.Scales)
    Steps.push_back(Input * Scale);
  std::vector<int32_t> Integers;
  for (auto [Channel, Value] : llvm::enumerate(Bias))
    Integers.push_back(int32_t(std::clamp<double>(
        std::nearbyint(Value / (double(Input) * Weights.scaleOf(Channel))),
        INT32_MIN, INT32_MAX)));
  Value Held = R.constant<int32_t>(integersName(Name), R.B.getI32Type(),
                                   {int64_t(Integers.size())}, Integers);
  Value Rounded = dequantized(Held, Steps, 0, Name);
  Value Float = Node(Op).input(2);
  if (!Float && HasSwitches)
    Float = R.floats(Name + "/none", {int64_t(Bias.size())},
                     std::vector<float>(Bias.size(), 0));
  Op.getInputsMutable().assign(
      {Op.getInputs()[0], Op.getInputs()[1], Switched(Layer, Rounded, Float)});
}

/// Of a matrix product whose bias an Add of its own adds: a float constant, of
/// which import makes integers.
void ProductQuantizer::correctSum(const PlannedLayer &Layer,
                                  const IntegerWeights &Weights) {
  Value Product = R.find(Layer.Output);
  auto Shift = shiftOf(Layer, Weights);
  if (!Shift || Layer.Bias.empty() ||
      Node(cast<NodeOp>(Product.getDefiningOp())).hasInput(2))
    return;
  std::vector<float> Bias = floatsOf(R.find(Layer.Bias)), Corrected;
  for (auto [Channel, By] : llvm::enumerate(*Shift))
    Corrected.push_back(Bias[Bias.size() == 1 ? 0 : Channel] - By);
  Value Float = R.find(Layer.Bias);
  Value Held = R.floats(Layer.Bias + "/corrected", {int64_t(Corrected.size())},
                        Corrected);
  Operation *Sum = *Product.getUsers().begin();
  R.B.setInsertionPoint(Sum);
  Sum->setOperand(Sum->getOperand(0) == Product ? 1 : 0,
                  Switched(Layer, Held, Float));
}

LogicalResult ProductQuantizer::quantizeWeights(const PlannedLayer &Layer) {
  auto Op = cast<NodeOp>(R.find(Layer.Output).getDefiningOp());
  R.B.setInsertionPoint(Op);
  auto [Found, IsNew] =
      Rounded.try_emplace(std::pair(Layer.Weights, Layer.GroupAxis));
  Shared &Result = Found->second;
  if (IsNew) {
    Value Float = R.find(Layer.Weights);
    FailureOr<std::vector<float>> Weights = weightsOf(Op);
    if (failed(Weights))
      return failure();
    WeightShape Shape = shapeOf(Layer);
    std::vector<float> Scales =
        weightScales(*Weights, Shape, With.Weights, Least[Layer.Weights]);
    for (float &Scale : Scales)
      Scale = std::max(Scale, LeastNormal.lookup(Layer.Weights));
    Result.Integers =
        roundWeights(*Weights, Shape, With.Weights, std::move(Scales));
    if (With.Rounding)
      With.Rounding->round(Layer.Weights, *Weights, Shape, With.Weights,
                           meansOf(Layer) != nullptr, Result.Integers);
    auto Dims = cast<RankedTensorType>(Float.getType()).getShape();
    Value Held = R.integers(integersName(Layer.Weights), With.Weights.Bits,
                            Dims, Result.Integers.Values);
    Result.Dequantized =
        Layer.GroupAxis ? dequantizedGroups(Held, Result.Integers.Scales,
                                            *Layer.GroupAxis, Layer.Weights)
                        : dequantized(Held, Result.Integers.Scales,
                                      Layer.WeightAxis, Layer.Weights);
  }
  Op.setOperand(1, Switched(Layer, Result.Dequantized, R.find(Layer.Weights)));
  quantizeBias(Layer, Result.Integers);
  correctSum(Layer, Result.Integers);
  return success();
}

LogicalResult ProductQuantizer::run() {
  findLeastScales();
  for (const PlannedLayer &Layer : Of.Layers)
    if (Layer.Role == ClusterRole::Contraction &&
        precisionOf(Layer) != Precision::Float &&
        failed(quantizeWeights(Layer)))
      return failure();
  for (const PlannedLayer &Layer : Of.Grouped)
    if (failed(quantizeWeights(Layer)))
      return failure();
  return success();
}

LogicalResult tenon::quantization::quantizeProducts(Rewriting &R,
                                                    const Plan &Of,
                                                    const Calibration &With,
                                                    bool HasSwitches,
                                                    const Switch &Switched) {
  return ProductQuantizer(R, Of, With, HasSwitches, Switched).run();
}
