//===- TileLoops.cpp - Loops over tiles of results -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A tile is U rows of V vectors and stays in registers through all reductions:
// an operand that does not depend on the rows is loaded once for U, one that
// does not depend on the vectors once for V. Each element is still computed in
// the operation's own order of reductions, so the bits are those of the plain
// loops.
//
// What is no whole tile at the end of a loop is done in smaller ones, down to a
// masked vector or a single element: nothing is read or written beside the
// operands.
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

void TileLoops::loop(unsigned Loop, OpFoldResult From, OpFoldResult To,
                     int64_t Step, Body Inner) {
  auto First = getConstantIntValue(From), End = getConstantIntValue(To);
  if (First && End && *First >= *End)
    return;
  if (First && End && *First + Step >= *End) {
    At[Loop] = bound(From);
    return Inner();
  }
  auto For = scf::ForOp::create(B, Loc, bound(From), bound(To), index(Step));
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(For.getBody());
  At[Loop] = For.getInductionVar();
  Inner();
}

OpFoldResult
TileLoops::inParts(unsigned Loop, ArrayRef<Part> Parts,
                   llvm::function_ref<int64_t(const Part &)> SizeOf,
                   llvm::function_ref<void(Part)> Inner) {
  auto [From, End] = Ranges[Loop];
  for (const Part &P : Parts) {
    int64_t Size = SizeOf(P);
    // From + (End - From) / Size * Size
    AffineExpr First, Last;
    bindDims(B.getContext(), First, Last);
    OpFoldResult To = affine::makeComposedFoldedAffineApply(
        B, Loc, First + (Last - First).floorDiv(Size) * Size, {From, End});
    loop(Loop, From, To, Size, [&] { Inner(P); });
    From = To;
  }
  return From;
}

/// Whole tiles, then the vectors that are left at once where their number is
/// known, the last of them masked where there are masks. Without masks then
/// parts of a vector down to an element: halves where it is known which of them
/// are needed; where it is not, quarters, which are half the code.
SmallVector<TileLoops::Part> TileLoops::partsOfVectors() {
  SmallVector<Part> Parts = {{1, T.Vectors, T.Lanes}};
  auto Extent = getConstantIntValue(Extents[*T.Vector]);
  int64_t Columns =
      Extent ? *Extent % (T.Vectors * T.Lanes) : (T.Vectors > 1 ? T.Lanes : 0);
  if (T.HasMasks) {
    if (Columns)
      Parts.push_back(
          {1, int64_t(llvm::divideCeil(Columns, T.Lanes)), T.Lanes, Columns});
    return Parts;
  }
  if (int64_t Left = Columns / T.Lanes)
    Parts.push_back({1, Left, T.Lanes});
  for (int64_t Lanes = T.Lanes; Lanes > 1;) {
    Lanes = std::max<int64_t>(Lanes / (Extent ? 2 : 4), 1);
    Parts.push_back({1, 1, Lanes});
  }
  return Parts;
}

void TileLoops::vectors(llvm::function_ref<void(Part)> Inner) {
  if (!T.Vector)
    return Inner({1, 1, 1});
  OpFoldResult From = inParts(
      *T.Vector, partsOfVectors(), [](const Part &P) { return P.Columns; },
      Inner);
  if (!T.HasMasks || getConstantIntValue(Extents[*T.Vector]))
    return;
  OpFoldResult End = Ranges[*T.Vector].To;
  AffineExpr First, Last;
  bindDims(B.getContext(), First, Last);
  Rest = bound(
      affine::makeComposedFoldedAffineApply(B, Loc, Last - First, {From, End}));
  loop(*T.Vector, From, End, T.Lanes,
       [&] { Inner({1, 1, T.Lanes, ShapedType::kDynamic}); });
}

