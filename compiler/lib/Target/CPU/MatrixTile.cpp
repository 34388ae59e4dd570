//===- MatrixTile.cpp - Tiles of dot products in tile registers -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// x86's tdpbssd adds to 16 x 16 sums the products of 16 rows of x, of 64 bytes
// each, with as many bytes of 16 columns of w. Rows are read where they lie,
// and packed weights (PackProducts.cpp) lie as it takes them: four bytes of
// each column beside each other. Both have a sign here, while sums begin with
// what is right for u = x + 128, so each column's sum of 128 * w is added:
//   sum u * w = sum x * w + sum 128 * w.
// It costs as much as 8 further rows do, once for all of them.
//
// LLVM configures the registers for the shapes that a function uses, and
// releases them at its end.
//
//===----------------------------------------------------------------------===//

#include "TileWriter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

static constexpr int64_t BytesOfColumn = DotProduct::Depth, BytesOfSum = 4;

namespace {

/// Tile registers and what moves through them.
class MatrixWriter {
public:
  MatrixWriter(OpBuilder &B, Location Loc) : B(B), Loc(Loc) {}

  /// `Rows` times Columns sums.
  Value zero(int64_t Rows) {
    return call("llvm.x86.tilezero.internal", {extent(Rows), columns()});
  }
  /// `Rows` rows of `Bytes` bytes, `Stride` bytes apart.
  Value load(int64_t Rows, int64_t Bytes, Value Address, Value Stride) {
    return call("llvm.x86.tileloadd64.internal",
                {extent(Rows), extent(Bytes), pointer(Address), wide(Stride)});
  }
  /// Sums + X * W, of `Rows` rows and `Bytes` bytes of x in each.
  Value multiply(int64_t Rows, int64_t Bytes, Value Sums, Value X, Value W) {
    return call("llvm.x86.tdpbssd.internal",
                {extent(Rows), columns(), extent(Bytes), Sums, X, W});
  }
  void store(int64_t Rows, Value Address, Value Stride, Value Sums) {
    LLVM::CallIntrinsicOp::create(
        B, Loc, B.getStringAttr("llvm.x86.tilestored64.internal"),
        ValueRange{extent(Rows), columns(), pointer(Address), wide(Stride),
                   Sums});
  }

private:
  Value call(StringRef Intrinsic, ValueRange Operands) {
    return LLVM::CallIntrinsicOp::create(
               B, Loc, LLVM::LLVMX86AMXType::get(B.getContext()),
               B.getStringAttr(Intrinsic), Operands)
        .getResult(0);
  }
  Value extent(int64_t Number) {
    return arith::ConstantOp::create(B, Loc, B.getI16IntegerAttr(Number));
  }
  Value columns() { return extent(MatrixShape::Columns * BytesOfSum); }
  Value wide(Value Index) {
    return arith::IndexCastOp::create(B, Loc, B.getI64Type(), Index);
  }
  Value pointer(Value Address) {
    return LLVM::IntToPtrOp::create(
        B, Loc, LLVM::LLVMPointerType::get(B.getContext()), wide(Address));
  }

  OpBuilder &B;
  Location Loc;
};

} // namespace

/// Where an element lies, as a number.
static Value addressOf(OpBuilder &B, Location Loc, Value Memory,
                       ValueRange Where) {
  auto Lies = memref::ExtractStridedMetadataOp::create(B, Loc, Memory);
  Value Elements = Lies.getOffset();
  for (auto [Index, Stride] : llvm::zip(Where, Lies.getStrides()))
    Elements = arith::AddIOp::create(
        B, Loc, Elements, arith::MulIOp::create(B, Loc, Index, Stride));
  Value Bytes = arith::ConstantIndexOp::create(
      B, Loc, cast<MemRefType>(Memory.getType()).getElementTypeBitWidth() / 8);
  return arith::AddIOp::create(
      B, Loc, memref::ExtractAlignedPointerAsIndexOp::create(B, Loc, Memory),
      arith::MulIOp::create(B, Loc, Elements, Bytes));
}

namespace {
/// One of a column of matrices in a tile.
struct Matrix {
  int64_t Outer, Row, Rows;
};
} // namespace

