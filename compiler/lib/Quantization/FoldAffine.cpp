//===- FoldAffine.cpp - Scales and offsets into weights -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/FoldAffine.h"
#include "mlir/Pass/Pass.h"
#include "tenon/Quantization/Rewriting.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

/// Channel c of the result is Factors[c] * channel c of Input + Offsets[c].
struct Affine {
  Value Input;
  std::vector<double> Factors, Offsets;
};

/// A convolution or matrix product that can take it.
struct Target {
  NodeOp Op;
  TensorData Weights;
  int64_t WeightAxis;  // of the output channels
  int64_t ChannelAxis; // of the result
  int64_t Channels;
};

} // namespace

/// The product that computes `Of`, which has no other reader.
static std::optional<Target> targetOf(Value Of) {
  auto Op = Of ? Of.getDefiningOp<NodeOp>() : NodeOp();
  auto Type = Of ? dyn_cast<RankedTensorType>(Of.getType()) : nullptr;
  if (!Op || !Type || !Of.hasOneUse())
    return std::nullopt;
  Node N(Op);
  auto Weights = N.constant(1);
  if (!Weights || !Weights->elementType().isF32() || Weights->shape().empty())
    return std::nullopt;
  int64_t Axis, Last = Type.getRank() - 1;
  if (N.is("Conv")) {
    Axis = 0;
    Last = 1;
  } else if (N.is("Gemm") && Weights->shape().size() == 2) {
    auto IsTransposed = N.integer("transB", 0);
    auto Alpha = N.real("alpha", 1), Beta = N.real("beta", 1);
    if (failed(IsTransposed) || failed(Alpha) || failed(Beta) || *Alpha != 1 ||
        *Beta != 1)
      return std::nullopt;
    Axis = *IsTransposed ? 0 : 1;
  } else if (N.is("MatMul") && Weights->shape().size() == 2) {
    Axis = 1;
  } else {
    return std::nullopt;
  }
  return Target{Op, *Weights, Axis, Last, Weights->shape()[Axis]};
}

/// The values of a constant that has one, or one an output channel of `T`.
static std::optional<std::vector<double>> perChannel(Value Of,
                                                     const Target &T) {
  auto Held = Of ? constantOf(Of) : std::nullopt;
  auto Type = cast<RankedTensorType>(Node(T.Op).output(0).getType());
  if (!Held || !Held->isFloat() ||
      int64_t(Held->shape().size()) > Type.getRank())
    return std::nullopt;
  int64_t First = Type.getRank() - Held->shape().size();
  for (auto [Axis, Extent] : llvm::enumerate(Held->shape()))
    if (Extent != 1 &&
        (First + int64_t(Axis) != T.ChannelAxis || Extent != T.Channels))
      return std::nullopt;
  std::vector<double> Result(T.Channels);
  for (int64_t Index = 0; Index < T.Channels; ++Index)
    Result[Index] = Held->real(Held->size() == 1 ? 0 : Index);
  return Result;
}

//===----------------------------------------------------------------------===//
// What is folded
//===----------------------------------------------------------------------===//

static std::optional<Affine> normalization(const Node &N, const Target &T) {
  auto Epsilon = N.real("epsilon", 1e-5);
  auto Training = N.integer("training_mode", 0);
  for (int64_t Index = 1; Index < N.outputCount(); ++Index)
    if (!N.output(Index).use_empty())
      return std::nullopt;
  if (failed(Epsilon) || failed(Training) || *Training || T.ChannelAxis != 1)
    return std::nullopt;
  Affine Result{N.input(0), {}, {}};
  std::optional<TensorData> Of[4];
  for (int Index = 0; Index < 4; ++Index)
    if (Of[Index] = N.constant(Index + 1);
        !Of[Index] || Of[Index]->size() != T.Channels)
      return std::nullopt;
  for (int64_t Index = 0; Index < T.Channels; ++Index) {
    double Factor =
        Of[0]->real(Index) / std::sqrt(Of[3]->real(Index) + *Epsilon);
    Result.Factors.push_back(Factor);
    Result.Offsets.push_back(Of[1]->real(Index) - Of[2]->real(Index) * Factor);
  }
  return Result;
}