/// Whole tiles, then the rows that are left at once where their number is
/// known, else by twos.
void TileLoops::rows(llvm::function_ref<void(int64_t)> Inner) {
  if (!T.Row)
    return Inner(1);
  SmallVector<int64_t> Sizes = {T.Rows};
  if (auto Extent = getConstantIntValue(Extents[*T.Row])) {
    if (int64_t Left = *Extent % T.Rows)
      Sizes.push_back(Left);
  } else {
    for (int64_t Left : {2, 1})
      if (Left < T.Rows)
        Sizes.push_back(Left);
  }
  SmallVector<Part> Parts;
  for (int64_t Size : Sizes)
    Parts.push_back({Size, 1, 1});
  inParts(
      *T.Row, Parts, [](const Part &P) { return P.Rows; },
      [&](Part P) { Inner(P.Rows); });
}

void TileLoops::others(ArrayRef<unsigned> Loops, Body Inner) {
  if (Loops.empty())
    return Inner();
  auto [From, To] = Ranges[Loops.front()];
  loop(Loops.front(), From, To, 1, [&] { others(Loops.drop_front(), Inner); });
}

int64_t TileLoops::stepOf(unsigned Loop) const {
  return Loop == T.Vector ? T.Vectors * T.Lanes : Loop == T.Row ? T.Rows : 1;
}

void TileLoops::range(const std::optional<Share> &S,
                      ArrayRef<unsigned> Others) {
  for (OpFoldResult Extent : Extents)
    Ranges.push_back({B.getIndexAttr(0), Extent});
  if (!S)
    return;
  // As nest() has them.
  SmallVector<unsigned> Loops(Others);
  if (T.Row)
    Loops.push_back(*T.Row);
  if (T.Vector &&
      Op.getIteratorTypesArray()[*T.Vector] == utils::IteratorType::parallel)
    Loops.insert(T.Row ? Loops.begin() : Loops.end(), *T.Vector);
  auto Step = [this](unsigned Loop) { return stepOf(Loop); };
  if (auto Loop = loopToShare(Op, Loops, Step))
    Ranges[*Loop] = rangeOf(B, Loc, *S, Extents[*Loop], stepOf(*Loop));
  else
    leaveToFirst(B, Loc, *S);
}

void TileLoops::nest(ArrayRef<unsigned> Others) {
  // What a vector of all rows reads, weights or windows, is to stay in the
  // cache while they pass.
  if (T.Row)
    return vectors([&](Part P) {
      others(Others,
             [&] { rows([&](int64_t Rows) { tile(P.withRows(Rows)); }); });
    });
  others(Others, [&] { vectors([&](Part P) { tile(P); }); });
}

