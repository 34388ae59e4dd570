//===- ResolveSequences.cpp - Sequences whose elements are known ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// No program holds sequences or optionals.  Where the nodes that make one tell
// how many tensors it has, and positions are constants, its readers read the
// tensors themselves.  Others stay, and import says that it has no lowering.
//
//===----------------------------------------------------------------------===//

#include "InlineCall.h"
#include "NormalizeSteps.h"
#include "Upgrade.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// Most tensors that a sequence is resolved to.
static constexpr int64_t MostElements = 4096;

namespace {
using Elements = SmallVector<Value>;

class Resolver {
public:
  /// Whether the graph has changed.
  bool run(GraphOp Graph);

private:
  /// What `Op` gives, a sequence or optional, in tensors.
  std::optional<Elements> make(NodeOp Op);
  std::optional<Elements> split(NodeOp Op);
  /// What `Op` reads of one, as a tensor; null where that is not known.
  Value read(NodeOp Op);
  Value concatenate(NodeOp Op, const Elements &Of);
  void map(NodeOp Op);

  const Elements *find(Value Of) const;

  llvm::DenseMap<Value, Elements> Known;
};
} // namespace

const Elements *Resolver::find(Value Of) const {
  auto Found = Of ? Known.find(Of) : Known.end();
  return Found == Known.end() ? nullptr : &Found->second;
}

/// Input `Index`, a position in `Count` elements; `Default` where it is absent,
/// none where it is not constant or outside.
static std::optional<int64_t> position(const Node &N, int64_t Index,
                                       int64_t Count, int64_t Default) {
  if (!N.hasInput(Index))
    return Default >= 0 && Default < Count ? std::optional(Default)
                                           : std::nullopt;
  auto Data = N.constant(Index);
  if (!Data || !Data->isInteger() || Data->size() != 1)
    return std::nullopt;
  int64_t At = Data->integer(0);
  if (At < 0)
    At += Count;
  return At >= 0 && At < Count ? std::optional(At) : std::nullopt;
}

static NamedAttribute named(OpBuilder &B, StringRef Name, int64_t Value) {
  return B.getNamedAttr(Name, B.getI64IntegerAttr(Value));
}

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

/// How long each part of SplitToSequence is but the last, which may be shorter;
/// none where that is not known.
static std::optional<int64_t> partOf(const Node &N) {
  if (!N.hasInput(1))
    return 1;
  auto Data = N.constant(1);
  if (!Data || !Data->isInteger() || Data->size() != 1 || Data->integer(0) < 1)
    return std::nullopt;
  return Data->integer(0);
}

/// The parts of SplitToSequence that a list gives: as many as it has, whatever
/// the extent.
static std::optional<Elements> splitByList(Upgrade &U, int64_t Axis) {
  auto Data = U.View.constant(1);
  if (!Data || !Data->isInteger() || Data->size() < 1 ||
      Data->size() > MostElements)
    return std::nullopt;
  SmallVector<int64_t> Parts;
  for (int64_t Index = 0; Index < Data->size(); ++Index)
    Parts.push_back(Data->integer(Index));
  mlir::Type Open = UnknownType::get(U.Op.getContext());
  return Elements(U.nodes("Split", 13,
                          {U.View.input(0), U.integers(Parts, "extents")},
                          SmallVector<mlir::Type>(Parts.size(), Open),
                          named(U.B, "axis", Axis), "part"));
}

