//===- Plan.cpp - What of a network is quantised --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Plan.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/Quantization/Rewriting.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <limits>

using namespace mlir;
using namespace tenon;
using namespace tenon::quantization;
using onnx::Node;
using onnx::NodeOp;

namespace {

class Planner {
public:
  Planner(onnx::GraphOp Graph, const std::set<std::string> &Left, int64_t Group)
      : Body(Graph.getBody().front()), Left(Left), Group(Group) {}

  Plan run();

private:
  ClusterRole roleOf(NodeOp Op) const;
  ClusterRole integerRole(NodeOp Op) const;
  std::optional<int64_t> groupAxis(NodeOp Op) const;
  Value biasOf(const Node &N, bool IsGrouped = false) const;
  void choose();
  void dropIdleSums();
  void formLayers();
  void formLayer(NodeOp Op);
  Value fuseBehind(Value Result, PlannedLayer &Layer);
  void findProducing();
  bool leadsToProduct(Value Of) const;
  void addTensors();
  void addGrouped();
  void addGroupedProduct(NodeOp Op, int64_t Axis);

  Block &Body;
  const std::set<std::string> &Left;
  const int64_t Group; // inputs with one scale; 0: all
  Plan Result;
  /// Nodes that are quantised.
  llvm::MapVector<Operation *, ClusterRole> Chosen;
  /// Activations and biases that a layer has fused.
  llvm::DenseSet<Operation *> Fused;
  /// Quantised tensors; of layers' results, the layer.
  llvm::SetVector<Value> Tensors;
  llvm::DenseSet<Value> Selected;
  llvm::EquivalenceClasses<Value> Groups;
  /// Nodes that are quantised products, or that lead to one.
  llvm::DenseSet<Operation *> Producing;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which nodes
//===----------------------------------------------------------------------===//

static bool isFloatTensor(Value Of) {
  auto Type = dyn_cast<RankedTensorType>(Of.getType());
  return Type && Type.getElementType().isF32();
}

static bool isConstant(Value Of) { return onnx::constantOf(Of).has_value(); }

static bool isElementwise(ClusterRole Role) {
  return Role == ClusterRole::Addition || Role == ClusterRole::Multiplication;
}

/// The operands that are activations.
static SmallVector<Value> activations(const Node &N, ClusterRole Role) {
  SmallVector<Value> Result;
  int64_t Count = Role == ClusterRole::Product ? 2 : 1;
  if (isElementwise(Role) || Role == ClusterRole::Concatenation)
    Count = N.inputCount();
  // What a constant is added to, or multiplied by, may be the second operand.
  else if ((Role == ClusterRole::Function || Role == ClusterRole::Activation) &&
           N.inputCount() == 2 && isConstant(N.input(0)))
    return {N.input(1)};
  for (int64_t Index = 0; Index < Count; ++Index)
    if (Value Input = N.input(Index))
      Result.push_back(Input);
  return Result;
}

static int64_t rankOf(Value Of) {
  auto Type = dyn_cast<RankedTensorType>(Of.getType());
  return Type ? Type.getRank() : 0;
}

/// Whether `Second` is one pixel of images that have the shape of `First`.
static bool isPixelOf(Value Second, Value First) {
  auto A = dyn_cast<RankedTensorType>(First.getType()),
       B = dyn_cast<RankedTensorType>(Second.getType());
  return A && B && A.getRank() == 4 && B.getRank() == 4 && A.hasStaticShape() &&
         A.getShape().take_front(2) == B.getShape().take_front(2) &&
         B.getDimSize(2) == 1 && B.getDimSize(3) == 1;
}

/// The one positive number by which `N` multiplies or divides, if it does.
static bool scalesByOne(const Node &N) {
  for (int64_t Index : {0, 1})
    if (auto Factor = N.constant(Index);
        Factor && Factor->isFloat() && Factor->size() == 1)
      return (N.is("Mul") || (N.is("Div") && Index == 1)) &&
             Factor->real(0) > 0;
  return false;
}

/// What an element-wise operator of one image and a constant, one value or one
/// a channel, becomes.
static ClusterRole roleBesideConstant(const Node &N, int64_t Constant) {
  auto Held = N.constant(Constant);
  Value Of = N.input(1 - Constant);
  if (isConstant(Of) || !Held->isFloat() ||
      int64_t(Held->shape().size()) > rankOf(Of) ||
      (N.is("Div") && Constant == 0))
    return ClusterRole::None;
  if (scalesByOne(N))
    return ClusterRole::Activation;
  int64_t First = rankOf(Of) - Held->shape().size();
  for (auto [Axis, Extent] : llvm::enumerate(Held->shape()))
    if (Extent != 1 && First + int64_t(Axis) != 1)
      return ClusterRole::None;
  return ClusterRole::Function;
}

/// What an operator becomes where its operands are images.
static ClusterRole roleOfElementwise(const Node &N, ClusterRole Role) {
  for (int64_t Index : {0, 1})
    if (isConstant(N.input(Index)))
      return roleBesideConstant(N, Index);
  Value A = N.input(0), B = N.input(1);
  bool Fits = A.getType() == B.getType() || isPixelOf(A, B) || isPixelOf(B, A);
  return Fits && !N.is("Div") ? Role : ClusterRole::None;
}

/// Whether the axes of a reduction are the rows and columns of images.
static bool reducesImages(const Node &N) {
  auto Axes = N.constant(1);
  if (rankOf(N.input(0)) != 4 || !Axes || Axes->size() != 2)
    return false;
  auto Axis = [&](int64_t At) { return (Axes->integer(At) + 4) % 4; };
  return std::min(Axis(0), Axis(1)) == 2 && std::max(Axis(0), Axis(1)) == 3;
}

static int64_t weightAxis(const Node &N) {
  if (N.is("Conv"))
    return 0;
  auto IsTransposed = N.is("Gemm") ? N.integer("transB", 0) : 0;
  return succeeded(IsTransposed) && *IsTransposed ? 0 : 1;
}

/// The axis of the weights' inputs along which they are in groups, if they are.
/// A matrix of no more inputs than a group has has a scale a channel.
std::optional<int64_t> Planner::groupAxis(NodeOp Op) const {
  Node N(Op);
  if (!Group || integerRole(Op) != ClusterRole::Contraction)
    return std::nullopt;
  ArrayRef<int64_t> Dims = N.constant(1)->shape();
  const int64_t Axis = 1 - weightAxis(N);
  const bool IsMatrix = N.is("MatMul") || N.is("Gemm");
  if (IsMatrix ? Dims.size() == 2 && Dims[Axis] > Group
               : Dims[Axis] % Group == 0)
    return Axis;
  return std::nullopt;
}

/// That of a layer: grouped products are none.
ClusterRole Planner::roleOf(NodeOp Op) const {
  return groupAxis(Op) ? ClusterRole::None : integerRole(Op);
}

/// None where the node itself cannot be what its operator can be.
ClusterRole Planner::integerRole(NodeOp Op) const {
  Node N(Op);
  ClusterRole Role = clusterRole(N);
  if (isElementwise(Role))
    Role = roleOfElementwise(N, Role);
  if (N.operatorName().starts_with("Reduce") && !reducesImages(N))
    return ClusterRole::None;
  if (Role == ClusterRole::None || Left.count(N.name().str()) ||
      !isFloatTensor(N.output(0)))
    return ClusterRole::None;
  SmallVector<Value> Inputs = activations(N, Role);
  if (Inputs.empty() || !llvm::all_of(Inputs, isFloatTensor) ||
      llvm::any_of(Inputs, isConstant))
    return ClusterRole::None;
  if (Role == ClusterRole::Contraction && !N.constant(1)->isFloat())
    return ClusterRole::None;
  // Groups of a transposed convolution would share the scales of their weights.
  auto Groups = N.integer("group", 1);
  if (N.is("ConvTranspose") && (failed(Groups) || *Groups != 1))
    return ClusterRole::None;
  return Role;
}

/// Whether a constant has one value, or one a channel of `Of`, which
/// convolutions have at axis 1, matrix products at the last.
static bool isPerChannel(Value Constant, Value Of, const Node &Product) {
  auto Held = onnx::constantOf(Constant);
  auto Type = dyn_cast<RankedTensorType>(Of.getType());
  if (!Held || !Held->isFloat() || !Type ||
      int64_t(Held->shape().size()) > Type.getRank())
    return false;
  bool Convolves = Product.is("Conv") || Product.is("ConvTranspose");
  int64_t Channels = Convolves ? 1 : Type.getRank() - 1;
  int64_t First = Type.getRank() - Held->shape().size();
  for (auto [Axis, Extent] : llvm::enumerate(Held->shape()))
    if (Extent != 1 && First + int64_t(Axis) != Channels)
      return false;
  return true;
}

/// The constant that `N` adds, one value an output channel, to a product that
/// has no bias and no other reader; null where it does something else.
Value Planner::biasOf(const Node &N, bool IsGrouped) const {
  if (!N.is("Add") || Left.count(N.name().str()))
    return nullptr;
  for (int64_t Index : {0, 1}) {
    Value Of = N.input(Index), Bias = N.input(1 - Index);
    auto Op = Of.getDefiningOp<NodeOp>();
    if (Op && Of.hasOneUse() && integerRole(Op) == ClusterRole::Contraction &&
        groupAxis(Op).has_value() == IsGrouped && !Node(Op).hasInput(2) &&
        isPerChannel(Bias, Of, Node(Op)))
      return Bias;
  }
  return nullptr;
}

/// Operators that are quantised between convolutions alone: what transformers
/// compute with them (normalisations, rotations, gates) loses too much.
static bool isOfImages(NodeOp Op, ClusterRole Role) {
  Node N(Op);
  bool IsPlainSum = N.is("Add") && Role == ClusterRole::Addition &&
                    N.input(0).getType() == N.input(1).getType();
  return Role == ClusterRole::Function || scalesByOne(N) ||
         (isElementwise(Role) && !IsPlainSum);
}

/// Whether `Op` is a convolution, or computes with what convolutions made.
static bool makesImages(NodeOp Op, ClusterRole Role,
                        const llvm::DenseSet<Operation *> &Images) {
  Node N(Op);
  return N.is("Conv") ||
         (rankOf(N.output(0)) == 4 && !N.is("Reshape") && !N.is("Transpose") &&
          llvm::all_of(activations(N, Role), [&](Value Of) {
            return Images.contains(Of.getDefiningOp());
          }));
}

static bool multiplies(ClusterRole Role) {
  return Role == ClusterRole::Contraction || Role == ClusterRole::Product;
}

/// In two walks along the order of the graph: what products reach, and from the
/// end what lies between an input and a product.
void Planner::choose() {
  llvm::MapVector<Operation *, ClusterRole> Roles;
  llvm::DenseSet<Operation *> Images;
  for (auto Op : Body.getOps<NodeOp>())
    if (ClusterRole Role = roleOf(Op); Role != ClusterRole::None) {
      bool AreImages = makesImages(Op, Role, Images);
      if (AreImages)
        Images.insert(Op);
      if (AreImages || !isOfImages(Op, Role))
        Roles[Op] = Role;
    }
  llvm::DenseSet<Operation *> Reached, Leads;
  auto IsReached = [&](Value Input) {
    return Reached.contains(Input.getDefiningOp());
  };
  for (auto Op : Body.getOps<NodeOp>()) {
    Node N(Op);
    ClusterRole Role = Roles.lookup(Op);
    if (multiplies(Role) || (Role == ClusterRole::None && biasOf(N)) ||
        (Role != ClusterRole::None &&
         llvm::any_of(activations(N, Role), IsReached)))
      Reached.insert(Op);
  }
  for (auto &[Op, Role] : llvm::reverse(Roles))
    if (multiplies(Role) ||
        (!Op->use_empty() && llvm::all_of(Op->getUsers(), [&](Operation *User) {
          return Leads.contains(User);
        })))
      Leads.insert(Op);
  // From an input of the network only operators that all lead somewhere.
  llvm::DenseSet<Operation *> FromInput;
  for (auto &[Op, Role] : Roles) {
    auto IsQuantised = [&](Value Input) {
      return isa<BlockArgument>(Input) ||
             FromInput.contains(Input.getDefiningOp());
    };
    if (Leads.contains(Op) &&
        llvm::all_of(activations(Node(cast<NodeOp>(Op)), Role), IsQuantised))
      FromInput.insert(Op);
    if (Reached.contains(Op) || FromInput.contains(Op))
      Chosen[Op] = Role;
  }
  dropIdleSums();
}

/// Sums that only float nodes read: rounding them would gain nothing, and the
/// residual sums that layer normalisation reads have channels which are many
/// times as wide as others.
void Planner::dropIdleSums() {
  llvm::DenseSet<Operation *> Idle;
  for (auto &[Op, Role] : llvm::reverse(Chosen))
    if (isElementwise(Role) &&
        llvm::none_of(Op->getUsers(), [&](Operation *User) {
          return isa<onnx::YieldOp>(User) ||
                 (Chosen.contains(User) && !Idle.contains(User));
        }))
      Idle.insert(Op);
  Chosen.remove_if([&](auto &Entry) { return Idle.contains(Entry.first); });
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Takes the nodes behind `Result` into the layer; what the last one gives.
Value Planner::fuseBehind(Value Result, PlannedLayer &Layer) {
  bool IsClamped = false;
  while (Result.hasOneUse()) {
    auto Op = dyn_cast<NodeOp>(*Result.getUsers().begin());
    if (!Op || Op->getBlock() != &Body)
      break;
    Node N(Op);
    Value Bias = Layer.Nodes.size() == 1 ? biasOf(N) : Value();
    auto Found = Chosen.find(Op);
    bool IsActivation = Found != Chosen.end() &&
                        Found->second == ClusterRole::Activation &&
                        Layer.Role != ClusterRole::Selection &&
                        activations(N, Found->second)[0] == Result;
    // It is part of a layer's sums, in front of any clamp.
    if (N.is("HardSigmoid") &&
        (Layer.Role != ClusterRole::Contraction || IsClamped))
      break;
    if (!IsActivation && !Bias)
      break;
    IsClamped |= IsActivation && !scalesByOne(N);
    if (Bias)
      Layer.Bias = onnx::nameOf(Bias).str();
    Fused.insert(Op);
    Layer.Nodes.push_back(N.name().str());
    Result = N.output(0);
  }
  return Result;
}

/// Whether an average of windows needs its input's scale: where it divides by
/// the number of elements that are no padding.
static bool isUnevenAverage(const Node &N) {
  if (!N.is("AveragePool"))
    return false;
  auto Counts = N.integer("count_include_pad", 0);
  auto Pads = N.integers("pads", {});
  auto Auto = N.string("auto_pad", "NOTSET");
  return failed(Counts) || failed(Pads) || failed(Auto) ||
         (!*Counts && (*Auto == "SAME_UPPER" || *Auto == "SAME_LOWER" ||
                       llvm::any_of(*Pads, [](int64_t P) { return P > 0; })));
}

/// Whether elements between those of its input are computed, and rounded.
static bool interpolates(const Node &N) {
  auto Mode = N.string("mode", "nearest");
  return N.is("Resize") && succeeded(Mode) && *Mode != "nearest";
}

/// What a node is by itself.
static PlannedLayer layerOf(const Node &N, ClusterRole Role) {
  PlannedLayer Layer;
  Layer.Role = Role;
  Layer.Node = N.name().str();
  Layer.Operator = N.operatorName().str();
  Layer.Output = N.outputName(0).str();
  Layer.Nodes.push_back(Layer.Node);
  if (Role == ClusterRole::Contraction) {
    Layer.Weights = N.inputName(1).str();
    Layer.WeightAxis = weightAxis(N);
    Layer.Bias = N.inputName(2).str();
  }
  return Layer;
}

void Planner::formLayer(NodeOp Op) {
  Node N(Op);
  PlannedLayer Layer = layerOf(N, Chosen.lookup(Op));
  Value Last = fuseBehind(N.output(0), Layer);
  Layer.Result = onnx::nameOf(Last).str();
  bool SharesScale = Layer.Role == ClusterRole::Selection ||
                     Layer.Role == ClusterRole::Concatenation ||
                     isUnevenAverage(N);
  for (Value Input : activations(N, Layer.Role)) {
    Layer.Inputs.push_back(onnx::nameOf(Input).str());
    Tensors.insert(Input);
    if (SharesScale)
      Groups.unionSets(Input, Last);
  }
  Tensors.insert(Last);
  if ((Layer.Role == ClusterRole::Selection && !interpolates(N)) ||
      (Layer.Role == ClusterRole::Concatenation && Layer.Nodes.size() == 1))
    Selected.insert(Last);
  Result.Layers.push_back(std::move(Layer));
}

void Planner::formLayers() {
  for (auto &[Op, Role] : Chosen)
    if (!Fused.contains(Op))
      formLayer(cast<NodeOp>(Op));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Matrix products have their channels last, all others at axis 1.
static std::optional<int64_t> channelAxis(Value Of) {
  int64_t Rank = cast<RankedTensorType>(Of.getType()).getRank();
  if (Rank == 0)
    return std::nullopt;
  auto IsProduct = [](Operation *Op) {
    auto Product = dyn_cast_or_null<NodeOp>(Op);
    return Product && (Node(Product).is("MatMul") || Node(Product).is("Gemm"));
  };
  if (IsProduct(Of.getDefiningOp()) || llvm::any_of(Of.getUsers(), IsProduct))
    return Rank - 1;
  return std::min<int64_t>(1, Rank - 1);
}

bool Planner::leadsToProduct(Value Of) const {
  return llvm::any_of(Of.getUsers(), [&](Operation *User) {
    return Producing.contains(Body.findAncestorOpInBlock(*User));
  });
}

void Planner::findProducing() {
  for (Operation &Op : llvm::reverse(Body))
    if (multiplies(Chosen.lookup(&Op)) ||
        llvm::any_of(Op.getResults(),
                     [&](Value Of) { return leadsToProduct(Of); }))
      Producing.insert(&Op);
}

/// The values that one reader tells apart; none where that is all of them.
static std::optional<quantization::Range> toldApart(const Node &N) {
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  if (N.is("HardSwish"))
    return quantization::Range{-3, Infinity};
  auto Alpha = N.real("alpha", 0.2), Beta = N.real("beta", 0.5);
  if (N.is("HardSigmoid") && succeeded(Alpha) && succeeded(Beta) && *Alpha > 0)
    return quantization::Range{-*Beta / *Alpha, (1 - *Beta) / *Alpha};
  return std::nullopt;
}

/// A reader may have a positive factor for each channel in front of it.
static std::vector<quantization::Range> usefulOf(Value Of,
                                                 std::optional<int64_t> Axis) {
  auto Type = cast<RankedTensorType>(Of.getType());
  if (!Axis || Of.use_empty() || Type.isDynamicDim(*Axis))
    return {};
  std::vector<quantization::Range> Result(Type.getDimSize(*Axis));
  for (Operation *User : Of.getUsers()) {
    auto Op = dyn_cast<NodeOp>(User);
    std::vector<float> Factors(Result.size(), 1);
    if (Op && Node(Op).is("Mul") && Op.getResult(0).hasOneUse()) {
      Factors = floatsOf(Op.getOperand(1));
      Op = dyn_cast<NodeOp>(*Op->user_begin());
    }
    auto Told = Op && Factors.size() == Result.size() ? toldApart(Node(Op))
                                                      : std::nullopt;
    if (!Told)
      return {};
    for (auto [Channel, Factor] : llvm::zip(Result, Factors)) {
      if (!(Factor > 0))
        return {};
      Channel.include(
          quantization::Range{Told->Low / Factor, Told->High / Factor});
    }
  }
  return Result;
}

void Planner::addTensors() {
  llvm::StringSet<> Computed;
  for (const PlannedLayer &Layer : Result.Layers)
    Computed.insert(Layer.Result);
  llvm::DenseMap<Value, int64_t> Numbers;
  for (Value Of : Tensors) {
    PlannedTensor Tensor;
    Tensor.Name = onnx::nameOf(Of).str();
    Value Leader = Groups.contains(Of) ? Groups.getLeaderValue(Of) : Of;
    Tensor.Group = Numbers.try_emplace(Leader, Numbers.size()).first->second;
    Tensor.ChannelAxis = channelAxis(Of);
    Tensor.IsSelected = Selected.contains(Of);
    Tensor.IsFromFloat = !Computed.contains(Tensor.Name);
    Tensor.IsAnswer = !leadsToProduct(Of);
    Tensor.Useful = usefulOf(Of, Tensor.ChannelAxis);
    Result.Tensors.push_back(std::move(Tensor));
  }
}

//===----------------------------------------------------------------------===//
// Weights in groups
//===----------------------------------------------------------------------===//

void Planner::addGroupedProduct(NodeOp Op, int64_t Axis) {
  Node N(Op);
  PlannedLayer Product = layerOf(N, ClusterRole::Contraction);
  Product.GroupAxis = Axis;
  Product.Inputs = {N.inputName(0).str()};
  Value Output = N.output(0);
  if (Output.hasOneUse())
    if (auto Sum = dyn_cast<NodeOp>(*Output.getUsers().begin()))
      if (Value Bias = biasOf(Node(Sum), /*IsGrouped=*/true))
        Product.Bias = onnx::nameOf(Bias).str();
  if (!Result.tensor(Product.Inputs[0])) {
    PlannedTensor Input;
    Input.Name = Product.Inputs[0];
    for (const PlannedTensor &Tensor : Result.Tensors)
      Input.Group = std::max(Input.Group, Tensor.Group + 1);
    Input.ChannelAxis = channelAxis(N.input(0));
    Input.IsFloat = true;
    Result.Tensors.push_back(std::move(Input));
  }
  Result.Grouped.push_back(std::move(Product));
}

void Planner::addGrouped() {
  for (auto Op : Body.getOps<NodeOp>()) {
    Node N(Op);
    if (auto Axis = groupAxis(Op))
      addGroupedProduct(Op, *Axis);
    else if (Group && integerRole(Op) == ClusterRole::Contraction &&
             !N.is("MatMul") && !N.is("Gemm"))
      Result.Ungrouped.emplace_back(N.name().str(),
                                    N.constant(1)->shape()[1 - weightAxis(N)]);
  }
}

Plan Planner::run() {
  choose();
  formLayers();
  findProducing();
  addTensors();
  addGrouped();
  return std::move(Result);
}

const PlannedTensor *Plan::tensor(llvm::StringRef Name) const {
  auto Found = llvm::find_if(
      Tensors, [&](const PlannedTensor &Of) { return Of.Name == Name; });
  return Found == Tensors.end() ? nullptr : &*Found;
}

const PlannedLayer *Plan::makerOf(llvm::StringRef Tensor) const {
  auto Found = llvm::find_if(
      Layers, [&](const PlannedLayer &Of) { return Of.Result == Tensor; });
  return Found == Layers.end() ? nullptr : &*Found;
}

std::vector<const PlannedLayer *> Plan::products() const {
  std::vector<const PlannedLayer *> Result;
  for (const auto *Of : {&Layers, &Grouped})
    for (const PlannedLayer &Layer : *Of)
      if (Layer.Role == ClusterRole::Contraction)
        Result.push_back(&Layer);
  return Result;
}

Plan tenon::quantization::planQuantization(onnx::GraphOp Graph,
                                           const std::set<std::string> &Left,
                                           int64_t Group) {
  return Planner(Graph, Left, Group).run();
}