static SmallVector<Matrix> matricesOf(int64_t Outers, int64_t Rows) {
  SmallVector<Matrix> Result;
  for (int64_t Outer = 0; Outer < Outers; ++Outer)
    for (int64_t Row = 0; Row < Rows; Row += MatrixShape::Rows)
      Result.push_back({Outer, Row, std::min(Rows - Row, MatrixShape::Rows)});
  return Result;
}

void TileWriter::sumWeights(Part P) {
  DotWriter Dot = dot(P);
  auto Bytes = VectorType::get({DotProduct::Depth * P.Lanes}, B.getI8Type());
  Value Sign = arith::ConstantOp::create(
      B, Loc, DenseElementsAttr::get(Bytes, APInt::getSignMask(8)));
  WeightSums =
      reduce(Reductions, SmallVector<Value>(P.Vectors, Dot.zero()),
             [&](ValueRange Sums) {
               SmallVector<Value> Next;
               for (auto [Vector, Sum] : llvm::enumerate(Sums))
                 Next.push_back(Dot.step(Sum, Sign, loadWeights(Vector, P)));
               return Next;
             });
}

SmallVector<Value> TileWriter::matrixStep(Part P, int64_t Fours,
                                          ValueRange Sums) {
  MatrixWriter Matrices(B, Loc);
  SmallVector<Value> W, Results;
  Value RowOfWeights =
      index(cast<MemRefType>(Weights.getType()).getShape().back());
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
    W.push_back(Matrices.load(
        Fours, MatrixShape::Columns * BytesOfColumn,
        addressOf(B, Loc, Weights, placeOfWeights(Vector, P)), RowOfWeights));
  auto at = [&](const Matrix &M, int64_t Row) {
    Value First;
    if (T.Outer) {
      First = At[*T.Outer];
      At[*T.Outer] = arith::AddIOp::create(B, Loc, First, index(M.Outer));
    }
    SmallVector<Value> Where = place(*T.Dot->X, M.Row + Row, 0, P);
    if (T.Outer)
      At[*T.Outer] = First;
    return addressOf(B, Loc, T.Dot->X->get(), Where);
  };
  auto Sum = Sums.begin();
  for (const Matrix &M : matricesOf(P.Outers, P.Rows)) {
    int64_t Bytes = Fours * DotProduct::Depth;
    Value First = at(M, 0);
    Value Distance = arith::SubIOp::create(B, Loc, at(M, 1), First);
    Value X = Matrices.load(M.Rows, Bytes, First, Distance);
    for (Value Of : W)
      Results.push_back(Matrices.multiply(M.Rows, Bytes, *Sum++, X, Of));
  }
  return Results;
}

void TileWriter::matrixLoops(Part P, ArrayRef<unsigned> Others) {
  SmallVector<unsigned> Around(Others);
  if (T.Outer)
    llvm::erase(Around, *T.Outer);
  bool HasGroups = llvm::any_of(
      Around, [&](unsigned Loop) { return depends(*T.Dot->W, Loop); });
  if (!HasGroups)
    sumWeights(P);
  others(Around, [&] {
    if (HasGroups)
      sumWeights(P);
    auto tiles = [&](int64_t Outers) {
      rows([&](int64_t Rows) {
        matrixTile({Rows, P.Vectors, P.Lanes, P.Columns, Outers});
      });
    };
    if (!T.Outer)
      return tiles(1);
    inParts(
        *T.Outer, {{1, 1, 1, 1, T.Outers}, {1, 1, 1, 1, 1}},
        [](const Part &Of) { return Of.Outers; },
        [&](Part Of) { tiles(Of.Outers); });
  });
}