void TileLoops::write(const std::optional<Share> &S) {
  OpBuilder::InsertionGuard Guard(B);
  for (Range R :
       cast<linalg::LinalgOp>(Op.getOperation()).createLoopRanges(B, Loc))
    Extents.push_back(R.size);
  Op.getReductionDims(Reductions);
  begin();
  SmallVector<unsigned> Others;
  Op.getParallelDims(Others);
  llvm::erase_if(Others, [&](unsigned Loop) -> bool {
    return Loop == T.Row || Loop == T.Vector;
  });
  range(S, Others);
  nest(Others);
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

SmallVector<Value> TileLoops::place(OpOperand &Operand, int64_t Row,
                                    int64_t Vector, Part P) {
  AffineMap Map = Op.getMatchingIndexingMap(&Operand);
  SmallVector<Value> Result;
  // Loops that are not open yet are none of the operand's.
  SmallVector<OpFoldResult> Where;
  for (Value V : At)
    Where.push_back(V ? OpFoldResult(V) : OpFoldResult(B.getIndexAttr(0)));
  for (AffineExpr Expr : Map.getResults()) {
    if (T.Row)
      Expr = Expr.replace(B.getAffineDimExpr(*T.Row),
                          B.getAffineDimExpr(*T.Row) + Row);
    if (T.Vector)
      Expr = Expr.replace(B.getAffineDimExpr(*T.Vector),
                          B.getAffineDimExpr(*T.Vector) + Vector * P.Lanes);
    Result.push_back(bound(affine::makeComposedFoldedAffineApply(
        B, Loc, AffineMap::get(Map.getNumDims(), 0, Expr), Where)));
  }
  return Result;
}

Value TileLoops::spread(Value V, Part P) {
  if (P.Lanes == 1 || llvm::isa<VectorType>(V.getType()))
    return V;
  return vector::BroadcastOp::create(B, Loc, onLanes(V.getType(), P), V);
}

Value TileLoops::mask(int64_t Vector, Part P, int64_t Each) {
  auto Type = VectorType::get({P.Lanes * Each}, B.getI1Type());
  if (!ShapedType::isDynamic(P.Columns)) {
    int64_t Lanes = P.Columns - Vector * P.Lanes;
    if (Lanes >= P.Lanes)
      return Value();
    SmallVector<bool> There(P.Lanes * Each);
    std::fill_n(There.begin(), Lanes * Each, true);
    return arith::ConstantOp::create(B, Loc,
                                     DenseElementsAttr::get(Type, There));
  }
  SmallVector<int32_t> Lanes;
  for (int64_t I = 0; I < P.Lanes * Each; ++I)
    Lanes.push_back(I / Each);
  auto Numbers = Type.clone(B.getI32Type());
  Value Lane = arith::ConstantOp::create(
      B, Loc, DenseElementsAttr::get(Numbers, ArrayRef(Lanes)));
  Value Count = vector::BroadcastOp::create(
      B, Loc, Numbers,
      arith::IndexCastOp::create(B, Loc, B.getI32Type(), Rest));
  return arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::slt, Lane, Count);
}

Value TileLoops::loadVector(Value Memory, ValueRange Where, int64_t Count,
                            Value Mask) {
  auto Type = VectorType::get(
      {Count}, cast<MemRefType>(Memory.getType()).getElementType());
  if (!Mask)
    return vector::LoadOp::create(B, Loc, Type, Memory, Where);
  Value Zero = arith::ConstantOp::create(B, Loc, B.getZeroAttr(Type));
  return vector::MaskedLoadOp::create(B, Loc, Type, Memory, Where, Mask, Zero);
}

Value TileLoops::load(OpOperand &Operand, int64_t Row, int64_t Vector, Part P) {
  SmallVector<Value> Where = place(Operand, Row, Vector, P);
  if (P.Lanes > 1 && depends(Operand, T.Vector))
    return loadVector(Operand.get(), Where, P.Lanes, mask(Vector, P));
  return spread(memref::LoadOp::create(B, Loc, Operand.get(), Where), P);
}

void TileLoops::store(Value V, OpOperand &Operand, int64_t Row, int64_t Vector,
                      Part P) {
  SmallVector<Value> Where = place(Operand, Row, Vector, P);
  Value Mask = P.Lanes > 1 ? mask(Vector, P) : Value();
  // LLVM 22 takes a narrowing store of one lane, where it knows the mask, for
  // one of the wide element: that would write beside the operand.
  if (Mask && P.Columns - Vector * P.Lanes == 1)
    memref::StoreOp::create(B, Loc, vector::ExtractOp::create(B, Loc, V, 0),
                            Operand.get(), Where);
  else if (Mask)
    vector::MaskedStoreOp::create(B, Loc, Operand.get(), Where, Mask, V);
  else if (P.Lanes > 1)
    vector::StoreOp::create(B, Loc, V, Operand.get(), Where);
  else
    memref::StoreOp::create(B, Loc, V, Operand.get(), Where);
}

Value TileLoops::read(OpOperand &Input, int64_t Row, int64_t Vector, Part P,
                      Loads &Loaded) {
  Row = depends(Input, T.Row) ? Row : 0;
  Vector = depends(Input, T.Vector) ? Vector : 0;
  Value &V = Loaded[{&Input, Row, Vector}];
  if (!V)
    V = load(Input, Row, Vector, P);
  return V;
}

