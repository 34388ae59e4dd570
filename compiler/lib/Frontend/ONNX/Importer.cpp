//===- Importer.cpp - Walks an ONNX graph, emits TOSA ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "OutputScale.h"
#include "Registry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tenon::frontend;
using ::onnx::TensorProto;

InFlightDiagnostic Importer::error(const Node &N) {
  return mlir::emitError(locationOf(N))
         << "node '" << N.Name << "' (" << N.describe() << "): ";
}

Location Importer::locationOf(const Node &N) {
  return NameLoc::get(Emit.Builder.getStringAttr(N.Name));
}

/// Zero point and offset of uint8 at the border.
static constexpr int64_t UnsignedOffset = 128;

OwningOpRef<ModuleOp> Importer::run() {
  OpBuilder &B = Emit.Builder;
  Location Unknown = B.getUnknownLoc();
  OwningOpRef<ModuleOp> Module = ModuleOp::create(Unknown);
  B.setInsertionPointToEnd(Module->getBody());
  auto Main =
      func::FuncOp::create(B, Unknown, "main", B.getFunctionType({}, {}));
  Block *Body = Main.addEntryBlock();
  B.setInsertionPointToEnd(Body);
  for (const auto &Entry : Source.initializers())
    Tensors.try_emplace(Entry.getKey(), &Entry.getValue());
  if (failed(defineInputs(*Body)))
    return nullptr;
  for (const Node &N : Source.nodes())
    if (failed(build(N)))
      return nullptr;
  Emit.at(Unknown);
  SmallVector<Value> Results;
  for (const Border &Output : Source.outputs()) {
    FailureOr<Value> Result = output(Output);
    if (failed(Result))
      return nullptr;
    Results.push_back(*Result);
  }
  func::ReturnOp::create(B, Unknown, Results);
  Main.setFunctionType(
      B.getFunctionType(Body->getArgumentTypes(), TypeRange(Results)));
  for (auto [Index, Input] : llvm::enumerate(Source.inputs()))
    Main.setArgAttr(Index, "tenon.name", B.getStringAttr(Input.Name));
  for (auto [Index, Output] : llvm::enumerate(Source.outputs())) {
    Main.setResultAttr(Index, "tenon.name", B.getStringAttr(Output.Name));
    auto Scale = outputScale(Source, Output.Name);
    if (!Scale)
      continue;
    Main.setResultAttr(Index, "tenon.scale", B.getF64FloatAttr(Scale->Scale));
    Main.setResultAttr(Index, "tenon.zero_point",
                       B.getI64IntegerAttr(Scale->ZeroPoint));
  }
  if (failed(verify(*Module)))
    return nullptr;
  return Module;
}

LogicalResult Importer::build(const Node &N) {
  const OperatorVersion *Version = findOperator(*this, N);
  if (!Version)
    return failure();
  for (int Index = 1; Index < N.Proto->output_size(); ++Index)
    if (!N.Proto->output(Index).empty())
      return error(N) << "its output '" << N.Proto->output(Index)
                      << "' beyond the first is not supported";
  if (N.Proto->output_size() == 0)
    return error(N) << "it has no output";
  Emit.at(locationOf(N));
  return Version->Build(*this, N);
}

//===----------------------------------------------------------------------===//
// The border
//===----------------------------------------------------------------------===//

FailureOr<Shape> Importer::inputShape(const Border &Input) {
  Location Place = NameLoc::get(Emit.Builder.getStringAttr(Input.Name));
  if (!Input.HasShape)
    return mlir::emitError(Place) << "input '" << Input.Name
                                  << "' has no shape; store a fixed one in the "
                                     "model (onnx.tools.update_model_dims)";
  Shape Dims = Input.Dims;
  for (auto [Axis, Dim] : llvm::enumerate(Dims)) {
    if (Dim >= 0)
      continue;
    if (Axis != 0)
      return mlir::emitError(Place)
             << "dimension " << Axis << " of input '" << Input.Name
             << "' is open ('" << Input.Symbols[Axis]
             << "'): shapes must be fixed; set it in the model "
                "(onnx.tools.update_model_dims)";
    Dim = 1;
    mlir::emitRemark(Place)
        << "the batch '" << Input.Symbols[Axis] << "' of input '" << Input.Name
        << "' is taken as 1";
  }
  if (!elementCount(Dims))
    return mlir::emitError(Place) << "input '" << Input.Name << "' of "
                                  << describe(Dims) << " is too large";
  return Dims;
}

