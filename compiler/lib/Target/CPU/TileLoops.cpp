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
// single element: nothing is read or written beside the operands.
//
//===----------------------------------------------------------------------===//

#include "RegisterTile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;
using namespace tenon;

namespace {

/// Writes the loops of one operation.
class Writer {
public:
  Writer(OpBuilder &B, linalg::GenericOp Op, const RegisterTile &T)
      : B(B), Loc(Op.getLoc()), Op(Op), T(T), At(Op.getNumLoops()) {}
  void write();

private:
  /// A tile that is whole or what is left of one.
  struct Part {
    int64_t Rows, Vectors, Lanes;
  };
  using Body = llvm::function_ref<void()>;

  Value index(int64_t Number) {
    return arith::ConstantIndexOp::create(B, Loc, Number);
  }
  Value bound(OpFoldResult Extent) {
    return getValueOrCreateConstantIndexOp(B, Loc, Extent);
  }
  /// A loop over At[Loop] from `From` to `To`.
  void loop(unsigned Loop, OpFoldResult From, OpFoldResult To, int64_t Step,
            Body Inner);
  /// Loop `Loop` in parts: as many of the first size as fit, then of the next.
  template <typename Each>
  void inParts(unsigned Loop, ArrayRef<Part> Parts, Each Size,
               llvm::function_ref<void(Part)> Inner);
  void vectors(int64_t Rows, llvm::function_ref<void(Part)> Inner);
  void rows(llvm::function_ref<void(int64_t)> Inner);
  void others(ArrayRef<unsigned> Loops, Body Inner);
  void tile(Part P);
  SmallVector<Value> reduce(ArrayRef<unsigned> Loops, Part P,
                            SmallVector<Value> Sums);
  /// What was loaded of an input for a row and a vector, once for all that it
  /// is the same for.
  using Loads = std::map<std::tuple<OpOperand *, int64_t, int64_t>, Value>;
  Value read(OpOperand &Input, int64_t Row, int64_t Vector, Part P,
             Loads &Loaded);
  /// An operation of the body, on vectors.
  void clone(Operation &Inner, Part P, IRMapping &Map);
  SmallVector<Value> step(Part P, ValueRange Sums);
  SmallVector<Value> dotStep(Part P, ValueRange Sums);
  void dotTile(Part P);
  void finishDot(Value Sum, int64_t Row, int64_t Vector, Part P, Loads &Loaded);
  DotWriter dot(Part P) { return DotWriter(B, Loc, T.Instruction, P.Lanes); }
  Value loadBytes(Value Memory, ValueRange Where, int64_t Count);

  SmallVector<Value> place(OpOperand &Operand, int64_t Row, int64_t Vector,
                           Part P);
  Type onLanes(Type Element, Part P) {
    return P.Lanes == 1 ? Element : VectorType::get({P.Lanes}, Element);
  }
  Value load(OpOperand &Operand, int64_t Row, int64_t Vector, Part P);
  void store(Value V, OpOperand &Operand, int64_t Row, int64_t Vector, Part P);
  bool depends(OpOperand &Operand, std::optional<unsigned> Loop) {
    return Loop && Op.getMatchingIndexingMap(&Operand).isFunctionOfDim(*Loop);
  }
  Value spread(Value V, Part P);

  OpBuilder &B;
  Location Loc;
  linalg::GenericOp Op;
  const RegisterTile &T;
  SmallVector<Value> At; ///< where each loop is
  SmallVector<OpFoldResult> Extents;
  SmallVector<unsigned> Reductions;
  Value Weights; ///< of a dot product, [..., F * 4]
};

} // namespace