std::optional<Elements> Resolver::split(NodeOp Op) {
  Upgrade U(Op);
  auto Type = dyn_cast<RankedTensorType>(U.View.input(0).getType());
  auto Axis = U.View.integer("axis", 0), Keeps = U.View.integer("keepdims", 1);
  if (!Type || failed(Axis) || failed(Keeps) || *Axis < -Type.getRank() ||
      *Axis >= Type.getRank())
    return std::nullopt;
  int64_t At = *Axis < 0 ? *Axis + Type.getRank() : *Axis;
  if (auto Data = U.View.hasInput(1) ? U.View.constant(1) : std::nullopt;
      Data && Data->shape().size() == 1)
    return splitByList(U, At);
  auto Each = partOf(U.View);
  if (!Each || Type.isDynamicDim(At) ||
      (Type.getDimSize(At) - 1) / *Each >= MostElements)
    return std::nullopt;
  mlir::Type Open = UnknownType::get(Op.getContext());
  Elements Result;
  for (int64_t Start = 0; Start < Type.getDimSize(At); Start += *Each) {
    std::string Name = std::to_string(Result.size());
    Value Axes = U.integers(At, Name + "/axes");
    Value Part = U.node("Slice", 13,
                        {U.View.input(0), U.integers(Start, Name + "/starts"),
                         U.integers(Start + *Each, Name + "/ends"), Axes},
                        Open, {}, Name + "/part");
    if (!U.View.hasInput(1) && !*Keeps)
      Part = U.node("Squeeze", 13, {Part, Axes}, Open, {}, Name + "/row");
    Result.push_back(Part);
  }
  return Result;
}

