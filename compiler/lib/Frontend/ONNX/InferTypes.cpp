//===- InferTypes.cpp - Types and shapes by the ONNX library --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One walk in the order of the nodes: of each, the library's own function gives
// the types of its results and, where they are integers that flow into shapes,
// their values.  Where a declared type and an inferred one differ in an extent,
// the inferred one is right: it follows from the inputs.
//
//===----------------------------------------------------------------------===//

#include "InferenceContext.h"
#include "InferenceFunctions.h"
#include "NormalizeSteps.h"
#include "Schemas.h"
#include "Tensor.h"
#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

//===----------------------------------------------------------------------===//
// Joining what is known
//===----------------------------------------------------------------------===//

/// The shape that two types of one rank say, in the element type `Element`.
static Type joinShapes(RankedTensorType Old, RankedTensorType New,
                       Type Element) {
  Builder B(Element.getContext());
  SmallVector<int64_t> Dims;
  SmallVector<StringAttr> Names;
  for (auto [Axis, Extents] :
       llvm::enumerate(llvm::zip(Old.getShape(), New.getShape()))) {
    auto [Known, Inferred] = Extents;
    Dims.push_back(ShapedType::isDynamic(Inferred) ? Known : Inferred);
    StringRef Name = dimensionName(Old, Axis);
    if (Name.empty())
      Name = dimensionName(New, Axis);
    bool IsOpen = ShapedType::isDynamic(Dims.back());
    Names.push_back(B.getStringAttr(IsOpen ? Name : ""));
  }
  bool HasNames =
      llvm::any_of(Names, [](StringAttr Name) { return !Name.empty(); });
  return RankedTensorType::get(Dims, Element,
                               HasNames ? DimsAttr::get(B.getContext(), Names)
                                        : Attribute());
}

/// `Old` with what `New` adds.
static Type join(Type Old, Type New) {
  if (isa<UnknownType>(Old))
    return New;
  auto OldTensor = dyn_cast<TensorType>(Old);
  auto NewTensor = dyn_cast<TensorType>(New);
  if (OldTensor && NewTensor) {
    Type Element = OldTensor.getElementType();
    if (isa<UnknownType>(Element))
      Element = NewTensor.getElementType();
    auto OldRanked = dyn_cast<RankedTensorType>(Old);
    auto NewRanked = dyn_cast<RankedTensorType>(New);
    if (OldRanked && NewRanked && OldRanked.getRank() == NewRanked.getRank())
      return joinShapes(OldRanked, NewRanked, Element);
    if (NewRanked && !OldRanked)
      return joinShapes(NewRanked, NewRanked, Element);
    return OldRanked ? joinShapes(OldRanked, OldRanked, Element)
                     : Type(UnrankedTensorType::get(Element));
  }
  if (auto Sequence = dyn_cast<SequenceType>(Old))
    if (auto Other = dyn_cast<SequenceType>(New))
      return SequenceType::get(Old.getContext(),
                               join(Sequence.getElement(), Other.getElement()));
  if (auto Optional = dyn_cast<OptionalType>(Old))
    if (auto Other = dyn_cast<OptionalType>(New))
      return OptionalType::get(Old.getContext(),
                               join(Optional.getElement(), Other.getElement()));
  return Old;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
class TypeInference {
public:
  void run(Region &Body);

private:
  std::vector<Type> inferBody(Region &Body, ArrayRef<Type> Arguments);
  void visit(NodeOp Op);
  void propagate(NodeOp Op, NodeContext &Context,
                 const ::onnx::OpSchema &Schema);

  KnownValues Known;
};
} // namespace

std::vector<Type> TypeInference::inferBody(Region &Body,
                                           ArrayRef<Type> Arguments) {
  for (auto [Argument, Of] : llvm::zip(Body.getArguments(), Arguments))
    Argument.setType(join(Argument.getType(), Of));
  run(Body);
  auto Yield = cast<YieldOp>(Body.front().getTerminator());
  std::vector<Type> Types;
  for (auto [Value, Declared] : llvm::zip(
           Yield.getValues(), Yield.getTypes().getAsValueRange<TypeAttr>()))
    Types.push_back(join(Declared, Value.getType()));
  return Types;
}