void Writer::loop(unsigned Loop, OpFoldResult From, OpFoldResult To,
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

template <typename Each>
void Writer::inParts(unsigned Loop, ArrayRef<Part> Parts, Each SizeOf,
                     llvm::function_ref<void(Part)> Inner) {
  OpFoldResult From = B.getIndexAttr(0), End = Extents[Loop];
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
}

void Writer::vectors(int64_t Rows, llvm::function_ref<void(Part)> Inner) {
  if (!T.Vector)
    return Inner({Rows, 1, 1});
  // Whole tiles, then the vectors that are left at once where their number is
  // known, then parts of a vector down to an element: halves where it is known
  // which of them are needed; where it is not, quarters, which are half the
  // code.
  SmallVector<Part> Parts = {{Rows, T.Vectors, T.Lanes}};
  auto Extent = getConstantIntValue(Extents[*T.Vector]);
  int64_t Left =
      Extent ? *Extent % (T.Vectors * T.Lanes) / T.Lanes : T.Vectors > 1;
  if (Left)
    Parts.push_back({Rows, Left, T.Lanes});
  for (int64_t Lanes = T.Lanes; Lanes > 1;) {
    Lanes = std::max<int64_t>(Lanes / (Extent ? 2 : 4), 1);
    Parts.push_back({Rows, 1, Lanes});
  }
  inParts(
      *T.Vector, Parts, [](const Part &P) { return P.Vectors * P.Lanes; },
      Inner);
}

void Writer::rows(llvm::function_ref<void(int64_t)> Inner) {
  if (!T.Row)
    return Inner(1);
  SmallVector<Part> Parts = {{T.Rows, 1, 1}};
  auto Extent = getConstantIntValue(Extents[*T.Row]);
  int64_t Left = Extent ? *Extent % T.Rows : T.Rows > 1;
  if (Left)
    Parts.push_back({Left, 1, 1});
  inParts(
      *T.Row, Parts, [](const Part &P) { return P.Rows; },
      [&](Part P) { Inner(P.Rows); });
}

void Writer::others(ArrayRef<unsigned> Loops, Body Inner) {
  if (Loops.empty())
    return Inner();
  loop(Loops.front(), B.getIndexAttr(0), Extents[Loops.front()], 1,
       [&] { others(Loops.drop_front(), Inner); });
}

/// The weights of a dot product with what is loaded at once in one axis.
static Value rowsOfWeights(OpBuilder &B, Location Loc, Value Packed) {
  int64_t Rank = cast<MemRefType>(Packed.getType()).getRank();
  SmallVector<ReassociationIndices> Axes;
  for (int64_t Axis = 0; Axis + 2 < Rank; ++Axis)
    Axes.push_back({Axis});
  Axes.push_back({Rank - 2, Rank - 1});
  return memref::CollapseShapeOp::create(B, Loc, Packed, Axes);
}

void Writer::write() {
  for (Range R :
       cast<linalg::LinalgOp>(Op.getOperation()).createLoopRanges(B, Loc))
    Extents.push_back(R.size);
  Op.getReductionDims(Reductions);
  if (T.Dot) {
    llvm::erase(Reductions, T.Dot->InFour);
    At[T.Dot->InFour] = index(0);
    Weights = rowsOfWeights(B, Loc, T.Dot->W->get());
  }
  SmallVector<unsigned> Others;
  Op.getParallelDims(Others);
  llvm::erase_if(Others, [&](unsigned Loop) -> bool {
    return Loop == T.Row || Loop == T.Vector;
  });
  // What is read for all rows is to stay in the cache while they pass.
  if (T.IsProduct)
    return vectors(1, [&](Part P) {
      others(Others, [&] {
        rows([&](int64_t Rows) { tile({Rows, P.Vectors, P.Lanes}); });
      });
    });
  others(Others, [&] {
    rows([&](int64_t Rows) { vectors(Rows, [&](Part P) { tile(P); }); });
  });
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

SmallVector<Value> Writer::place(OpOperand &Operand, int64_t Row,
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

Value Writer::spread(Value V, Part P) {
  if (P.Lanes == 1 || llvm::isa<VectorType>(V.getType()))
    return V;
  return vector::BroadcastOp::create(B, Loc, onLanes(V.getType(), P), V);
}

Value Writer::load(OpOperand &Operand, int64_t Row, int64_t Vector, Part P) {
  SmallVector<Value> Where = place(Operand, Row, Vector, P);
  auto Type = cast<MemRefType>(Operand.get().getType());
  if (P.Lanes > 1 && depends(Operand, T.Vector))
    return vector::LoadOp::create(
        B, Loc, cast<VectorType>(onLanes(Type.getElementType(), P)),
        Operand.get(), Where);
  return spread(memref::LoadOp::create(B, Loc, Operand.get(), Where), P);
}

void Writer::store(Value V, OpOperand &Operand, int64_t Row, int64_t Vector,
                   Part P) {
  SmallVector<Value> Where = place(Operand, Row, Vector, P);
  if (P.Lanes > 1)
    vector::StoreOp::create(B, Loc, V, Operand.get(), Where);
  else
    memref::StoreOp::create(B, Loc, V, Operand.get(), Where);
}

Value Writer::read(OpOperand &Input, int64_t Row, int64_t Vector, Part P,
                   Loads &Loaded) {
  Row = depends(Input, T.Row) ? Row : 0;
  Vector = depends(Input, T.Vector) ? Vector : 0;
  Value &V = Loaded[{&Input, Row, Vector}];
  if (!V)
    V = load(Input, Row, Vector, P);
  return V;
}

void Writer::clone(Operation &Inner, Part P, IRMapping &Map) {
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

SmallVector<Value> Writer::step(Part P, ValueRange Sums) {
  Loads Loaded;
  SmallVector<Value> Results;
  auto Next = Sums.begin();
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
      IRMapping Map;
      for (OpOperand *Input : Op.getDpsInputOperands())
        if (!Op.getMatchingBlockArgument(Input).use_empty())
          Map.map(Op.getMatchingBlockArgument(Input),
                  read(*Input, Row, Vector, P, Loaded));
      for (OpOperand &Init : Op.getDpsInitsMutable())
        if (!Op.getMatchingBlockArgument(&Init).use_empty())
          Map.map(Op.getMatchingBlockArgument(&Init), *Next++);
      for (Operation &Inner : Op.getBody()->without_terminator())
        clone(Inner, P, Map);
      for (Value V : Op.getBody()->getTerminator()->getOperands())
        Results.push_back(Map.contains(V) ? Map.lookup(V) : spread(V, P));
    }
  return Results;
}

Value Writer::loadBytes(Value Memory, ValueRange Where, int64_t Count) {
  return vector::LoadOp::create(B, Loc, VectorType::get({Count}, B.getI8Type()),
                                Memory, Where);
}

SmallVector<Value> Writer::dotStep(Part P, ValueRange Sums) {
  DotWriter Dot = dot(P);
  SmallVector<Value> W, Results;
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
    SmallVector<Value> Where = place(*T.Dot->W, 0, Vector, P);
    Where.pop_back(); // the first of four
    Where.back() = bound(affine::makeComposedFoldedAffineApply(
        B, Loc, B.getAffineDimExpr(0) * DotProduct::Depth, {Where.back()}));
    W.push_back(
        Dot.weights(loadBytes(Weights, Where, DotProduct::Depth * P.Lanes),
                    T.Dot->ZeroPoint));
  }
  auto Sum = Sums.begin();
  Value X;
  for (int64_t Row = 0; Row < P.Rows; ++Row) {
    if (Row == 0 || depends(*T.Dot->X, T.Row))
      X = Dot.activations(loadBytes(
          T.Dot->X->get(), place(*T.Dot->X, Row, 0, P), DotProduct::Depth));
    for (Value Of : W)
      Results.push_back(Dot.step(*Sum++, X, Of));
  }
  return Results;
}

SmallVector<Value> Writer::reduce(ArrayRef<unsigned> Loops, Part P,
                                  SmallVector<Value> Sums) {
  if (Loops.empty())
    return T.Dot ? dotStep(P, Sums) : step(P, Sums);
  auto Extent = getConstantIntValue(Extents[Loops.front()]);
  if (Extent && *Extent == 1) {
    At[Loops.front()] = index(0);
    return reduce(Loops.drop_front(), P, Sums);
  }
  auto For = scf::ForOp::create(B, Loc, index(0), bound(Extents[Loops.front()]),
                                index(1), Sums);
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(For.getBody());
  At[Loops.front()] = For.getInductionVar();
  SmallVector<Value> Next =
      reduce(Loops.drop_front(), P,
             SmallVector<Value>(For.getRegionIterArgs().begin(),
                                For.getRegionIterArgs().end()));
  scf::YieldOp::create(B, Loc, Next);
  return For.getResults();
}

void Writer::finishDot(Value Sum, int64_t Row, int64_t Vector, Part P,
                       Loads &Loaded) {
  const DotProduct &Dot = *T.Dot;
  OpOperand *First = Op.getDpsInitOperand(0);
  Value Start = Dot.Start ? read(*Dot.Start, Row, Vector, P, Loaded)
                          : load(*First, Row, Vector, P);
  Sum = arith::AddIOp::create(B, Loc, Start, dot(P).finish(Sum));
  if (Dot.Epilogue.empty())
    return store(Sum, *First, Row, Vector, P);
  IRMapping Map;
  Map.map(Dot.Sum, Sum);
  for (Operation *Inner : Dot.Epilogue) {
    for (Value V : Inner->getOperands())
      if (auto Argument = dyn_cast<BlockArgument>(V);
          Argument && !Map.contains(V))
        Map.map(V, read(Op->getOpOperand(Argument.getArgNumber()), Row, Vector,
                        P, Loaded));
    clone(*Inner, P, Map);
  }
  Operation *Yield = Op.getBody()->getTerminator();
  for (int64_t I = 1; I < Op.getNumDpsInits(); ++I)
    store(Map.lookup(Yield->getOperand(I)), *Op.getDpsInitOperand(I), Row,
          Vector, P);
}

void Writer::dotTile(Part P) {
  SmallVector<Value> Sums;
  for (int64_t I = 0; I < P.Rows * P.Vectors; ++I)
    Sums.push_back(dot(P).zero());
  Sums = reduce(Reductions, P, std::move(Sums));
  Loads Loaded;
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      finishDot(Sums[Row * P.Vectors + Vector], Row, Vector, P, Loaded);
}

void Writer::tile(Part P) {
  if (T.Dot)
    return dotTile(P);
  SmallVector<Value> Sums;
  auto EachResult =
      [&](llvm::function_ref<void(OpOperand &, int64_t, int64_t)> Do) {
        for (int64_t Row = 0; Row < P.Rows; ++Row)
          for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
            for (OpOperand &Init : Op.getDpsInitsMutable())
              Do(Init, Row, Vector);
      };
  EachResult([&](OpOperand &Init, int64_t Row, int64_t Vector) {
    if (!Op.getMatchingBlockArgument(&Init).use_empty())
      Sums.push_back(load(Init, Row, Vector, P));
  });
  SmallVector<Value> Results = reduce(Reductions, P, std::move(Sums));
  auto Next = Results.begin();
  EachResult([&](OpOperand &Init, int64_t Row, int64_t Vector) {
    store(*Next++, Init, Row, Vector, P);
  });
}

void tenon::writeTileLoops(OpBuilder &B, linalg::GenericOp Op,
                           const RegisterTile &T) {
  Writer(B, Op, T).write();
}