void TileLoops::clone(Operation &Inner, Part P, IRMapping &Map) {
  for (Value V : Inner.getOperands())
    if (!Map.contains(V))
      Map.map(V, spread(V, P));
  Operation *New = B.clone(Inner, Map);
  if (P.Lanes == 1)
    return;
  for (auto [Old, Result] : llvm::zip(Inner.getResults(), New->getResults())) {
    if (llvm::isa<arith::ConstantOp>(Inner))
      Map.map(Old, spread(Result, P));
    else
      Result.setType(onLanes(Result.getType(), P));
  }
}

void TileLoops::clone(ArrayRef<Operation *> Body, int64_t Row, int64_t Vector,
                      Part P, IRMapping &Map, Loads &Loaded) {
  for (Operation *Inner : Body) {
    for (Value V : Inner->getOperands())
      if (OpOperand *Input = operandOf(Op, V); Input && !Map.contains(V))
        Map.map(V, read(*Input, Row, Vector, P, Loaded));
    clone(*Inner, P, Map);
  }
}

TileLoops::StepBody TileLoops::wholeBody() {
  StepBody Of;
  for (BlockArgument Sum : Op.getRegionOutputArgs())
    if (!Sum.use_empty())
      Of.Before.push_back(Sum);
  for (Operation &Inner : Op.getBody()->without_terminator())
    Of.Ops.push_back(&Inner);
  llvm::append_range(Of.After, Op.getBody()->getTerminator()->getOperands());
  return Of;
}

SmallVector<Value> TileLoops::step(const StepBody &Of, Part P,
                                   ValueRange Sums) {
  Loads Loaded;
  SmallVector<Value> Results;
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
      IRMapping Map;
      Map.map(ValueRange(Of.Before), Sums.take_front(Of.Before.size()));
      Sums = Sums.drop_front(Of.Before.size());
      clone(Of.Ops, Row, Vector, P, Map, Loaded);
      for (Value V : Of.After) {
        OpOperand *Moved = operandOf(Op, V); // an input that is a result
        Results.push_back(Map.contains(V) ? Map.lookup(V)
                          : Moved         ? read(*Moved, Row, Vector, P, Loaded)
                                          : spread(V, P));
      }
    }
  return Results;
}

SmallVector<Value> TileLoops::reduce(unsigned Loop, OpFoldResult From,
                                     OpFoldResult To, int64_t Distance,
                                     SmallVector<Value> Sums, Step Each) {
  auto First = getConstantIntValue(From), End = getConstantIntValue(To);
  if (First && End && *First >= *End)
    return Sums;
  if (First && End && *First + Distance >= *End) {
    At[Loop] = bound(From);
    return Each(Sums);
  }
  auto For =
      scf::ForOp::create(B, Loc, bound(From), bound(To), index(Distance), Sums);
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(For.getBody());
  At[Loop] = For.getInductionVar();
  SmallVector<Value> Next = Each(For.getRegionIterArgs());
  if (!Next.empty()) // else it is there
    scf::YieldOp::create(B, Loc, Next);
  return For.getResults();
}

SmallVector<Value> TileLoops::reduce(ArrayRef<unsigned> Loops,
                                     SmallVector<Value> Sums, Step Each) {
  if (Loops.empty())
    return Each(Sums);
  return reduce(Loops.front(), B.getIndexAttr(0), Extents[Loops.front()],
                /*Distance=*/1, std::move(Sums), [&](ValueRange Next) {
                  return reduce(Loops.drop_front(), llvm::to_vector(Next),
                                Each);
                });
}

void TileLoops::finish(const SumOfProducts &Of, Value Sum, int64_t Row,
                       int64_t Vector, Part P, Loads &Loaded) {
  IRMapping Map;
  Map.map(Of.Sum, Sum);
  clone(Of.Epilogue, Row, Vector, P, Map, Loaded);
  store(Of.hasEpilogue() ? Map.lookup(Of.Result) : Sum, *Of.Destination, Row,
        Vector, P);
}
