//===- ChannelClasses.cpp - Channels that have one factor -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Nodes are walked in order; each gives the channels of its result variables of
// their own, or those of its operands. What no rule knows pins them.
//
//===----------------------------------------------------------------------===//

#include "ChannelClasses.h"
#include "tenon/Quantization/Balance.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

class Classifier {
public:
  Classifier(const Products &Found, const SeenChannels &Seen)
      : Found(Found), Seen(Seen) {}

  ChannelClasses run(Block &Body);

private:
  std::optional<Channels> known(Value Tensor) const;
  Channels newVariables(Value Of, int64_t Axis);
  std::optional<Channels> of(Value Tensor, int64_t Axis);
  void join(const Channels &A, const Channels &B);
  void pin(const Channels &Of);
  void pass(NodeOp Op, unsigned Operand, Channels As);
  bool takesProduct(NodeOp Op);
  bool takesNormalization(NodeOp Op);
  bool takesVector(NodeOp Op);
  bool takesConcatenation(NodeOp Op);
  bool takesClip(NodeOp Op);
  bool takesSum(NodeOp Op);
  bool takesGate(NodeOp Op);
  bool takesMove(NodeOp Op);
  void takes(NodeOp Op);
  void pinForeignUses();
  void number();

  const Products &Found;
  const SeenChannels &Seen;
  ChannelClasses Result; // of variables, until they are numbered
  llvm::IntEqClasses Equal;
  /// Uses that a factor passes, or that weights meet.
  llvm::DenseSet<OpOperand *> Handled;
  /// The first product of those that share weights.
  llvm::DenseMap<std::pair<Value, int64_t>, NodeOp> Sharing;
};

} // namespace

static int64_t rankOf(Value Of) {
  auto Type = dyn_cast<RankedTensorType>(Of.getType());
  return Type ? Type.getRank() : 0;
}

