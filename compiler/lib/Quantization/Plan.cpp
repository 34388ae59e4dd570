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
  Planner(onnx::GraphOp Graph, const std::set<std::string> &Left)
      : Body(Graph.getBody().front()), Left(Left) {}

  Plan run();

private:
  ClusterRole roleOf(NodeOp Op) const;
  Value biasOf(const Node &N) const;
  void choose();
  void dropIdleSums();
  void formLayers();
  void formLayer(NodeOp Op);
  Value fuseBehind(Value Result, PlannedLayer &Layer);
  void findProducing();
  bool leadsToProduct(Value Of) const;
  void addTensors();

  Block &Body;
  const std::set<std::string> &Left;
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

/// The operands that are activations.
static SmallVector<Value> activations(const Node &N, ClusterRole Role) {
  SmallVector<Value> Result;
  int64_t Count = Role == ClusterRole::Product ? 2 : 1;
  if (Role == ClusterRole::Addition || Role == ClusterRole::Concatenation)
    Count = N.inputCount();
  for (int64_t Index = 0; Index < Count; ++Index)
    if (Value Input = N.input(Index))
      Result.push_back(Input);
  return Result;
}

/// None where the node itself cannot be what its operator can be.
ClusterRole Planner::roleOf(NodeOp Op) const {
  Node N(Op);
  ClusterRole Role = clusterRole(N);
  if (Role == ClusterRole::None || Left.count(N.name().str()) ||
      !isFloatTensor(N.output(0)))
    return ClusterRole::None;
  SmallVector<Value> Inputs = activations(N, Role);
  if (Inputs.empty() || !llvm::all_of(Inputs, isFloatTensor) ||
      llvm::any_of(Inputs, isConstant))
    return ClusterRole::None;
  if (Role == ClusterRole::Contraction && !N.constant(1)->isFloat())
    return ClusterRole::None;
  if (Role == ClusterRole::Addition &&
      Inputs[0].getType() != Inputs[1].getType())
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
  int64_t Channels = Product.is("Conv") ? 1 : Type.getRank() - 1;
  int64_t First = Type.getRank() - Held->shape().size();
  for (auto [Axis, Extent] : llvm::enumerate(Held->shape()))
    if (Extent != 1 && First + int64_t(Axis) != Channels)
      return false;
  return true;
}

/// The constant that `N` adds, one value an output channel, to a product that
/// has no bias and no other reader; null where it does something else.
Value Planner::biasOf(const Node &N) const {
  if (!N.is("Add") || Left.count(N.name().str()))
    return nullptr;
  for (int64_t Index : {0, 1}) {
    Value Of = N.input(Index), Bias = N.input(1 - Index);
    auto Op = Of.getDefiningOp<NodeOp>();
    if (Op && Of.hasOneUse() && roleOf(Op) == ClusterRole::Contraction &&
        !Node(Op).hasInput(2) && isPerChannel(Bias, Of, Node(Op)))
      return Bias;
  }
  return nullptr;
}

static bool multiplies(ClusterRole Role) {
  return Role == ClusterRole::Contraction || Role == ClusterRole::Product;
}

/// In two walks along the order of the graph: what products reach, and from the
/// end what lies between an input and a product.
void Planner::choose() {
  llvm::MapVector<Operation *, ClusterRole> Roles;
  for (auto Op : Body.getOps<NodeOp>())
    if (ClusterRole Role = roleOf(Op); Role != ClusterRole::None)
      Roles[Op] = Role;
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
    if (Role == ClusterRole::Addition &&
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
  while (Result.hasOneUse()) {
    auto Op = dyn_cast<NodeOp>(*Result.getUsers().begin());
    if (!Op || Op->getBlock() != &Body)
      break;
    Node N(Op);
    Value Bias = Layer.Nodes.size() == 1 ? biasOf(N) : Value();
    auto Found = Chosen.find(Op);
    bool IsActivation =
        Found != Chosen.end() && Found->second == ClusterRole::Activation &&
        Layer.Role != ClusterRole::Selection && N.input(0) == Result;
    if (!IsActivation && !Bias)
      break;
    if (Bias)
      Layer.Bias = onnx::nameOf(Bias).str();
    Fused.insert(Op);
    Layer.Nodes.push_back(N.name().str());
    Result = N.output(0);
  }
  return Result;
}

static int64_t weightAxis(const Node &N) {
  if (N.is("Conv"))
    return 0;
  auto IsTransposed = N.is("Gemm") ? N.integer("transB", 0) : 0;
  return succeeded(IsTransposed) && *IsTransposed ? 0 : 1;
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

void Planner::formLayer(NodeOp Op) {
  Node N(Op);
  PlannedLayer Layer;
  Layer.Role = Chosen.lookup(Op);
  Layer.Node = N.name().str();
  Layer.Operator = N.operatorName().str();
  Layer.Output = N.outputName(0).str();
  Layer.Nodes.push_back(Layer.Node);
  if (Layer.Role == ClusterRole::Contraction) {
    Layer.Weights = N.inputName(1).str();
    Layer.WeightAxis = weightAxis(N);
    Layer.Bias = N.inputName(2).str();
  }
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
  if (Layer.Role == ClusterRole::Selection ||
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

Plan Planner::run() {
  choose();
  formLayers();
  findProducing();
  addTensors();
  return std::move(Result);
}

const PlannedTensor *Plan::tensor(llvm::StringRef Name) const {
  auto Found = llvm::find_if(
      Tensors, [&](const PlannedTensor &Of) { return Of.Name == Name; });
  return Found == Tensors.end() ? nullptr : &*Found;
}

Plan tenon::quantization::planQuantization(onnx::GraphOp Graph,
                                           const std::set<std::string> &Left) {
  return Planner(Graph, Left).run();
}
