//===- Importer.cpp - Walks a graph of nodes, emits TOSA ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Border.h"
#include "Registry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/Frontend/ONNX/CheckSchemas.h"

#include <cmath>

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

void Importer::buildNodes(Block &Nodes) {
  for (Operation &Op : Nodes) {
    if (auto Constant = dyn_cast<onnx::ConstantOp>(Op))
      defineConstant(Constant);
    else if (auto Computed = dyn_cast<onnx::NodeOp>(Op))
      buildOrForget(Node(Computed));
  }
}

/// What builders made for a cluster that did not come about.  A tensor with a
/// name stays: it is compared.
static void eraseUnused(Block &Body) {
  for (Operation &Op : llvm::make_early_inc_range(llvm::reverse(Body)))
    if (isOpTriviallyDead(&Op) && !Op.hasAttr(TensorAttrName))
      Op.erase();
}

OwningOpRef<ModuleOp> Importer::run() {
  OpBuilder &B = Emit.Builder;
  Location Unknown = B.getUnknownLoc();
  OwningOpRef<ModuleOp> Module = ModuleOp::create(Unknown);
  B.setInsertionPointToEnd(Module->getBody());
  auto Main =
      func::FuncOp::create(B, Unknown, "main", B.getFunctionType({}, {}));
  Block *Body = Main.addEntryBlock();
  B.setInsertionPointToEnd(Body);
  Block &Nodes = Source.getBody().front();
  for (BlockArgument Input : Nodes.getArguments())
    defineInput(Input, Main);
  buildNodes(Nodes);
  auto Yield = cast<onnx::YieldOp>(Nodes.getTerminator());
  if (failed(returnOutputs(Yield, Main)))
    return nullptr;
  eraseUnused(*Body);
  NamedAttrList Reasons;
  for (const auto &Refusal : Refusals)
    Reasons.set(Refusal.getKey(), B.getStringAttr(Refusal.getValue()));
  if (!Reasons.empty())
    Main->setAttr("tenon.reasons", Reasons.getDictionary(B.getContext()));
  if (failed(verify(*Module)))
    return nullptr;
  return Module;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void Importer::defineConstant(onnx::ConstantOp Constant) {
  auto Elements = dyn_cast<ElementsAttr>(Constant.getValue());
  if (!Elements) {
    mlir::emitError(Constant.getLoc())
        << "the sparse initializer '" << Constant.getName()
        << "' is not supported: store its elements, zeros included";
    Failed = true;
  }
  Tensors[Constant.getResult()] =
      Elements ? Tensor(TensorData(Elements)) : Tensor(Unknown());
}

bool Importer::readsUnknown(const Node &N) const {
  return llvm::any_of(N.op()->getOperands(), [&](Value Operand) {
    auto Found = Tensors.find(Operand);
    return Found != Tensors.end() &&
           std::holds_alternative<Unknown>(Found->second);
  });
}

LogicalResult Importer::build(const Node &N) {
  if (readsUnknown(N)) {
    for (Value Result : N.op()->getResults())
      Tensors[Result] = Unknown();
    return reportUnlessKnown(N);
  }
  if (failed(checkInputs(N)))
    return failure();
  if (mayCluster(N) && formCluster(N))
    return success();
  std::string Said;
  ScopedDiagnosticHandler Handler(N.op().getContext(), [&](Diagnostic &D) {
    Said += D.str();
    return failure(); // to whom it is for
  });
  if (succeeded(lower(N)))
    return success();
  std::string Why = Refusals.lookup(N.name());
  if (!Why.empty() && !StringRef(Said).contains(Why))
    mlir::emitRemark(N.location())
        << "why the node is in no integer cluster either: " << Why;
  return failure();
}

void Importer::buildOrForget(const Node &N) {
  std::optional<Node> Outer = Current;
  Current = N;
  if (failed(build(N))) {
    Failed = true;
    for (Value Result : N.op()->getResults())
      Tensors[Result] = Unknown();
  }
  Current = Outer;
}

//===----------------------------------------------------------------------===//
// The border
//===----------------------------------------------------------------------===//

/// What the integers at the border stand for, in the values that ONNX has.
static std::vector<NamedAttribute> meaning(OpBuilder &B, double Scale,
                                           int64_t ZeroPoint) {
  return {B.getNamedAttr("tenon.scale", B.getF64FloatAttr(Scale)),
          B.getNamedAttr("tenon.zero_point", B.getI64IntegerAttr(ZeroPoint))};
}

/// The same of an input: what its readers say, which have a scale and a zero
/// point behind such an operand; none where they do not agree.
static std::vector<NamedAttribute> inputMeaning(OpBuilder &B,
                                                BlockArgument Input) {
  std::optional<std::pair<double, int64_t>> Found;
  for (OpOperand &Use : Input.getUses()) {
    auto Reader = dyn_cast<onnx::NodeOp>(Use.getOwner());
    if (!Reader)
      continue;
    const Node N(Reader);
    const unsigned Index = Use.getOperandNumber();
    if ((!N.is("DequantizeLinear") && !N.is("QLinearConv") &&
         !N.is("QLinearMatMul")) ||
        Index % 3 != 0)
      continue;
    const auto Scale = N.constant(Index + 1), Zero = N.constant(Index + 2);
    if (!Scale || !Scale->isFloat() || Scale->size() != 1 ||
        !(Scale->real(0) > 0) || std::isinf(Scale->real(0)) ||
        (N.hasInput(Index + 2) &&
         (!Zero || !Zero->isInteger() || Zero->size() != 1)))
      return {};
    const std::pair Said(Scale->real(0), Zero ? Zero->integer(0) : 0);
    if (Found && *Found != Said)
      return {};
    Found = Said;
  }
  if (!Found)
    return {};
  return meaning(B, Found->first, Found->second);
}

void Importer::defineInput(BlockArgument Input, func::FuncOp Main) {
  OpBuilder &B = Emit.Builder;
  StringRef Name = onnx::nameOf(Input);
  Location Place = NameLoc::get(B.getStringAttr(Name));
  FailureOr<BorderType> Border = inputType(Place, Name, Input.getType());
  if (failed(Border)) {
    Failed = true;
    Tensors[Input] = Unknown();
    return;
  }
  Emit.at(Place);
  RankedTensorType Type = Border->Type;
  // Inputs in front of it may have been refused.
  const unsigned Index = Main.getNumArguments();
  Value Argument = Main.front().addArgument(Type, Place);
  Main.setType(B.getFunctionType(Main.front().getArgumentTypes(), {}));
  Main.setArgAttr(Index, "tenon.name", B.getStringAttr(Name));
  for (NamedAttribute Held : Border->attributes(B.getContext()))
    Main.setArgAttr(Index, Held.getName(), Held.getValue());
  for (NamedAttribute Each : inputMeaning(B, Input))
    Main.setArgAttr(Index, Each.getName(), Each.getValue());
  if (!isClusterType(Border->Element, Type)) {
    Tensors[Input] = Plain{
        Emit.withElement(Argument, heldType(Border->Element)), Border->Element};
    return;
  }
  Shape Dims(Type.getShape());
  bool IsUnsigned = Type.getElementType().isUnsignedInteger();
  if (IsUnsigned)
    Argument = Emit.rescaled(Argument, Emit.i8(), UnitScale, UnsignedOffset, 0);
  Stored Held{Argument, identityOrder(Dims.size()), IsUnsigned};
  if (IsUnsigned)
    mark(Held, Name, Dims);
  Tensors[Input] = isa<FloatType>(Type.getElementType())
                       ? Tensor(Real(Computed{Held}, Dims))
                       : Tensor(Held);
}

FailureOr<std::pair<Value, BorderType>>
Importer::output(Value Of, StringRef Name, Type Declared) {
  Location Place = NameLoc::get(Emit.Builder.getStringAttr(Name));
  const Tensor &Found = Tensors.find(Of)->second;
  if (std::holds_alternative<Unknown>(Found))
    return failure();
  Value Result;
  Type Element;
  if (const auto *Held = std::get_if<Stored>(&Found)) {
    Emit.at(Place);
    Result = Emit.permuted(*Held, identityOrder(Held->Axes.size()));
    Element = Emit.byte(Held->IsUnsigned);
    if (Held->IsUnsigned)
      Result = Emit.rescaled(Result, Element, UnitScale, 0, UnsignedOffset);
  } else {
    FailureOr<Plain> Form = plain(Of);
    if (failed(Form))
      return failure();
    Emit.at(Place);
    Result = Emit.withElement(Form->Tensor, borderElement(Form->Element));
    Element = Form->Element;
  }
  FailureOr<BorderType> Border = outputType(
      Place, Name, Declared, Element, cast<RankedTensorType>(Result.getType()));
  if (failed(Border))
    return failure();
  return std::make_pair(Result, *Border);
}

LogicalResult Importer::returnOutputs(onnx::YieldOp Yield, func::FuncOp Main) {
  OpBuilder &B = Emit.Builder;
  SmallVector<Value> Results;
  std::vector<BorderType> Borders;
  auto Names = Yield.getNames().getAsValueRange<StringAttr>();
  auto Types = Yield.getTypes().getAsValueRange<TypeAttr>();
  for (auto [Of, Name, Type] : llvm::zip(Yield.getValues(), Names, Types)) {
    auto Result = output(Of, Name, Type);
    if (failed(Result)) {
      Failed = true;
      continue;
    }
    Results.push_back(Result->first);
    Borders.push_back(Result->second);
  }
  if (Failed)
    return failure();
  func::ReturnOp::create(B, B.getUnknownLoc(), Results);
  Main.setType(
      B.getFunctionType(Main.front().getArgumentTypes(), TypeRange(Results)));
  for (auto [Index, Of, Name] : llvm::enumerate(Yield.getValues(), Names)) {
    Main.setResultAttr(Index, "tenon.name", B.getStringAttr(Name));
    for (NamedAttribute Each : Borders[Index].attributes(B.getContext()))
      Main.setResultAttr(Index, Each.getName(), Each.getValue());
    const auto *Held = std::get_if<Stored>(&Tensors.find(Of)->second);
    if (!Held || !Held->Type)
      continue;
    int64_t Offset = Held->IsUnsigned ? UnsignedOffset : 0;
    for (NamedAttribute Each :
         meaning(B, Held->Type->Scale, Held->Type->ZeroPoint + Offset))
      Main.setResultAttr(Index, Each.getName(), Each.getValue());
  }
  return success();
}
