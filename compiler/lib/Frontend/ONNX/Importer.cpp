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

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

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
    defineInput(Input, *Body);
  for (Operation &Op : Nodes) {
    if (auto Constant = dyn_cast<onnx::ConstantOp>(Op))
      defineConstant(Constant);
    else if (auto Computed = dyn_cast<onnx::NodeOp>(Op))
      buildOrForget(Node(Computed));
  }
  auto Yield = cast<onnx::YieldOp>(Nodes.getTerminator());
  if (failed(returnOutputs(Yield, Main)) || failed(verify(*Module)))
    return nullptr;
  for (BlockArgument Input : Nodes.getArguments())
    Main.setArgAttr(Input.getArgNumber(), "tenon.name",
                    B.getStringAttr(onnx::nameOf(Input)));
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
  const OperatorVersion *Version = findOperator(N);
  if (!Version)
    return failure();
  for (int64_t Index = 1; Index < N.outputCount(); ++Index)
    if (!N.outputName(Index).empty())
      return N.error() << "its output '" << N.outputName(Index)
                       << "' beyond the first is not supported";
  if (N.outputCount() == 0)
    return N.error() << "it has no output";
  if (readsUnknown(N)) {
    Tensors[N.output(0)] = Unknown();
    return success();
  }
  Emit.at(N.location());
  return Version->Build(*this, N);
}

void Importer::buildOrForget(const Node &N) {
  Current = N;
  if (failed(build(N))) {
    Failed = true;
    for (Value Result : N.op()->getResults())
      Tensors[Result] = Unknown();
    // What its bodies lack is missing, too.
    N.op()->walk([&](onnx::NodeOp Inner) {
      Current = Node(Inner);
      if (Inner != N.op())
        findOperator(*Current);
    });
  }
  Current.reset();
}

//===----------------------------------------------------------------------===//
// The border
//===----------------------------------------------------------------------===//

void Importer::defineInput(BlockArgument Input, Block &Body) {
  OpBuilder &B = Emit.Builder;
  StringRef Name = onnx::nameOf(Input);
  Location Place = NameLoc::get(B.getStringAttr(Name));
  FailureOr<RankedTensorType> Type = inputType(Place, Name, Input.getType());
  if (failed(Type)) {
    Failed = true;
    Tensors[Input] = Unknown();
    return;
  }
  Emit.at(Place);
  Value Argument = Body.addArgument(*Type, Place);
  Shape Dims(Type->getShape());
  bool IsUnsigned = Type->getElementType().isUnsignedInteger();
  if (IsUnsigned)
    Argument = Emit.rescaled(Argument, Emit.i8(), UnitScale, UnsignedOffset, 0);
  Stored Held{Argument, identityOrder(Dims.size()), IsUnsigned};
  if (IsUnsigned)
    mark(Held, Name, Dims);
  Tensors[Input] = isa<FloatType>(Type->getElementType())
                       ? Tensor(Real(Computed{Held}, Dims))
                       : Tensor(Held);
}

/// The float or integer values of `Found` in ONNX order; for a float that is
/// none's value, null.
static Value borderValue(Importer &I, const Tensor &Found) {
  if (const auto *Held = std::get_if<Stored>(&Found)) {
    Value Result = I.Emit.permuted(*Held, identityOrder(Held->Axes.size()));
    return Held->IsUnsigned ? I.Emit.rescaled(Result, I.Emit.byte(true),
                                              UnitScale, 0, UnsignedOffset)
                            : Result;
  }
  const auto *Float = std::get_if<Real>(&Found);
  if (!Float || Float->isClamped())
    return {};
  Stored Held;
  if (const auto *Q = std::get_if<Quantized>(&Float->Value))
    Held = I.dequantized(*Q).Tensor;
  else if (const auto *C = std::get_if<Computed>(&Float->Value))
    Held = C->Tensor;
  else
    return {};
  return I.Emit.permuted(Held, identityOrder(Held.Axes.size()));
}

FailureOr<Value> Importer::output(Value Of, StringRef Name, Type Declared) {
  Location Place = NameLoc::get(Emit.Builder.getStringAttr(Name));
  Emit.at(Place);
  const Tensor &Found = Tensors.find(Of)->second;
  if (std::holds_alternative<Unknown>(Found))
    return failure();
  if (std::holds_alternative<TensorData>(Found) ||
      std::holds_alternative<RealConstant>(Found))
    return mlir::emitError(Place) << "output '" << Name << "' is a constant";
  const auto *Float = std::get_if<Real>(&Found);
  if (Float && Float->IsInteger)
    return mlir::emitError(Place)
           << "output '" << Name << "' is INT32, which is not supported there";
  Value Result = borderValue(*this, Found);
  if (!Result)
    return mlir::emitError(Place)
           << "output '" << Name
           << "' is the float result of an operator without a quantised form; "
              "quantise it (QuantizeLinear) before the output";
  if (failed(checkDeclared(Place, Name, Declared, Result.getType())))
    return failure();
  return Result;
}

LogicalResult Importer::returnOutputs(onnx::YieldOp Yield, func::FuncOp Main) {
  OpBuilder &B = Emit.Builder;
  SmallVector<Value> Results;
  auto Names = Yield.getNames().getAsValueRange<StringAttr>();
  auto Types = Yield.getTypes().getAsValueRange<TypeAttr>();
  for (auto [Of, Name, Type] : llvm::zip(Yield.getValues(), Names, Types)) {
    FailureOr<Value> Result = output(Of, Name, Type);
    if (failed(Result))
      Failed = true;
    else
      Results.push_back(*Result);
  }
  if (Failed)
    return failure();
  func::ReturnOp::create(B, B.getUnknownLoc(), Results);
  Main.setFunctionType(
      B.getFunctionType(Main.front().getArgumentTypes(), TypeRange(Results)));
  for (auto [Index, Of, Name] : llvm::enumerate(Yield.getValues(), Names)) {
    Main.setResultAttr(Index, "tenon.name", B.getStringAttr(Name));
    const auto *Held = std::get_if<Stored>(&Tensors.find(Of)->second);
    if (!Held || !Held->Type)
      continue;
    Main.setResultAttr(Index, "tenon.scale",
                       B.getF64FloatAttr(Held->Type->Scale));
    int64_t Offset = Held->IsUnsigned ? UnsignedOffset : 0;
    Main.setResultAttr(Index, "tenon.zero_point",
                       B.getI64IntegerAttr(Held->Type->ZeroPoint + Offset));
  }
  return success();
}
