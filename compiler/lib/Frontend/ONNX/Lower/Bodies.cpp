//===- Bodies.cpp - Bodies of control-flow nodes -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

std::optional<PlainType> tenon::frontend::joined(const PlainType &A,
                                                 const PlainType &B) {
  if (A.Element != B.Element || A.Tensor.getRank() != B.Tensor.getRank())
    return std::nullopt;
  SmallVector<int64_t> Dims;
  for (auto [First, Second] :
       llvm::zip(A.Tensor.getShape(), B.Tensor.getShape()))
    Dims.push_back(First == Second ? First : ShapedType::kDynamic);
  return PlainType(RankedTensorType::get(Dims, A.Tensor.getElementType()),
                   A.Element);
}

Value tenon::frontend::opened(Lowering &L, Value Tensor,
                              RankedTensorType Type) {
  return Tensor.getType() == Type
             ? Tensor
             : Value(tensor::CastOp::create(L.B, Type, Tensor));
}

Value tenon::frontend::onlyElement(Lowering &L, const Plain &Of) {
  Value Tensor = Of.Tensor;
  // One more, in case that there is none.
  if (!Of.type().hasStaticShape() || Of.type().getNumElements() == 0)
    Tensor = L.padded(Tensor, Extents(Of.rank(), L.extent(0)),
                      Extents(Of.rank(), L.extent(1)),
                      L.number(Of.type().getElementType(), 0));
  return tensor::ExtractOp::create(
      L.B, Tensor, SmallVector<Value>(Of.rank(), L.index(int64_t{0})));
}

Value tenon::frontend::either(Lowering &L, Value If, Type Of,
                              llvm::function_ref<Value()> Then,
                              llvm::function_ref<Value()> Else) {
  auto Op = scf::IfOp::create(L.B, Of, If, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToEnd(&Op.getThenRegion().front());
  scf::YieldOp::create(L.B, Then());
  L.B.setInsertionPointToEnd(&Op.getElseRegion().front());
  scf::YieldOp::create(L.B, Else());
  return Op.getResult(0);
}

using RepeatedBody = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

/// Upstream's canonicalisation takes it that an scf.for carries a tensor of the
/// type that it had before a cast: it is wrong where extents change.  No such
/// pattern looks at scf.while.
static SmallVector<Value> repeatedOpen(Lowering &L, Value Count,
                                       ValueRange Begin, RepeatedBody Body) {
  SmallVector<Value> Initial = {L.index(int64_t{0})};
  llvm::append_range(Initial, Begin);
  SmallVector<Type> Types(ValueRange(Initial).getTypes());
  SmallVector<Location> Places(Types.size(), L.N.location());
  auto Loop = scf::WhileOp::create(L.B, Types, Initial);
  OpBuilder::InsertionGuard Guard(L.B);
  Block *Before = L.B.createBlock(&Loop.getBefore(), {}, Types, Places);
  Value IsLeft = arith::CmpIOp::create(L.B, arith::CmpIPredicate::slt,
                                       Before->getArgument(0), Count);
  scf::ConditionOp::create(L.B, IsLeft, Before->getArguments());
  Block *After = L.B.createBlock(&Loop.getAfter(), {}, Types, Places);
  Value Iteration = After->getArgument(0);
  SmallVector<Value> Next = Body(Iteration, After->getArguments().drop_front());
  Next.insert(Next.begin(), L.index(L.add(Iteration, L.extent(1))));
  scf::YieldOp::create(L.B, Next);
  return llvm::to_vector(ValueRange(Loop.getResults()).drop_front());
}

SmallVector<Value> tenon::frontend::repeated(Lowering &L, Value Count,
                                             ValueRange Begin,
                                             RepeatedBody Body) {
  if (llvm::any_of(Begin.getTypes(), [](Type Of) {
        return !cast<RankedTensorType>(Of).hasStaticShape();
      }))
    return repeatedOpen(L, Count, Begin, Body);
  auto Loop = scf::ForOp::create(L.B, L.index(int64_t{0}), Count,
                                 L.index(int64_t{1}), Begin);
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(Loop.getBody());
  // Without results there would be a terminator, but a node has an output.
  scf::YieldOp::create(L.B,
                       Body(Loop.getInductionVar(), Loop.getRegionIterArgs()));
  return llvm::to_vector(ValueRange(Loop.getResults()));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

FailureOr<LoweredBody> LoweredBody::lower(Lowering &L, Region &Body,
                                          ArrayRef<PlainType> Arguments) {
  if (Body.getNumArguments() != Arguments.size())
    return L.error() << "a body of it has " << Body.getNumArguments()
                     << " inputs, expected " << Arguments.size();
  LoweredBody Result;
  auto Holder = scf::ExecuteRegionOp::create(L.B, TypeRange());
  Result.Holder = Holder;
  Block &Block = Holder.getRegion().emplaceBlock();
  std::vector<Plain> Given;
  for (const PlainType &Of : Arguments)
    Given.push_back({Block.addArgument(Of.Tensor, L.N.location()), Of.Element});
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToEnd(&Block);
  auto Results = L.LowerBody(Body, Given);
  if (failed(Results)) {
    Holder->erase();
    return failure();
  }
  Result.Results = std::move(*Results);
  return Result;
}

void LoweredBody::place(Lowering &L, ValueRange Arguments) {
  Block &From = Holder->getRegion(0).front();
  for (auto [Old, New] : llvm::zip(From.getArguments(), Arguments)) {
    for (Plain &Result : Results)
      if (Result.Tensor == Old)
        Result.Tensor = New;
    Old.replaceAllUsesWith(New);
  }
  Block *To = L.B.getInsertionBlock();
  To->getOperations().splice(L.B.getInsertionPoint(), From.getOperations());
  Holder->erase();
  Holder = nullptr;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Opens the extents in which the body's results differ from its arguments;
/// whether there was one.
static FailureOr<bool> openChanged(Lowering &L, const LoweredBody &Body,
                                   MutableArrayRef<PlainType> Arguments,
                                   LoopShape Shape) {
  bool HasChanged = false;
  for (int64_t Index = 0; Index < Shape.Carried; ++Index) {
    PlainType &Of = Arguments[Shape.First + Index];
    std::optional<PlainType> Both =
        joined(Of, PlainType(Body.results()[Shape.FirstResult + Index]));
    if (!Both)
      return L.error() << "what it carries from iteration to iteration ("
                       << Index << ") changes its rank or element type";
    HasChanged |= Both->Tensor != Of.Tensor;
    Of = *Both;
  }
  return HasChanged;
}

FailureOr<LoweredStep>
tenon::frontend::lowerStep(Lowering &L, Region &Body,
                           SmallVector<PlainType> Arguments, LoopShape Shape) {
  // Ends: each round opens an extent at least.
  while (true) {
    auto Lowered = LoweredBody::lower(L, Body, Arguments);
    if (failed(Lowered))
      return failure();
    if (int64_t(Lowered->results().size()) < Shape.FirstResult + Shape.Carried)
      return L.error() << "its body has " << Lowered->results().size()
                       << " outputs, expected "
                       << Shape.FirstResult + Shape.Carried << " at least";
    FailureOr<bool> HasChanged = openChanged(L, *Lowered, Arguments, Shape);
    if (failed(HasChanged))
      return failure();
    if (!*HasChanged)
      return LoweredStep{*Lowered, Arguments};
    Lowered->erase();
  }
}
