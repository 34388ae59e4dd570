//===- Scans.cpp - Scan --------------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An scf.for over the extent that all scan inputs have along their axes.  The
// form of version 8 is that in another one over the batch.
//
//===----------------------------------------------------------------------===//

#include "Gathered.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// One Scan.  The body gets the states and one slice of each scan input; it
/// gives the states and the rows.
class ScanLowering {
public:
  explicit ScanLowering(Lowering &L) : L(L), Body(*L.N.graph("body")) {}
  LogicalResult run();
  LogicalResult runBatched();

private:
  LogicalResult count(int64_t FirstInput);
  LogicalResult readAxes();
  FailureOr<SmallVector<int64_t>> directions(StringRef Name, int64_t Count);
  LogicalResult prepare(int64_t BatchAxes);
  FailureOr<OpFoldResult> length(int64_t BatchAxes);
  SmallVector<Value> loop(ValueRange States, ValueRange Inputs,
                          OpFoldResult Length, OpFoldResult Iterations,
                          bool Zeroed);

  Lowering &L;
  Region &Body;
  int64_t First = 0, States = 0, Inputs = 0, RowCount = 0;
  SmallVector<int64_t> InputAxes, InputDirections;
  SmallVector<int64_t> RowAxes, RowDirections;
  std::optional<LoweredStep> Step;
};
} // namespace

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

/// How many states, scan inputs and rows there are; inputs begin at `Begin`.
LogicalResult ScanLowering::count(int64_t Begin) {
  FailureOr<int64_t> Number = L.N.integer("num_scan_inputs", 0);
  if (failed(Number))
    return failure();
  First = Begin;
  Inputs = *Number;
  int64_t Given = L.inputCount() - First;
  if (Inputs < 1 || Inputs > Given ||
      L.N.outputCount() < Given - Inputs) // each state is an output, too
    return L.error() << "num_scan_inputs is " << Inputs << " of " << Given
                     << " inputs and " << L.N.outputCount() << " outputs";
  States = Given - Inputs;
  RowCount = L.N.outputCount() - States;
  for (int64_t Index = First; Index < L.inputCount(); ++Index)
    if (!L.has(Index))
      return L.error() << "input " << Index << " is left out";
  return success();
}

FailureOr<SmallVector<int64_t>> ScanLowering::directions(StringRef Name,
                                                         int64_t Count) {
  auto Values = L.N.integers(Name, SmallVector<int64_t>(Count, 0));
  if (succeeded(Values) && int64_t(Values->size()) != Count)
    return L.error() << "attribute '" << Name << "' has " << Values->size()
                     << " values, expected " << Count;
  return Values;
}

LogicalResult ScanLowering::readAxes() {
  auto OfInputs = directions("scan_input_axes", Inputs);
  auto OfRows = directions("scan_output_axes", RowCount);
  auto InputsTo = directions("scan_input_directions", Inputs);
  auto RowsTo = directions("scan_output_directions", RowCount);
  if (failed(OfInputs) || failed(OfRows) || failed(InputsTo) || failed(RowsTo))
    return failure();
  InputDirections = *InputsTo;
  RowDirections = *RowsTo;
  RowAxes = *OfRows; // from the front once the rows are known
  for (auto [Index, Axis] : llvm::enumerate(*OfInputs)) {
    FailureOr<int64_t> Known =
        L.axis(Axis, L.in(First + States + Index).rank());
    if (failed(Known))
      return failure();
    InputAxes.push_back(*Known);
  }
  return success();
}

