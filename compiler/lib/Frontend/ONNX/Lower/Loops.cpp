//===- Loops.cpp - Loop --------------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An scf.for where only the trip count ends the loop, else an scf.while that
// carries the number of iterations and the condition.
//
//===----------------------------------------------------------------------===//

#include "Gathered.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

namespace {
/// One Loop.  The body gets the iteration's number, the condition and what is
/// carried; it gives the condition, what is carried and the rows.
class LoopLowering {
public:
  explicit LoopLowering(Lowering &L) : L(L), Body(*L.N.graph("body")) {}
  LogicalResult run();

private:
  bool isCounted() const;
  LogicalResult prepare();
  Value scalarFor(int64_t Argument, Value Of);
  /// The body in its place: what the next iteration gets.  The condition goes
  /// to `Goes`.
  SmallVector<Value> iterate(Value Iteration, Value Condition,
                             ValueRange Carried, Value &Goes);
  SmallVector<Value> countedLoop(Value &Iterations);
  SmallVector<Value> conditionalLoop(Value &Iterations);

  Lowering &L;
  Region &Body;
  int64_t Carried = 0;
  Value Trips; ///< null: only the condition ends the loop
  std::optional<LoweredStep> Step;
  std::vector<Gathered> Rows;
  SmallVector<Value> Begin; ///< carried tensors, then the spaces of the rows
};
} // namespace

/// What `Of` is in every iteration of `Body`, given that the condition is true
/// in the first; none where that hangs on the data.
static std::optional<bool> alwaysGives(Region &Body, Value Of) {
  if (auto Argument = dyn_cast<BlockArgument>(Of))
    return Argument == Body.getArgument(1) ? std::optional(true) : std::nullopt;
  if (auto Data = onnx::constantOf(Of);
      Data && Data->size() == 1 && Data->isInteger())
    return Data->integer(0) != 0;
  // On its way to another type, a number may become zero.
  if (!getElementTypeOrSelf(Of.getType()).isInteger(1))
    return std::nullopt;
  auto From = Of.getDefiningOp<onnx::NodeOp>();
  if (From && (Node(From).is("Identity") || Node(From).is("Cast")))
    return alwaysGives(Body, Node(From).input(0));
  return std::nullopt;
}

/// Whether the trip count alone ends the loop.
bool LoopLowering::isCounted() const {
  if (!L.has(0))
    return false;
  if (!L.has(1)) // the body's condition is then ignored
    return true;
  auto First = L.integers(1);
  Value Next =
      cast<onnx::YieldOp>(Body.front().getTerminator()).getValues().front();
  return First && First->size() == 1 && First->front() != 0 &&
         alwaysGives(Body, Next) == true;
}

/// A loop that nothing in the model ends, and that no machine comes to the end
/// of.
static constexpr int64_t Endless = int64_t(1) << 48;

/// The type that the body says of its scalar argument: rank 0 or one element.
static RankedTensorType scalarType(Region &Body, int64_t Argument, Type Held) {
  auto Said = dyn_cast<RankedTensorType>(Body.getArgument(Argument).getType());
  return RankedTensorType::get(
      SmallVector<int64_t>(Said ? Said.getRank() : 0, 1), Held);
}

Value LoopLowering::scalarFor(int64_t Argument, Value Of) {
  return tensor::FromElementsOp::create(
      L.B, scalarType(Body, Argument, Of.getType()), Of);
}

/// Lowers the body and says what the loop carries.
LogicalResult LoopLowering::prepare() {
  if (Body.getNumArguments() < 2)
    return L.error() << "its body has " << Body.getNumArguments()
                     << " inputs, expected 2 at least";
  Carried = std::max<int64_t>(L.inputCount() - 2, 0);
  Type Number = L.B.getI64Type(), Flag = L.B.getI1Type();
  SmallVector<PlainType> Arguments = {{scalarType(Body, 0, Number), Number},
                                      {scalarType(Body, 1, Flag), Flag}};
  for (int64_t Index = 0; Index < Carried; ++Index)
    Arguments.push_back(PlainType(L.in(Index + 2)));
  auto Lowered =
      lowerStep(L, Body, Arguments, {/*First=*/2, /*FirstResult=*/1, Carried});
  if (failed(Lowered))
    return failure();
  Step = *Lowered;
  int64_t Outputs = Step->Body.results().size() - 1;
  if (Outputs != L.N.outputCount())
    return L.error() << "its body has " << Outputs
                     << " outputs behind the condition, expected "
                     << L.N.outputCount();
  return success();
}