void TileWriter::matrixTile(Part P) {
  MatrixWriter Matrices(B, Loc);
  SmallVector<Value> Sums;
  for (const Matrix &M : matricesOf(P.Outers, P.Rows))
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      Sums.push_back(Matrices.zero(M.Rows)); // each in a register of its own
  SmallVector<unsigned> Around(Reductions);
  llvm::erase(Around, *T.Fours);
  Sums = reduce(Around, std::move(Sums), [&](ValueRange Before) {
    int64_t All = *getConstantIntValue(Extents[*T.Fours]);
    int64_t Whole = All / MatrixShape::Fours * MatrixShape::Fours;
    auto part = [&](int64_t From, int64_t To, int64_t Fours,
                    SmallVector<Value> Sums) {
      return reduce(*T.Fours, B.getIndexAttr(From), B.getIndexAttr(To), Fours,
                    std::move(Sums), [&](ValueRange Next) {
                      return matrixStep(P, Fours, Next);
                    });
    };
    return part(Whole, All, All - Whole,
                part(0, Whole, MatrixShape::Fours, llvm::to_vector(Before)));
  });
  unload(P, Sums);
  finishUnloaded(P);
}

void TileWriter::unload(Part P, ValueRange Sums) {
  MatrixWriter Matrices(B, Loc);
  if (!Unloaded) {
    OpBuilder::InsertionGuard Guard(B);
    B.setInsertionPointToStart(
        &Op->getParentOfType<func::FuncOp>().getBody().front());
    auto Type = MemRefType::get({T.Outers * T.Rows, T.Vectors * T.Lanes},
                                B.getI32Type());
    constexpr int64_t Line = 64;
    Unloaded =
        memref::AllocaOp::create(B, Loc, Type, B.getI64IntegerAttr(Line));
  }
  Value Distance = index(T.Vectors * T.Lanes * BytesOfSum);
  auto Sum = Sums.begin();
  for (const Matrix &M : matricesOf(P.Outers, P.Rows))
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      Matrices.store(M.Rows,
                     addressOf(B, Loc, Unloaded,
                               ValueRange{index(M.Outer * P.Rows + M.Row),
                                          index(Vector * P.Lanes)}),
                     Distance, *Sum++);
}

void TileWriter::finishUnloaded(Part P) {
  Value FirstOuter = T.Outer ? At[*T.Outer] : Value(), FirstRow = At[*T.Row];
  auto For =
      scf::ForOp::create(B, Loc, index(0), index(P.Outers * P.Rows), index(1));
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(For.getBody());
  Value Number = For.getInductionVar(), Row = Number;
  if (P.Outers > 1) {
    Value Rows = index(P.Rows);
    Row = arith::RemUIOp::create(B, Loc, Number, Rows);
    At[*T.Outer] = arith::AddIOp::create(
        B, Loc, FirstOuter, arith::DivUIOp::create(B, Loc, Number, Rows));
  }
  At[*T.Row] = arith::AddIOp::create(B, Loc, FirstRow, Row);
  // A vector at a time, and what is left of one in halves.
  Value FirstColumn = At[*T.Vector];
  int64_t Lanes = P.Lanes;
  for (int64_t Column = 0; Column < P.Columns; Column += Lanes) {
    while (Column + Lanes > P.Columns)
      Lanes /= 2;
    finishColumns(Number, FirstColumn, Column, {1, 1, Lanes});
  }
  At[*T.Vector] = FirstColumn;
  At[*T.Row] = FirstRow;
  if (T.Outer)
    At[*T.Outer] = FirstOuter;
}

void TileWriter::finishColumns(Value Row, Value First, int64_t Column, Part P) {
  At[*T.Vector] = arith::AddIOp::create(B, Loc, First, index(Column));
  Value Sum =
      vector::LoadOp::create(B, Loc, VectorType::get({P.Lanes}, B.getI32Type()),
                             Unloaded, ValueRange{Row, index(Column)});
  Value OfWeights = vector::ExtractStridedSliceOp::create(
      B, Loc, WeightSums[Column / T.Lanes],
      /*offsets=*/ArrayRef<int64_t>{Column % T.Lanes},
      /*sizes=*/ArrayRef<int64_t>{P.Lanes}, /*strides=*/ArrayRef<int64_t>{1});
  Sum = arith::AddIOp::create(B, Loc, Sum, OfWeights);
  if (P.Lanes == 1)
    Sum = vector::ExtractOp::create(B, Loc, Sum, 0);
  Loads Loaded;
  Sum = arith::AddIOp::create(B, Loc, Sum,
                              read(*T.Dot->Sum.Start, 0, 0, P, Loaded));
  finish(T.Dot->Sum, Sum, 0, 0, P, Loaded);
}