/// Mul, Div, Add and Sub of a product and a constant.
static std::optional<Affine> arithmetic(const Node &N, const Target &T,
                                        bool IsSecond) {
  auto Constant = perChannel(N.input(IsSecond ? 0 : 1), T);
  if (!Constant || (N.is("Div") && IsSecond))
    return std::nullopt;
  Affine Result{N.input(IsSecond ? 1 : 0), std::vector<double>(T.Channels, 1),
                std::vector<double>(T.Channels, 0)};
  if (N.is("Mul")) {
    Result.Factors = *Constant;
  } else if (N.is("Div")) {
    for (auto [To, From] : llvm::zip(Result.Factors, *Constant))
      To = 1 / From;
  } else if (N.is("Add")) {
    Result.Offsets = *Constant;
  } else if (IsSecond) { // constant - product
    Result.Factors.assign(T.Channels, -1);
    Result.Offsets = *Constant;
  } else {
    for (auto [To, From] : llvm::zip(Result.Offsets, *Constant))
      To = -From;
  }
  return Result;
}

static std::optional<Affine> affineOf(const Node &N, const Target &T,
                                      bool IsSecond) {
  std::optional<Affine> Result;
  if (N.is("BatchNormalization"))
    Result = normalization(N, T);
  else if (N.is("Mul") || N.is("Div") || N.is("Add") || N.is("Sub"))
    Result = arithmetic(N, T, IsSecond);
  auto IsFinite = [](double V) { return std::isfinite(V); };
  if (Result && (!llvm::all_of(Result->Factors, IsFinite) ||
                 !llvm::all_of(Result->Offsets, IsFinite)))
    return std::nullopt;
  return Result;
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

static std::vector<float> scaledWeights(const Target &T,
                                        ArrayRef<double> Factors) {
  std::vector<float> Result(T.Weights.size());
  int64_t Inner = 1;
  for (int64_t Extent : T.Weights.shape().drop_front(T.WeightAxis + 1))
    Inner *= Extent;
  for (int64_t Index = 0; Index < T.Weights.size(); ++Index)
    Result[Index] =
        float(T.Weights.real(Index) * Factors[Index / Inner % T.Channels]);
  return Result;
}

/// The bias of `T` behind `Of`; none where it has one that is not a channel's.
static std::optional<std::vector<float>> foldedBias(const Target &T,
                                                    const Affine &Of) {
  std::vector<double> Own(T.Channels, 0);
  if (Value Bias = Node(T.Op).input(2)) {
    auto Given = constantOf(Bias);
    if (!Given || !Given->isFloat() ||
        (Given->size() != 1 && Given->size() != T.Channels) ||
        (Given->size() > 1 && Given->shape().back() != T.Channels))
      return std::nullopt;
    for (int64_t Index = 0; Index < T.Channels; ++Index)
      Own[Index] = Given->real(Given->size() == 1 ? 0 : Index);
  }
  std::vector<float> Result;
  for (auto [Bias, Factor, Offset] : llvm::zip(Own, Of.Factors, Of.Offsets))
    Result.push_back(float(Bias * Factor + Offset));
  return Result;
}

/// Folds `N` into what computes its operand; whether it did.
static bool fold(NodeOp Op, Rewriting &R) {
  Node N(Op);
  for (bool IsSecond : {false, true}) {
    auto T = targetOf(N.input(IsSecond ? 1 : 0));
    auto Of = T ? affineOf(N, *T, IsSecond) : std::nullopt;
    auto Bias = Of ? foldedBias(*T, *Of) : std::nullopt;
    if (!Bias)
      continue;
    bool IsMatMul = Node(T->Op).is("MatMul");
    bool HasBias = llvm::any_of(*Bias, [](float V) { return V != 0; });
    auto Type = cast<RankedTensorType>(T->Op.getResult(0).getType());
    // A product over more than two dimensions has no bias of its own.
    if (IsMatMul && HasBias && Type.getRank() != 2)
      continue;
    std::string Name = N.outputName(0).str();
    SmallVector<Value> Inputs{Node(T->Op).input(0),
                              R.floats(Name + "/weights", T->Weights.shape(),
                                       scaledWeights(*T, Of->Factors))};
    if (HasBias || Node(T->Op).hasInput(2))
      Inputs.push_back(R.floats(Name + "/bias", {T->Channels}, *Bias));
    if (IsMatMul && HasBias)
      T->Op.setOpType("Gemm");
    T->Op.getInputsMutable().assign(Inputs);
    Op.getResult(0).replaceAllUsesWith(T->Op.getResult(0));
    Op.erase();
    R.rename(T->Op.getResult(0), Name);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Factors of whole tensors
//===----------------------------------------------------------------------===//

namespace {

/// Constants times a factor: one for all that read the same constant, as layers
/// that share weights do.
class Scaling {
public:
  explicit Scaling(Rewriting &R) : R(R) {}

  Value scaled(Value Constant, double Factor) {
    Value &Result = Made[{Constant, llvm::bit_cast<uint64_t>(Factor)}];
    if (!Result) {
      std::vector<float> Elements = floatsOf(Constant);
      for (float &Element : Elements)
        Element = float(Element * Factor);
      Result = R.floats(nameOf(Constant) + "/scaled",
                        cast<RankedTensorType>(Constant.getType()).getShape(),
                        Elements);
    }
    return Result;
  }

private:
  Rewriting &R;
  llvm::DenseMap<std::pair<Value, uint64_t>, Value> Made;
};

} // namespace

static bool isFloatConstant(Value Of) {
  auto Held = constantOf(Of);
  return Held && Held->elementType().isF32();
}

static bool onlyMoves(const Node &N) {
  return N.is("Reshape") || N.is("Transpose") || N.is("Flatten") ||
         N.is("Squeeze") || N.is("Unsqueeze");
}

/// Gathers the operands whose multiples make `Of` as many times as large; false
/// where there are none, or somebody else would read the multiple.
static bool gatherLinear(Value Of, SmallVectorImpl<OpOperand *> &Constants) {
  auto Op = Of.getDefiningOp<NodeOp>();
  if (!Op || !Of.hasOneUse())
    return false;
  Node N(Op);
  if (onlyMoves(N))
    return gatherLinear(N.input(0), Constants);
  if (targetOf(Of)) {
    for (OpOperand &Operand : llvm::drop_begin(Op->getOpOperands()))
      Constants.push_back(&Operand);
    return llvm::all_of(llvm::drop_begin(Op->getOperands()), isFloatConstant);
  }
  const size_t Before = Constants.size();
  for (int64_t Index : {0, 1}) {
    if (N.is("MatMul") && gatherLinear(N.input(Index), Constants))
      return true;
    Constants.truncate(Before);
    if (!N.is("Add") || !isFloatConstant(N.input(1 - Index)))
      continue;
    Constants.push_back(&Op->getOpOperand(1 - Index));
    return gatherLinear(N.input(Index), Constants);
  }
  return false;
}

/// What a Mul or Div makes of the input at `Index`: so many times as much.
static std::optional<double> factorOf(const Node &N, int64_t Index) {
  const bool Divides = N.is("Div");
  if (!N.is("Mul") && !(Divides && Index == 0))
    return std::nullopt;
  auto Held = N.constant(1 - Index);
  if (!Held || !Held->isFloat() || Held->size() != 1)
    return std::nullopt;
  double Factor = Divides ? 1 / Held->real(0) : Held->real(0);
  if (!std::isfinite(Factor))
    return std::nullopt;
  return Factor;
}

/// Lets weights further up be so many times as large; whether it did.
static bool raiseFactor(NodeOp Op, Rewriting &R, Scaling &S) {
  Node N(Op);
  for (int64_t Index : {0, 1}) {
    SmallVector<OpOperand *> Constants;
    Value Of = N.input(Index);
    auto Factor = factorOf(N, Index);
    if (!Factor || Of.getType() != N.output(0).getType() ||
        !gatherLinear(Of, Constants))
      continue;
    for (OpOperand *Constant : Constants)
      Constant->set(S.scaled(Constant->get(), *Factor));
    std::string Name = N.outputName(0).str();
    Op.getResult(0).replaceAllUsesWith(Of);
    Op.erase();
    R.rename(Of, Name);
    return true;
  }
  return false;
}

int64_t tenon::quantization::foldAffine(GraphOp Graph) {
  Rewriting R(Graph);
  Scaling S(R);
  int64_t Count = 0;
  for (NodeOp Op :
       llvm::make_early_inc_range(Graph.getBody().front().getOps<NodeOp>()))
    Count += fold(Op, R) || raiseFactor(Op, R, S);
  dropUnusedConstants(Graph);
  return Count;
}

namespace {
struct FoldAffinePass
    : public PassWrapper<FoldAffinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldAffinePass)

  StringRef getArgument() const final { return "onnx-fold-affine"; }
  StringRef getDescription() const final {
    return "Fold batch normalisation, scales and offsets into weights and bias";
  }
  void runOnOperation() final {
    if (GraphOp Graph = mainGraph(getOperation()))
      foldAffine(Graph);
  }
};
} // namespace

void tenon::quantization::registerFoldAffinePass() {
  PassRegistration<FoldAffinePass>();
}