SmallVector<Value> LoopLowering::iterate(Value Iteration, Value Condition,
                                         ValueRange Values, Value &Goes) {
  Value Number = arith::IndexCastOp::create(L.B, L.B.getI64Type(), Iteration);
  SmallVector<Value> Arguments = {scalarFor(0, Number),
                                  scalarFor(1, Condition)};
  llvm::append_range(Arguments, Values.take_front(Carried));
  Step->Body.place(L, Arguments);
  ArrayRef<Plain> Results = Step->Body.results();
  Goes = onlyElement(L, Results[0]);
  SmallVector<Value> Next;
  for (int64_t Index = 0; Index < Carried; ++Index)
    Next.push_back(opened(L, Results[Index + 1].Tensor,
                          Step->Arguments[Index + 2].Tensor));
  for (auto [Index, Row] : llvm::enumerate(Rows))
    Next.push_back(Row.add(L, Values[Carried + Index],
                           Results[Carried + Index + 1].Tensor, Iteration,
                           Iteration));
  return Next;
}

SmallVector<Value> LoopLowering::countedLoop(Value &Iterations) {
  Iterations = Trips;
  return repeated(L, Trips, Begin, [&](Value Iteration, ValueRange Held) {
    Value Goes;
    Value True = L.integer(L.B.getI1Type(), 1);
    return iterate(Iteration, True, Held, Goes);
  });
}

SmallVector<Value> LoopLowering::conditionalLoop(Value &Iterations) {
  Value First =
      L.has(1) ? onlyElement(L, L.in(1)) : L.integer(L.B.getI1Type(), 1);
  SmallVector<Value> Initial = {L.index(int64_t{0}), First};
  llvm::append_range(Initial, Begin);
  SmallVector<Type> Types(ValueRange(Initial).getTypes());
  SmallVector<Location> Places(Types.size(), L.N.location());
  auto Loop = scf::WhileOp::create(L.B, Types, Initial);
  OpBuilder::InsertionGuard Guard(L.B);
  Block *Before = L.B.createBlock(&Loop.getBefore(), {}, Types, Places);
  Value Goes = Before->getArgument(1);
  if (Trips) {
    Value IsLeft = arith::CmpIOp::create(L.B, arith::CmpIPredicate::slt,
                                         Before->getArgument(0), Trips);
    Goes = arith::AndIOp::create(L.B, Goes, IsLeft);
  }
  scf::ConditionOp::create(L.B, Goes, Before->getArguments());
  Block *After = L.B.createBlock(&Loop.getAfter(), {}, Types, Places);
  Value Iteration = After->getArgument(0);
  Value Next;
  SmallVector<Value> Values =
      iterate(Iteration, After->getArgument(1),
              After->getArguments().drop_front(2), Next);
  if (!L.has(1))
    Next = After->getArgument(1);
  SmallVector<Value> Yielded = {L.index(L.add(Iteration, L.extent(1))), Next};
  llvm::append_range(Yielded, Values);
  scf::YieldOp::create(L.B, Yielded);
  Iterations = Loop.getResult(0);
  return llvm::to_vector(ValueRange(Loop.getResults()).drop_front(2));
}

LogicalResult LoopLowering::run() {
  if (failed(prepare()))
    return failure();
  bool Counted = isCounted();
  std::optional<OpFoldResult> Count;
  if (L.has(0)) {
    auto Known = L.integers(0);
    Count = Known && Known->size() == 1
                ? L.extent(Known->front())
                : OpFoldResult(L.B.createOrFold<arith::IndexCastOp>(
                      L.B.getIndexType(), onlyElement(L, L.in(0))));
    if (Counted && getConstantIntValue(*Count).value_or(0) >= Endless)
      return L.error() << "nothing ends it before it has gone round "
                       << *getConstantIntValue(*Count) << " times";
    Count = L.max(*Count, L.extent(0));
    Trips = L.index(*Count);
  }
  for (int64_t Index = 0; Index < Carried; ++Index)
    Begin.push_back(
        opened(L, L.in(Index + 2).Tensor, Step->Arguments[Index + 2].Tensor));
  for (const Plain &Row : Step->Body.results().drop_front(Carried + 1)) {
    Rows.emplace_back(PlainType(Row), 0, Counted ? Count : std::nullopt);
    Begin.push_back(Rows.back().begin(L));
  }
  Value Iterations;
  SmallVector<Value> Ends =
      Counted ? countedLoop(Iterations) : conditionalLoop(Iterations);
  for (int64_t Index = 0; Index < Carried; ++Index)
    if (failed(
            L.define(Index, Ends[Index], Step->Arguments[Index + 2].Element)))
      return failure();
  for (auto [Index, Row] : llvm::enumerate(Rows)) {
    Plain Result = Row.end(L, Ends[Carried + Index],
                           Counted ? *Count : OpFoldResult(Iterations));
    if (failed(L.define(Carried + Index, Result.Tensor, Result.Element)))
      return failure();
  }
  return success();
}

static LogicalResult lowerLoop(Lowering &L) { return LoopLowering(L).run(); }

ArrayRef<LoweredOperator> tenon::frontend::loopOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Loop", 1, lowerLoop},
  };
  return Table;
}