/// How many channels a tensor of floats has along an axis.
static std::optional<int64_t> extentOf(Value Of, int64_t Axis) {
  auto Type = dyn_cast<RankedTensorType>(Of.getType());
  if (!Type || Type.getRank() < 2 || Axis < 0 || Axis >= Type.getRank() ||
      Type.isDynamicDim(Axis) || !Type.getElementType().isF32())
    return std::nullopt;
  return Type.getDimSize(Axis);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

std::optional<Channels> Classifier::known(Value Tensor) const {
  auto Found = Result.Tensors.find(Tensor);
  if (Found == Result.Tensors.end())
    return std::nullopt;
  return Found->second;
}

Channels Classifier::newVariables(Value Of, int64_t Axis) {
  Channels New{Axis, {}};
  for (int64_t Channel = 0; Channel < extentOf(Of, Axis).value_or(0); ++Channel)
    New.Classes.push_back(Result.Pinned.size() + Channel);
  Result.Pinned.resize(Result.Pinned.size() + New.Classes.size(), false);
  Equal.grow(Result.Pinned.size());
  return New;
}

/// Those of a tensor that nothing known computes are pinned.  None where its
/// channels lie along another axis.
std::optional<Channels> Classifier::of(Value Tensor, int64_t Axis) {
  auto Found = known(Tensor);
  if (!Found) {
    Found = newVariables(Tensor, Axis);
    pin(*Found);
    Result.Tensors[Tensor] = *Found;
  }
  return Found->Axis == Axis ? Found : std::nullopt;
}

void Classifier::pin(const Channels &Of) {
  for (unsigned Variable : Of.Classes)
    Result.Pinned[Variable] = true;
}

void Classifier::join(const Channels &A, const Channels &B) {
  for (auto [First, Second] : llvm::zip(A.Classes, B.Classes))
    Equal.join(First, Second);
}

/// The result has the channels of an operand.
void Classifier::pass(NodeOp Op, unsigned Operand, Channels As) {
  Handled.insert(&Op->getOpOperand(Operand));
  Result.Tensors[Op.getResult(0)] = std::move(As);
}

//===----------------------------------------------------------------------===//
// Where factors come from and go to
//===----------------------------------------------------------------------===//

/// Products that share weights share factors, lest the weights be there twice.
bool Classifier::takesProduct(NodeOp Op) {
  auto Of = Found.find(Op);
  if (Of == Found.end())
    return false;
  Value Made = Op.getResult(0), Operand = Op.getOperand(0);
  const Product &P = Of->second;
  const int64_t Axis = P.channelAxis(rankOf(Made));
  auto Read = of(Operand, P.channelAxis(rankOf(Operand)));
  if (!Read || int64_t(Read->Classes.size()) != P.inputs() ||
      extentOf(Made, Axis) != P.Outputs)
    return false;
  pass(Op, 0, newVariables(Made, Axis));
  auto [First, IsNew] = Sharing.try_emplace({Op.getOperand(1), P.layout()}, Op);
  if (!IsNew) {
    join(*Read, *known(First->second.getOperand(0)));
    join(*known(Made), *known(First->second.getResult(0)));
  }
  Result.Products.push_back(Op);
  return true;
}

static bool areUnused(ResultRange Results) {
  return llvm::all_of(Results, [](Value Of) { return Of.use_empty(); });
}

/// Of the last axis, by a factor a channel and perhaps an offset.
bool Classifier::takesNormalization(NodeOp Op) {
  Node N(Op);
  if (!N.is("LayerNormalization") && !N.is("RMSNormalization"))
    return false;
  Value Made = Op.getResult(0);
  const int64_t Last = rankOf(Made) - 1;
  auto Axis = N.integer("axis", -1);
  auto Count = extentOf(Made, Last);
  if (failed(Axis) || (*Axis != -1 && *Axis != Last) || !Count ||
      !areUnused(Op->getResults().drop_front()))
    return false;
  auto Vectors = llvm::drop_begin(Op->getOpOperands());
  for (OpOperand &Vector : Vectors)
    if (int64_t(floatsOf(Vector.get()).size()) != *Count)
      return false;
  for (OpOperand &Vector : Vectors)
    Result.Vectors.push_back(&Vector);
  Result.Tensors[Made] = newVariables(Made, Last);
  return true;
}

/// The axis of a tensor of that rank along which a constant differs.
static std::optional<int64_t> vectorAxis(const TensorData &Of, int64_t Rank) {
  std::optional<int64_t> Axis;
  const int64_t First = Rank - Of.shape().size();
  for (auto [At, Extent] : llvm::enumerate(Of.shape()))
    if (Extent != 1) {
      if (Axis)
        return std::nullopt;
      Axis = First + int64_t(At);
    }
  return Axis;
}

/// A product with a value a channel makes channels as wide as that says, so
/// that factors begin there; an offset a channel has its channel's factor.
bool Classifier::takesVector(NodeOp Op) {
  Node N(Op);
  if (!N.is("Mul") && !N.is("Add"))
    return false;
  for (int64_t Index : {0, 1}) {
    Value Of = N.input(1 - Index), Made = N.output(0);
    auto Held = N.constant(Index);
    auto Axis = Held ? vectorAxis(*Held, rankOf(Made)) : std::nullopt;
    if (!Axis || rankOf(Of) != rankOf(Made) ||
        extentOf(Of, *Axis) != Held->size() || constantOf(Of))
      continue;
    auto Same = known(Of);
    if (N.is("Mul"))
      Result.Tensors[Made] = newVariables(Made, *Axis);
    else if (Same && Same->Axis == *Axis)
      pass(Op, 1 - Index, *Same);
    else
      return false;
    Result.Vectors.push_back(&Op->getOpOperand(Index));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// What factors pass
//===----------------------------------------------------------------------===//

bool Classifier::takesConcatenation(NodeOp Op) {
  Node N(Op);
  auto Given = N.integer("axis", -1);
  if (!N.is("Concat") || failed(Given))
    return false;
  const int64_t Axis = *Given + (*Given < 0 ? rankOf(N.output(0)) : 0);
  if (llvm::none_of(Op.getOperands(), [&](Value Part) {
        auto Of = known(Part);
        return Of && Of->Axis == Axis;
      }))
    return false;
  Channels All{Axis, {}};
  for (Value Part : Op.getOperands())
    if (auto Of = of(Part, Axis))
      llvm::append_range(All.Classes, Of->Classes);
  if (int64_t(All.Classes.size()) != extentOf(N.output(0), Axis))
    return false;
  for (unsigned Part = 0; Part < Op->getNumOperands(); ++Part)
    pass(Op, Part, All);
  return true;
}

/// A channel that was cut off, or whose values were not seen, has no factor;
/// another one reaches the bound with none either.
bool Classifier::takesClip(NodeOp Op) {
  Node N(Op);
  auto Low = N.is("Clip") ? N.constant(1) : std::nullopt;
  auto High = N.is("Clip") ? N.constant(2) : std::nullopt;
  auto Same = known(Op.getOperand(0));
  if (!Low || !High || Low->size() != 1 || High->size() != 1 ||
      Low->real(0) != 0 || !Same)
    return false;
  auto Values = Seen.find(nameOf(Op.getResult(0)).str());
  const bool IsKnown = Values != Seen.end() &&
                       Values->second.Axis == Same->Axis &&
                       Values->second.Ranges.size() == Same->Classes.size();
  for (auto [Channel, Variable] : llvm::enumerate(Same->Classes))
    if (!IsKnown || !(Values->second.Ranges[Channel].High * BalanceHeadroom <
                      High->real(0)))
      Result.Pinned[Variable] = true;
  pass(Op, 0, *Same);
  return true;
}

bool Classifier::takesSum(NodeOp Op) {
  Node N(Op);
  if (!N.is("Add"))
    return false;
  Value A = N.input(0), B = N.input(1);
  const Type Whole = N.output(0).getType();
  auto First = known(A), Second = known(B);
  if (!First || !Second || First->Axis != Second->Axis ||
      A.getType() != Whole || B.getType() != Whole || A == B)
    return false;
  join(*First, *Second);
  pass(Op, 0, *First);
  pass(Op, 1, *First);
  return true;
}

/// A product with squeeze-excite's gate, which is not known here.
bool Classifier::takesGate(NodeOp Op) {
  Node N(Op);
  if (!N.is("Mul") || N.input(0) == N.input(1) || N.constant(0) ||
      N.constant(1))
    return false;
  const unsigned Main = N.input(0).getType() == N.output(0).getType() ? 0 : 1;
  auto Same = known(N.input(Main));
  if (!Same || N.input(Main).getType() != N.output(0).getType())
    return false;
  pass(Op, Main, *Same);
  return true;
}

/// The elements behind an axis; none where their number is open.
static std::optional<int64_t> innerOf(Value Of, int64_t Axis) {
  int64_t Inner = 1;
  for (int64_t Extent :
       cast<RankedTensorType>(Of.getType()).getShape().drop_front(Axis + 1)) {
    if (ShapedType::isDynamic(Extent))
      return std::nullopt;
    Inner *= Extent;
  }
  return Inner;
}

/// The axis of the result at which each channel has as many elements behind it
/// as at `Axis` of the operand.
static std::optional<int64_t> reshapedAxis(const Node &N, int64_t Axis) {
  Value From = N.input(0), To = N.output(0);
  const auto Extent = extentOf(From, Axis), Inner = innerOf(From, Axis);
  for (int64_t At = rankOf(To) - 1; At >= 0 && Inner; --At)
    if (extentOf(To, At) == Extent && innerOf(To, At) == Inner)
      return At;
  return std::nullopt;
}

/// Where the channels are behind the mean of other axes.
static std::optional<int64_t> meanAxis(const Node &N, int64_t Axis) {
  auto Axes = N.constant(1);
  auto Keeps = N.integer("keepdims", 1);
  if (!Axes || failed(Keeps))
    return std::nullopt;
  int64_t Before = 0;
  for (int64_t At = 0; At < Axes->size(); ++At) {
    const int64_t Given = Axes->integer(At);
    const int64_t Over = Given + (Given < 0 ? rankOf(N.input(0)) : 0);
    if (Over == Axis)
      return std::nullopt;
    Before += Over < Axis;
  }
  return *Keeps ? Axis : Axis - Before;
}

static std::optional<int64_t> transposedAxis(const Node &N, int64_t Axis) {
  auto Order = N.integers("perm", {});
  if (failed(Order) || int64_t(Order->size()) != rankOf(N.input(0)))
    return std::nullopt;
  return llvm::find(*Order, Axis) - Order->begin();
}

static std::optional<int64_t> gatheredAxis(const Node &N, int64_t Axis) {
  auto Given = N.integer("axis", 0);
  auto Indices = dyn_cast<RankedTensorType>(N.input(1).getType());
  if (failed(Given) || !Indices)
    return std::nullopt;
  const int64_t Over = *Given + (*Given < 0 ? rankOf(N.input(0)) : 0);
  if (Over == Axis)
    return std::nullopt;
  return Axis < Over ? Axis : Axis + Indices.getRank() - 1;
}

/// Where the channels are behind a node that moves or selects elements, or of
/// which f(a x) = a f(x); none where they get mixed.
static std::optional<int64_t> axisBehind(const Node &N, int64_t Axis) {
  if (N.is("Reshape") || N.is("Flatten") || N.is("Squeeze") ||
      N.is("Unsqueeze"))
    return reshapedAxis(N, Axis);
  if (N.is("Transpose"))
    return transposedAxis(N, Axis);
  if (N.is("Gather"))
    return gatheredAxis(N, Axis);
  if (N.is("ReduceMean"))
    return meanAxis(N, Axis);
  const bool IsElementwise = N.is("Relu") || N.is("LeakyRelu");
  if (isHomogeneous(N) && (IsElementwise || Axis == 1))
    return Axis;
  return std::nullopt;
}

bool Classifier::takesMove(NodeOp Op) {
  Node N(Op);
  auto Same = known(N.input(0));
  auto Axis = Same ? axisBehind(N, Same->Axis) : std::nullopt;
  if (!Axis || extentOf(N.output(0), *Axis) != int64_t(Same->Classes.size()))
    return false;
  pass(Op, 0, {*Axis, Same->Classes});
  return true;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

void Classifier::takes(NodeOp Op) {
  if (Op->getNumResults() == 0 || Op->getNumOperands() == 0 ||
      !Node(Op).input(0))
    return;
  for (auto Rule : {&Classifier::takesProduct, &Classifier::takesNormalization,
                    &Classifier::takesVector, &Classifier::takesConcatenation,
                    &Classifier::takesClip, &Classifier::takesSum,
                    &Classifier::takesGate, &Classifier::takesMove})
    if ((this->*Rule)(Op))
      return;
}

void Classifier::pinForeignUses() {
  for (auto &[Tensor, Of] : Result.Tensors)
    if (llvm::any_of(Tensor.getUses(),
                     [&](OpOperand &Use) { return !Handled.contains(&Use); }))
      pin(Of);
}

/// Classes instead of variables.
void Classifier::number() {
  Equal.compress();
  Result.Count = Equal.getNumClasses();
  std::vector<bool> Pinned(Result.Count, false);
  for (auto [Variable, IsPinned] : llvm::enumerate(Result.Pinned))
    if (IsPinned)
      Pinned[Equal[Variable]] = true;
  Result.Pinned = std::move(Pinned);
  for (auto &Entry : Result.Tensors)
    for (unsigned &Class : Entry.second.Classes)
      Class = Equal[Class];
}

ChannelClasses Classifier::run(Block &Body) {
  for (auto Op : Body.getOps<NodeOp>())
    takes(Op);
  pinForeignUses();
  number();
  return std::move(Result);
}

ChannelClasses tenon::quantization::classifyChannels(GraphOp Graph,
                                                     const Products &Found,
                                                     const SeenChannels &Seen) {
  return Classifier(Found, Seen).run(Graph.getBody().front());
}