LogicalResult Importer::defineInputs(Block &Body) {
  OpBuilder &B = Emit.Builder;
  for (const Border &Input : Source.inputs()) {
    FailureOr<Shape> Dims = inputShape(Input);
    if (failed(Dims))
      return failure();
    Location Place = NameLoc::get(B.getStringAttr(Input.Name));
    bool IsUnsigned = Input.Type == TensorProto::UINT8;
    Type Element = IsUnsigned ? B.getIntegerType(8, false)
                   : Input.Type == TensorProto::INT8  ? Emit.i8()
                   : Input.Type == TensorProto::FLOAT ? Emit.f32()
                                                      : Type();
    if (!Element)
      return mlir::emitError(Place)
             << "input '" << Input.Name << "' has the element type "
             << describeType(Input.Type)
             << "; supported are INT8, UINT8 and FLOAT";
    Emit.at(Place);
    Value Argument = Body.addArgument(Emit.type(*Dims, Element), Place);
    if (IsUnsigned)
      Argument =
          Emit.rescaled(Argument, Emit.i8(), UnitScale, UnsignedOffset, 0);
    Stored Held{Argument, identityOrder(Dims->size()), IsUnsigned};
    if (IsUnsigned)
      mark(Held, Input.Name, *Dims);
    if (Input.Type == TensorProto::FLOAT)
      Tensors.insert_or_assign(Input.Name, Real(Computed{Held}, *Dims));
    else
      Tensors.insert_or_assign(Input.Name, Held);
  }
  return success();
}

FailureOr<Value> Importer::integerOutput(const Border &Output,
                                         const Stored &Held) {
  int32_t Type = Held.IsUnsigned ? TensorProto::UINT8 : TensorProto::INT8;
  if (Output.Type != Type)
    return mlir::emitError(
               NameLoc::get(Emit.Builder.getStringAttr(Output.Name)))
           << "output '" << Output.Name << "' is declared "
           << describeType(Output.Type) << ", but its value is "
           << describeType(Type);
  Value Result = Emit.permuted(Held, identityOrder(Held.Axes.size()));
  if (Held.IsUnsigned)
    Result = Emit.rescaled(Result, Emit.Builder.getIntegerType(8, false),
                           UnitScale, 0, UnsignedOffset);
  return Result;
}

/// Whether `Declared` (-1 is open) admits `Dims`.
static bool admits(const Border &Declared, ArrayRef<int64_t> Dims) {
  if (!Declared.HasShape)
    return true;
  return Declared.Dims.size() == Dims.size() &&
         llvm::all_of(llvm::zip(Declared.Dims, Dims), [](auto Pair) {
           auto [Want, Have] = Pair;
           return Want < 0 || Want == Have;
         });
}

FailureOr<Value> Importer::output(const Border &Output) {
  Location Place = NameLoc::get(Emit.Builder.getStringAttr(Output.Name));
  Emit.at(Place);
  const Tensor &Found = Tensors.find(Output.Name)->second;
  FailureOr<Value> Result = failure();
  if (const auto *Held = std::get_if<Stored>(&Found)) {
    Result = integerOutput(Output, *Held);
  } else if (const auto *Value = std::get_if<Real>(&Found)) {
    if (Output.Type != TensorProto::FLOAT || Value->IsInteger)
      return mlir::emitError(Place)
             << "output '" << Output.Name << "' is declared "
             << describeType(Output.Type) << ", but its value is "
             << (Value->IsInteger ? "INT32, which is not supported there"
                                  : "FLOAT");
    const auto *Holds = std::get_if<Quantized>(&Value->Value);
    const auto *Float = std::get_if<Computed>(&Value->Value);
    if (Value->isClamped() || (!Holds && !Float))
      return mlir::emitError(Place)
             << "output '" << Output.Name
             << "' is the float result of an operator without a quantised "
                "form; "
                "quantise it (QuantizeLinear) before the output";
    Stored Held = Float ? Float->Tensor : dequantized(*Holds).Tensor;
    Result = Emit.permuted(Held, identityOrder(Held.Axes.size()));
  } else {
    return mlir::emitError(Place)
           << "output '" << Output.Name << "' is a constant";
  }
  if (succeeded(Result)) {
    auto Dims = cast<RankedTensorType>(Result->getType()).getShape();
    if (!admits(Output, Dims))
      return mlir::emitError(Place) << "output '" << Output.Name
                                    << "' is declared " << describe(Output.Dims)
                                    << ", but its shape is " << describe(Dims);
  }
  return Result;
}