std::optional<Elements> Resolver::make(NodeOp Op) {
  Node N(Op);
  if (N.is("SequenceConstruct") || (N.is("Optional") && N.hasInput(0) &&
                                    isa<TensorType>(N.input(0).getType())))
    return Elements(Op.getInputs());
  if (N.is("SequenceEmpty") || (N.is("Optional") && !N.hasInput(0)))
    return Elements();
  if (N.is("SplitToSequence"))
    return split(Op);
  const Elements *Of = N.inputCount() ? find(N.input(0)) : nullptr;
  if (!Of)
    return std::nullopt;
  Elements Result = *Of;
  int64_t Count = Result.size();
  if (N.is("Identity") ||
      (N.is("OptionalGetElement") &&
       isa<SequenceType>(N.output(0).getType())) ||
      (N.is("Optional") && Count)) // else it would seem to have nothing
    return Result;
  if (N.is("SequenceInsert")) {
    // At a position, or behind the last.
    auto At = position(N, 2, Count + 1, Count);
    if (At && N.hasInput(2) && N.constant(2)->integer(0) < 0)
      --*At; // counted from the sequence as it is
    if (!At || *At < 0)
      return std::nullopt;
    Result.insert(Result.begin() + *At, N.input(1));
    return Result;
  }
  if (N.is("SequenceErase"))
    if (auto At = position(N, 1, Count, Count - 1)) {
      Result.erase(Result.begin() + *At);
      return Result;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

Value Resolver::concatenate(NodeOp Op, const Elements &Of) {
  Upgrade U(Op);
  auto Axis = U.View.integer("axis", 0), IsNew = U.View.integer("new_axis", 0);
  if (Of.empty() || failed(Axis) || failed(IsNew))
    return {};
  Type Open = UnknownType::get(Op.getContext());
  Elements Parts(Of);
  if (*IsNew)
    for (auto [Index, Part] : llvm::enumerate(Parts)) {
      std::string Name = std::to_string(Index);
      Part = U.node("Unsqueeze", 13, {Part, U.integers(*Axis, Name + "/axes")},
                    Open, {}, Name + "/part");
    }
  return U.node("Concat", 13, Parts, Op.getResult(0).getType(),
                named(U.B, "axis", *Axis), "joined");
}

/// A scalar.
static Value constant(NodeOp Op, RankedTensorType Type, ArrayRef<char> Bytes) {
  OpBuilder B(Op);
  std::string Name = (nameOf(Op.getResult(0)) + "/value").str();
  return ConstantOp::create(B, Op.getLoc(), Type, B.getStringAttr(Name),
                            makeTensor(Type, Name, Bytes), TypeAttr());
}

Value Resolver::read(NodeOp Op) {
  Node N(Op);
  Builder B(Op.getContext());
  const Elements *Of = N.inputCount() ? find(N.input(0)) : nullptr;
  if (N.is("OptionalHasElement") &&
      (Of || !N.hasInput(0) || isa<TensorType>(N.input(0).getType()))) {
    char Has = N.hasInput(0) &&
               (!Of || !Of->empty() || isa<SequenceType>(N.input(0).getType()));
    return constant(Op, RankedTensorType::get({}, B.getI1Type()), Has);
  }
  if (N.is("OptionalGetElement") && isa<TensorType>(N.input(0).getType()))
    return N.input(0);
  if (!Of)
    return {};
  if (N.is("SequenceLength")) {
    int64_t Count = Of->size();
    return constant(Op, RankedTensorType::get({}, B.getI64Type()),
                    ArrayRef(reinterpret_cast<const char *>(&Count), 8));
  }
  if (N.is("ConcatFromSequence"))
    return concatenate(Op, *Of);
  if (N.is("OptionalGetElement") && Of->size() == 1)
    return Of->front();
  if (N.is("SequenceAt"))
    if (auto At = position(N, 1, Of->size(), -1))
      return (*Of)[*At];
  return {};
}

//===----------------------------------------------------------------------===//
// SequenceMap
//===----------------------------------------------------------------------===//

/// The body once for each position of the first sequence; other sequences are
/// as long, and tensors are the same for all.
void Resolver::map(NodeOp Op) {
  Node N(Op);
  Region *Body = N.graph("body");
  const Elements *First = find(N.input(0));
  if (!Body || !First || Body->getNumArguments() != N.inputCount())
    return;
  for (Value Input : Op.getInputs())
    if (isa<SequenceType>(Input.getType()) &&
        (!find(Input) || find(Input)->size() != First->size()))
      return;
  SmallVector<Elements> Results(N.outputCount());
  OpBuilder B(Op);
  for (size_t At = 0; At < First->size(); ++At) {
    IRMapping Mapping;
    for (auto [Argument, Input] :
         llvm::zip(Body->getArguments(), Op.getInputs()))
      Mapping.map(Argument, find(Input) ? (*find(Input))[At] : Input);
    std::string Prefix = (N.name() + "/" + Twine(At) + "/").str();
    for (Operation &Inner : Body->front().without_terminator())
      renameCopy(B.clone(Inner, Mapping), Prefix);
    for (auto [Result, Of] :
         llvm::zip(Results, Body->front().getTerminator()->getOperands()))
      Result.push_back(Mapping.lookupOrDefault(Of));
  }
  for (auto [Result, Of] : llvm::zip(Op.getResults(), Results))
    Known[Result] = Of;
}

/// The readers of `Op` read `Of`; an output of a graph keeps its name.
static void replace(NodeOp Op, Value Of) {
  Value Old = Op.getResult(0);
  Old.replaceUsesWithIf(
      Of, [](OpOperand &Use) { return !isa<YieldOp>(Use.getOwner()); });
  if (Old.use_empty())
    return;
  OpBuilder B(Op);
  StringAttr Empty = B.getStringAttr("");
  auto Copy = NodeOp::create(
      B, Op.getLoc(), TypeRange(Old.getType()), B.getStringAttr("Identity"),
      Empty, Empty, B.getI64IntegerAttr(13), Op.getNameAttr(),
      B.getArrayAttr(B.getStringAttr(nameOf(Old))), B.getDictionaryAttr({}),
      B.getArrayAttr({}), Of, /*bodiesCount=*/0);
  Old.replaceAllUsesWith(Copy.getResult(0));
}

bool Resolver::run(GraphOp Graph) {
  SmallVector<NodeOp> Nodes;
  Graph.walk<WalkOrder::PreOrder>([&](NodeOp Op) { Nodes.push_back(Op); });
  bool HasChanged = false;
  for (NodeOp Op : Nodes) {
    Node N(Op);
    if (!N.domain().empty() || !N.outputCount())
      continue;
    if (N.is("SequenceMap"))
      map(Op);
    else if (std::optional<Elements> Made = make(Op))
      Known[Op.getResult(0)] = *Made;
    else if (Value Of = read(Op); Of && !Op.getResult(0).use_empty()) {
      replace(Op, Of);
      HasChanged = true;
    }
  }
  return HasChanged;
}

bool tenon::frontend::resolveSequences(GraphOp Graph) {
  return Resolver().run(Graph);
}