/// Lowers the body for states and slices without their `BatchAxes`.
LogicalResult ScanLowering::prepare(int64_t BatchAxes) {
  SmallVector<PlainType> Arguments;
  for (int64_t Index = 0; Index < States + Inputs; ++Index) {
    PlainType Of(L.in(First + Index));
    bool IsState = Index < States;
    if (Of.Tensor.getRank() < BatchAxes + !IsState)
      return L.error() << "input " << First + Index << " has "
                       << Of.Tensor.getRank() << " dimensions, expected "
                       << BatchAxes + !IsState << " at least";
    if (BatchAxes)
      Of.Tensor = without(Of.Tensor, 0);
    if (!IsState)
      Of.Tensor = without(Of.Tensor, InputAxes[Index - States]);
    Arguments.push_back(Of);
  }
  auto Lowered =
      lowerStep(L, Body, Arguments, {/*First=*/0, /*FirstResult=*/0, States});
  if (failed(Lowered))
    return failure();
  Step = *Lowered;
  ArrayRef<Plain> Results = Step->Body.results();
  if (int64_t(Results.size()) != L.N.outputCount())
    return L.error() << "its body has " << Results.size()
                     << " outputs, expected " << L.N.outputCount();
  for (auto [Axis, Row] : llvm::zip(RowAxes, Results.drop_front(States))) {
    FailureOr<int64_t> Known = L.axis(Axis, Row.rank() + 1);
    if (failed(Known))
      return failure();
    Axis = *Known;
  }
  return success();
}