/// The integers that `Data` says, where it says all of them.
static std::optional<SmallVector<int64_t>>
numbersOf(const ::onnx::TensorShapeProto *Data) {
  SmallVector<int64_t> Values;
  for (int Index = 0; Data && Index < Data->dim_size(); ++Index) {
    if (!Data->dim(Index).has_dim_value())
      return std::nullopt;
    Values.push_back(Data->dim(Index).dim_value());
  }
  return Data ? std::optional(Values) : std::nullopt;
}

/// The integers of `Data` as a constant in place of `Result`, for all uses but
/// the outputs of a graph.
static void fold(OpResult Result, const ::onnx::TensorShapeProto &Data) {
  auto Of = cast<RankedTensorType>(Result.getType());
  auto Values = numbersOf(&Data);
  if (!Of.getElementType().isSignlessInteger(64) || !Of.hasStaticShape() ||
      !Values)
    return;
  OpBuilder B(Result.getOwner()->getContext());
  B.setInsertionPointAfter(Result.getOwner());
  std::string Name = (nameOf(Result) + "/value").str();
  auto Constant = ConstantOp::create(
      B, Result.getLoc(), RankedTensorType::get(Of.getShape(), B.getI64Type()),
      B.getStringAttr(Name),
      makeTensor(RankedTensorType::get(Of.getShape(), B.getI64Type()), Name,
                 ArrayRef(reinterpret_cast<const char *>(Values->data()),
                          Values->size() * sizeof(int64_t))),
      TypeAttr());
  Result.replaceUsesWithIf(
      Constant, [](OpOperand &Use) { return !isa<YieldOp>(Use.getOwner()); });
}

/// Floats have all integers up to here; their products fit 64 bits.
static constexpr int64_t MostExact = 1 << 24;

/// Whether `Dim` is the same in `Element` as in 64 bits.
static bool isExact(const ::onnx::TensorShapeProto::Dimension &Dim,
                    Type Element) {
  auto Integer = dyn_cast<IntegerType>(Element);
  if (!Dim.has_dim_value()) // an extent, or unknown
    return !Dim.has_dim_param() || (Integer && Integer.getWidth() >= 32);
  int64_t Value = Dim.dim_value();
  if (Element.isF32() || Element.isF64())
    return Value >= -MostExact && Value <= MostExact;
  if (!Integer)
    return false;
  return Integer.isUnsigned() || Integer.getWidth() == 1
             ? llvm::isUIntN(Integer.getWidth(), Value)
             : llvm::isIntN(Integer.getWidth(), Value);
}

/// Whether a run computes for `Result` what the library says. That takes every
/// tensor for a list, and every type for 64 bits.
static bool holds(OpResult Result, const ::onnx::TensorShapeProto &Data) {
  auto Of = dyn_cast<RankedTensorType>(Result.getType());
  return Of && Of.getRank() <= 1 &&
         (!Of.hasStaticShape() || Of.getNumElements() == Data.dim_size()) &&
         llvm::all_of(Data.dim(), [&](const auto &Dim) {
           return isExact(Dim, Of.getElementType());
         });
}

/// The library takes a bound without a number for 0, and steps in 32 bits.
static bool hasNumbers(const NodeContext &Slice) {
  constexpr int64_t LongestStep = 1 << 30;
  constexpr size_t Steps = 4;
  for (size_t Index = 1; Index < Slice.getNumInputs(); ++Index) {
    auto Values = numbersOf(Slice.getSymbolicInput(Index));
    if (!Values || (Index == Steps && llvm::any_of(*Values, [](int64_t Step) {
                      return Step < -LongestStep || Step > LongestStep;
                    })))
      return false;
  }
  return true;
}

void TypeInference::propagate(NodeOp Op, NodeContext &Context,
                              const ::onnx::OpSchema &Schema) {
  if (!Schema.has_data_propagation_function() ||
      (Node(Op).is("Slice") && !hasNumbers(Context)))
    return;
  Schema.GetDataPropagationFunction()(Context);
  for (OpResult Result : Op->getResults()) {
    auto *Data = Context.outputData(Result.getResultNumber());
    if (!Data || !holds(Result, *Data))
      continue;
    Known[Result] = *Data;
    fold(Result, *Data);
  }
}

/// The library's functions do not all look whether an axis is inside of the
/// tensor before they count by it.
static void checkAxis(NodeOp Op) {
  Node View(Op);
  auto Axis = dyn_cast_or_null<IntegerAttr>(Op.getNodeAttributes().get("axis"));
  auto Input = View.hasInput(0)
                   ? dyn_cast<RankedTensorType>(View.input(0).getType())
                   : RankedTensorType();
  if (!Axis || !Input)
    return;
  // OneHot counts in its result, which has one more.
  int64_t Most = Input.getRank();
  int64_t Least = -Most - View.is("OneHot");
  if (Axis.getInt() < Least || Axis.getInt() > Most)
    throw std::out_of_range("axis " + std::to_string(Axis.getInt()) +
                            " is outside of a tensor with " +
                            std::to_string(Most) + " dimensions");
}

