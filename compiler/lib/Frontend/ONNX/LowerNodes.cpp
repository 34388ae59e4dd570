//===- LowerNodes.cpp - What no integer cluster takes ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Importer.h"
#include "Lower/Operators.h"
#include "Registry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/Frontend/ONNX/CheckSchemas.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Clusters are formed of integers and of what was dequantised; of floats that
/// were computed, only integers again.
bool Importer::mayCluster(const Node &N) const {
  return hasClusterBuilder(N) &&
         llvm::none_of(N.op()->getOperands(), [&](Value Operand) {
           auto Found = Tensors.find(Operand);
           if (Found == Tensors.end())
             return false;
           if (const auto *Value = std::get_if<Real>(&Found->second))
             return std::holds_alternative<Computed>(Value->Value) &&
                    !N.is("QuantizeLinear");
           return std::holds_alternative<Plain>(Found->second);
         });
}

bool Importer::formCluster(const Node &N) {
  std::string Why,
      Prefix = ("node '" + N.name() + "' (" + N.describe() + "): ").str();
  ScopedDiagnosticHandler Handler(N.op().getContext(), [&](Diagnostic &D) {
    if (D.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    if (Why.empty())
      Why = D.str();
    return success();
  });
  const OperatorVersion *Version = findOperator(N);
  Emit.at(N.location());
  if (Version && succeeded(Version->Build(*this, N)))
    return true;
  StringRef Reason = Why;
  Reason.consume_front(Prefix);
  Refusals[N.name()] = Reason.str();
  return false;
}

//===----------------------------------------------------------------------===//
// Plain tensors
//===----------------------------------------------------------------------===//

/// The elements of a constant as they are held: only 1-, 2- and 4-bit integers
/// are not held as they are stored.
static ElementsAttr heldElements(const TensorData &Data, Type Held) {
  auto Type = RankedTensorType::get(Data.shape(), Held);
  ElementsAttr Elements = Data.attribute();
  if (onnx::storageBits(Data.elementType()) < 8 || Held.isInteger(1)) {
    SmallVector<APInt> Values;
    for (int64_t Index = 0; Index < Data.size(); ++Index)
      Values.emplace_back(Held.getIntOrFloatBitWidth(), Data.integer(Index),
                          /*isSigned=*/true, /*implicitTrunc=*/true);
    return DenseElementsAttr::get(Type, Values);
  }
  if (auto Resource = dyn_cast<DenseResourceElementsAttr>(Elements)) {
    // Upstream asks a scalar for its element, which a resource does not give.
    if (Type.getRank() == 0)
      return DenseElementsAttr::getFromRawBuffer(
          Type, Resource.getRawHandle().getBlob()->getData());
    return DenseResourceElementsAttr::get(Type, Resource.getRawHandle());
  }
  auto Dense = cast<DenseElementsAttr>(Elements);
  return DenseElementsAttr::getFromRawBuffer(Type, Dense.getRawData());
}

FailureOr<Plain> Importer::makePlain(Value Of) {
  const Tensor Found = Tensors.find(Of)->second;
  if (std::holds_alternative<Unknown>(Found))
    return failure();
  auto Defining = Of.getDefiningOp<onnx::NodeOp>();
  Emit.at(Of.getLoc());
  if (const auto *Data = std::get_if<TensorData>(&Found)) {
    Type Held = heldType(Data->elementType());
    if (!Held)
      return mlir::emitError(Of.getLoc())
             << "the constant '" << onnx::nameOf(Of)
             << "' has the element type " << describeType(Data->elementType())
             << ", which no program computes with";
    ElementsAttr Elements = heldElements(*Data, Held);
    return Plain{arith::ConstantOp::create(Emit.Builder, Of.getLoc(), Elements),
                 Data->elementType()};
  }
  std::optional<Stored> Held;
  if (const auto *Integers = std::get_if<Stored>(&Found)) {
    Held = *Integers;
  } else if (const auto *Float = std::get_if<Real>(&Found);
             Float && !Float->isClamped()) {
    if (const auto *Q = std::get_if<Quantized>(&Float->Value))
      Held = dequantized(*Q).Tensor;
    else if (const auto *C = std::get_if<Computed>(&Float->Value))
      Held = C->Tensor;
  }
  if (!Held) {
    // A cluster that nobody quantised: its nodes one by one.
    if (!Defining || failed(lower(Node(Defining))) || !PlainForms.count(Of))
      return failure();
    return PlainForms.lookup(Of);
  }
  Value Result = Emit.permuted(*Held, identityOrder(Held->Axes.size()));
  Type Element = getElementTypeOrSelf(Result);
  if (!Held->IsUnsigned)
    return Plain{Result, Element};
  // value - 128 and value differ in the highest bit.
  Value Flip = Emit.integer(-128, Element, Held->Axes.size());
  return Plain{Emit.create<tosa::BitwiseXorOp>(Result.getType(), Result, Flip),
               Emit.byte(/*IsUnsigned=*/true)};
}

FailureOr<Plain> Importer::plain(Value Of) {
  if (auto Known = PlainForms.find(Of); Known != PlainForms.end())
    return Known->second;
  if (const auto *Held = std::get_if<Plain>(&Tensors.find(Of)->second))
    return *Held;
  // Before the body that asks, where the value is from further outside.
  OpBuilder::InsertionGuard Guard(Emit.Builder);
  size_t Depth = 0;
  for (Region *In = Of.getParentRegion(); In != &Source.getBody();
       In = In->getParentRegion())
    ++Depth;
  if (Depth < Enclosing.size())
    Emit.Builder.setInsertionPoint(Enclosing[Depth]);
  FailureOr<Plain> Made = makePlain(Of);
  if (succeeded(Made))
    PlainForms[Of] = *Made;
  return Made;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

FailureOr<std::vector<Plain>> Importer::lowerBody(Region &Body,
                                                  ArrayRef<Plain> Arguments,
                                                  Operation *Around) {
  Enclosing.push_back(Around);
  for (auto [Argument, Of] : llvm::zip(Body.getArguments(), Arguments))
    Tensors[Argument] = Of;
  // Another copy of the body may have been lowered before.
  Body.walk([&](Operation *Op) {
    for (Value Result : Op->getResults()) {
      PlainForms.erase(Result);
      Tensors.erase(Result);
    }
  });
  bool FailedBefore = std::exchange(Failed, false);
  buildNodes(Body.front());
  std::vector<Plain> Results;
  for (Value Of :
       cast<onnx::YieldOp>(Body.front().getTerminator()).getValues()) {
    FailureOr<Plain> Result = plain(Of);
    if (succeeded(Result))
      Results.push_back(*Result);
    else
      Failed = true;
  }
  Enclosing.pop_back();
  bool FailedHere = std::exchange(Failed, FailedBefore);
  if (FailedHere)
    return failure();
  return Results;
}

/// What can be in a cluster has a lowering of its own, too.
bool tenon::frontend::isSupported(const Node &N) { return findLowering(N); }

/// An operator that nothing here knows, in `N` or its bodies, is reported even
/// where its inputs are not known either.
LogicalResult Importer::reportUnlessKnown(const Node &N) {
  LogicalResult Result = success();
  std::optional<Node> Outer = Current;
  N.op()->walk([&](onnx::NodeOp Op) {
    Current = Node(Op);
    if (isSupported(*Current))
      return;
    Result = Current->error()
             << "the operator is not supported: it needs a lowering "
                "(compiler/lib/Frontend/ONNX/Lower)";
  });
  Current = Outer;
  return Result;
}

LogicalResult Importer::lower(const Node &N) {
  const LoweredOperator *Operator = findLowering(N);
  if (!Operator)
    return reportUnlessKnown(N);
  std::vector<std::optional<Plain>> Inputs(N.inputCount());
  for (auto [Index, Input] : llvm::enumerate(Inputs))
    if (Value Of = N.input(Index)) {
      FailureOr<Plain> Made = plain(Of);
      if (failed(Made))
        return failure();
      Input = *Made;
    }
  if (failed(
          checkElements(N, llvm::map_to_vector(Inputs, [](const auto &Input) {
                          return Input ? Input->Element : Type();
                        }))))
    return failure();
  Block *Here = Emit.Builder.getInsertionBlock();
  Lowering *Lowered = nullptr;
  auto LowerBody = [&](Region &Body, ArrayRef<Plain> Arguments) {
    OpBuilder::InsertionGuard Guard(Emit.Builder);
    Emit.Builder.restoreInsertionPoint(Lowered->B.saveInsertionPoint());
    Operation *In = Lowered->B.getInsertionBlock()->getParentOp();
    return lowerBody(Body, Arguments, Here->findAncestorOpInBlock(*In));
  };
  Lowering L(N, Emit.Builder, std::move(Inputs), LowerBody);
  Lowered = &L;
  if (failed(Operator->Lower(L)))
    return failure();
  for (auto [Result, Held] : llvm::zip(N.op()->getResults(), L.outputs())) {
    if (!Held)
      continue; // one that nobody reads
    PlainForms[Result] = *Held;
    if (Tensors.count(Result))
      continue; // asked for by name, beside its cluster
    if (Held->Element.isF32() && isClusterType(Held->Element, Held->type()))
      Tensors[Result] =
          Real(Computed{Stored{Held->Tensor, identityOrder(Held->rank())}},
               Shape(Held->type().getShape()));
    else
      Tensors[Result] = *Held;
  }
  return success();
}