/// How many slices the scan inputs have.
FailureOr<OpFoldResult> ScanLowering::length(int64_t BatchAxes) {
  Extents Of;
  for (int64_t Index = 0; Index < Inputs; ++Index)
    Of.push_back(L.extentOf(L.in(First + States + Index).Tensor,
                            InputAxes[Index] + BatchAxes));
  return L.common(Of, "number of slices");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// `Iterations` of `Length` slices: the last states, then the rows, in spaces
/// of `Length`.
SmallVector<Value> ScanLowering::loop(ValueRange FirstStates,
                                      ValueRange Scanned, OpFoldResult Length,
                                      OpFoldResult Iterations, bool Zeroed) {
  std::vector<Gathered> Rows;
  SmallVector<Value> Begin;
  for (auto [State, Of] : llvm::zip(FirstStates, Step->Arguments))
    Begin.push_back(opened(L, State, Of.Tensor));
  for (auto [Row, Axis] :
       llvm::zip(Step->Body.results().drop_front(States), RowAxes)) {
    Rows.emplace_back(PlainType(Row), Axis, Length, Zeroed);
    Begin.push_back(Rows.back().begin(L));
  }
  SmallVector<Value> Ends = repeated(
      L, L.index(Iterations), Begin, [&](Value Iteration, ValueRange Held) {
        auto Place = [&](int64_t Direction) {
          return Direction == 0
                     ? OpFoldResult(Iteration)
                     : L.sub(L.sub(Iterations, L.extent(1)), Iteration);
        };
        SmallVector<Value> Arguments(Held.take_front(States));
        for (auto [Of, Axis, Direction] :
             llvm::zip(Scanned, InputAxes, InputDirections))
          Arguments.push_back(sliceAt(L, Of, Axis, Place(Direction)));
        Step->Body.place(L, Arguments);
        ArrayRef<Plain> Results = Step->Body.results();
        SmallVector<Value> Next;
        for (int64_t Index = 0; Index < States; ++Index)
          Next.push_back(
              opened(L, Results[Index].Tensor, Step->Arguments[Index].Tensor));
        for (auto [Index, Row] : llvm::enumerate(Rows))
          Next.push_back(Row.add(L, Held[States + Index],
                                 Results[States + Index].Tensor, Iteration,
                                 L.index(Place(RowDirections[Index]))));
        return Next;
      });
  for (auto [Index, Row] : llvm::enumerate(Rows))
    Ends[States + Index] = Row.end(L, Ends[States + Index], Length).Tensor;
  return Ends;
}

static SmallVector<Value> tensorsOf(Lowering &L, int64_t From, int64_t Count) {
  return llvm::map_to_vector(llvm::seq(From, From + Count),
                             [&](int64_t Index) { return L.in(Index).Tensor; });
}

LogicalResult ScanLowering::run() {
  if (failed(count(0)) || failed(readAxes()) || failed(prepare(0)))
    return failure();
  FailureOr<OpFoldResult> Length = length(0);
  if (failed(Length))
    return failure();
  SmallVector<Value> Ends =
      loop(tensorsOf(L, 0, States), tensorsOf(L, States, Inputs), *Length,
           *Length, /*Zeroed=*/false);
  for (auto [Index, End] : llvm::enumerate(Ends))
    if (failed(L.define(Index, End, Step->Body.results()[Index].Element)))
      return failure();
  return success();
}

/// Version 8: input 0 has the length of each sequence, everything else a batch
/// axis in front, and rows behind a sequence's end are zero.
LogicalResult ScanLowering::runBatched() {
  if (failed(count(1)))
    return failure();
  auto Directions = directions("directions", Inputs);
  if (failed(Directions))
    return failure();
  InputDirections = *Directions;
  InputAxes.assign(Inputs, 0);
  RowAxes.assign(RowCount, 0);
  RowDirections.assign(RowCount, 0);
  if (failed(prepare(1)))
    return failure();
  Extents Batches;
  for (int64_t Index = L.has(0) ? 0 : 1; Index < L.inputCount(); ++Index)
    Batches.push_back(L.extentOf(L.in(Index).Tensor, 0));
  FailureOr<OpFoldResult> Batch = L.common(Batches, "batch");
  FailureOr<OpFoldResult> Length = length(1);
  if (failed(Batch) || failed(Length))
    return failure();
  std::vector<Gathered> All;
  SmallVector<Value> Begin;
  for (auto [Index, Result] : llvm::enumerate(Step->Body.results())) {
    PlainType Of(Result);
    if (int64_t(Index) < States) {
      Of = Step->Arguments[Index];
    } else {
      SmallVector<int64_t> Dims(Of.Tensor.getShape());
      Dims.insert(Dims.begin(),
                  getConstantIntValue(*Length).value_or(ShapedType::kDynamic));
      Of.Tensor = RankedTensorType::get(Dims, Of.Tensor.getElementType());
    }
    All.emplace_back(Of, 0, *Batch);
    Begin.push_back(All.back().begin(L));
  }
  SmallVector<Value> Last =
      repeated(L, L.index(*Batch), Begin, [&](Value At, ValueRange Held) {
        SmallVector<Value> Slices;
        for (Value Of : tensorsOf(L, First, States + Inputs))
          Slices.push_back(sliceAt(L, Of, 0, At));
        OpFoldResult Iterations = *Length;
        if (L.has(0)) {
          Value Given = tensor::ExtractOp::create(L.B, L.in(0).Tensor, At);
          Iterations =
              L.B.createOrFold<arith::IndexCastOp>(L.B.getIndexType(), Given);
          Value Kept = L.index(L.max(L.min(Iterations, *Length), L.extent(0)));
          L.require(
              arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq,
                                    L.index(Iterations), Kept),
              "a sequence's length is negative or more than there are slices");
          Iterations = Kept;
        }
        SmallVector<Value> Ends =
            loop(ArrayRef(Slices).take_front(States),
                 ArrayRef(Slices).drop_front(States), *Length, Iterations,
                 /*Zeroed=*/true);
        SmallVector<Value> Next;
        for (auto [Index, Of] : llvm::enumerate(All))
          Next.push_back(Of.add(L, Held[Index], Ends[Index], At, At));
        return Next;
      });
  for (auto [Index, Of] : llvm::enumerate(All)) {
    Plain Result = Of.end(L, Last[Index], *Batch);
    if (failed(L.define(Index, Result.Tensor, Result.Element)))
      return failure();
  }
  return success();
}

static LogicalResult lowerScan8(Lowering &L) {
  return ScanLowering(L).runBatched();
}

static LogicalResult lowerScan(Lowering &L) { return ScanLowering(L).run(); }

ArrayRef<LoweredOperator> tenon::frontend::scanOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Scan", 8, lowerScan8},
      {"", "Scan", 9, lowerScan},
  };
  return Table;
}