/// The library makes a list of as many parts as a Split says.
static void checkParts(NodeOp Op) {
  Node View(Op);
  auto Parts =
      dyn_cast_or_null<IntegerAttr>(Op.getNodeAttributes().get("num_outputs"));
  if (View.is("Split") && Parts && Parts.getInt() != View.outputCount())
    throw std::out_of_range("it has " + std::to_string(View.outputCount()) +
                            " outputs, not " + std::to_string(Parts.getInt()));
}

/// The library says nothing of a Reshape whose shape is computed; it has as
/// many dimensions as the shape has elements. A shape of too many is refused by
/// the lowering.
static void inferRank(NodeOp Op) {
  Node View(Op);
  if (!View.is("Reshape") || !View.hasInput(0) || !View.hasInput(1))
    return;
  auto Data = dyn_cast<TensorType>(View.input(0).getType());
  auto Shape = dyn_cast<RankedTensorType>(View.input(1).getType());
  auto Result = dyn_cast<UnrankedTensorType>(View.output(0).getType());
  if (!Data || !Result || !Shape || Shape.getRank() != 1 ||
      !Shape.hasStaticShape() || Shape.getNumElements() > int64_t(MaxRank))
    return;
  SmallVector<int64_t> Open(Shape.getNumElements(), ShapedType::kDynamic);
  View.output(0).setType(
      join(Result, RankedTensorType::get(Open, Result.getElementType())));
}

/// The library says nothing of the shape of what a Loop carries, as an extent
/// may change from one iteration to the next. The number of dimensions stays:
/// the lowering refuses a body that changes it.
static void inferCarried(NodeOp Op) {
  Node View(Op);
  Region *Body = View.is("Loop") ? View.graph("body") : nullptr;
  if (!Body)
    return;
  constexpr int64_t First = 2; // behind the trip count and the condition
  for (int64_t Index = First; Index < View.inputCount(); ++Index) {
    auto Of = View.hasInput(Index)
                  ? dyn_cast<RankedTensorType>(View.input(Index).getType())
                  : RankedTensorType();
    if (!Of || Index - First >= View.outputCount() ||
        Index >= Body->getNumArguments())
      continue;
    Type Open = RankedTensorType::get(
        SmallVector<int64_t>(Of.getRank(), ShapedType::kDynamic),
        Of.getElementType());
    for (Value Carried :
         {Value(Body->getArgument(Index)), View.output(Index - First)})
      if (Carried && !isa<NoneType>(Carried.getType()))
        Carried.setType(join(Carried.getType(), Open));
  }
}

void TypeInference::visit(NodeOp Op) {
  const ::onnx::OpSchema *Schema = schemaOf(Op);
  ::onnx::InferenceFunction Infer = Schema ? inferenceOf(*Schema) : nullptr;
  if (!Infer)
    return;
  NodeContext Context(Op, Known, [&](Region &Body, ArrayRef<Type> Arguments) {
    return inferBody(Body, Arguments);
  });
  // What it finds wrong it throws; protobuf says it on stderr, too.
  google::protobuf::LogSilencer Silence;
  try {
    checkAxis(Op);
    checkParts(Op);
    inferCarried(Op);
    Infer(Context);
    ::onnx::InferenceContext &Inferred = Context;
    for (OpResult Result : Op->getResults())
      if (!isa<NoneType>(Result.getType()))
        Result.setType(join(
            Result.getType(),
            typeFromProto(Op.getContext(),
                          *Inferred.getOutputType(Result.getResultNumber()))));
    inferRank(Op);
    propagate(Op, Context, *Schema);
  } catch (const std::exception &Error) {
    mlir::emitRemark(Op.getLoc())
        << "node '" << Op.getName()
        << "': its type is not inferred: " << Error.what();
  }
}

void TypeInference::run(Region &Body) {
  for (Operation &Op : Body.front())
    if (auto Node = dyn_cast<NodeOp>(Op))
      visit(Node);
}

void tenon::frontend::inferTypes(GraphOp Graph) {
  TypeInference().run(Graph.getBody());
}
