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
// Registers get their shapes when all of them are empty, and a row of x is no
// longer than w has rows: so a step has a number of groups of four that divides
// all of them. LLVM could allocate the registers, but gives each one shape in
// all of a function, of which there may be more than registers.
//
//===----------------------------------------------------------------------===//

#include "DotTile.h"
#include "HostIntrinsic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;
using namespace tenon;

static constexpr int64_t BytesOfColumn = DotProduct::Depth, BytesOfSum = 4;

namespace {

/// What a tile register holds.
struct MatrixShape {
  static constexpr int64_t Rows = 16, Columns = 16, ///< of sums of 32 bits
      Fours = 16;                                   ///< bytes in a row
};

/// Where a tile of matrices extends beside its rows and columns.
struct MatrixLoops {
  /// The loop over groups of four that matrices are multiplied along.
  unsigned Fours;
  int64_t FoursOfStep;
  /// Where a row of matrices is enough for all rows, a loop around them, and
  /// how much of it is in a tile.
  std::optional<unsigned> Outer;
  int64_t Outers = 1;
};

/// What goes to tile registers and moves through them. A tile has its sums in
/// the first four, x in the next two, w in the last two.
class MatrixWriter {
public:
  MatrixWriter(OpBuilder &B, Location Loc) : B(B), Loc(Loc) {}

  /// Gives every register its shape, from 64 bytes of `Memory`; what they held
  /// is gone.
  void configure(Value Memory, ArrayRef<char> Shapes) {
    auto Type = VectorType::get({int64_t(Shapes.size())}, B.getI8Type());
    Value Bytes = arith::ConstantOp::create(
        B, Loc, DenseElementsAttr::getFromRawBuffer(Type, Shapes));
    vector::StoreOp::create(
        B, Loc, Bytes, Memory,
        ValueRange{arith::ConstantIndexOp::create(B, Loc, 0)});
    call("llvm.x86.ldtilecfg",
         pointer(
             memref::ExtractAlignedPointerAsIndexOp::create(B, Loc, Memory)));
  }
  void release() { call("llvm.x86.tilerelease", {}); }
  void zero(int64_t Of) { call("llvm.x86.tilezero", number(Of)); }
  /// Rows that are `Stride` bytes apart.
  void load(int64_t To, Value Address, Value Stride) {
    call("llvm.x86.tileloadd64", {number(To), pointer(Address), wide(Stride)});
  }
  void store(int64_t From, Value Address, Value Stride) {
    call("llvm.x86.tilestored64",
         {number(From), pointer(Address), wide(Stride)});
  }
  /// Sums += X * W.
  void multiply(int64_t Sums, int64_t X, int64_t W) {
    call("llvm.x86.tdpbssd", {number(Sums), number(X), number(W)});
  }

private:
  void call(StringRef Intrinsic, ValueRange Operands) {
    LLVM::CallIntrinsicOp::create(B, Loc, B.getStringAttr(Intrinsic), Operands);
  }
  Value number(int64_t Register) {
    return arith::ConstantOp::create(B, Loc, B.getI8IntegerAttr(Register));
  }
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

constexpr int64_t FirstX = 4, FirstW = 6;

/// What ldtilecfg reads.
struct Shapes {
  std::array<char, 64> Bytes = {1}; // the palette: 8 registers of 1 KB
  void set(int64_t Register, int64_t Rows, int64_t BytesOfRow) {
    Bytes[16 + 2 * Register] = char(BytesOfRow);
    Bytes[48 + Register] = char(Rows);
  }
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

class MatrixTile : public DotTile {
public:
  MatrixTile(OpBuilder &B, linalg::GenericOp Op, const TileShape &T,
             const MatrixLoops &Along, const DotProduct &Product,
             DotInstruction Instruction)
      : DotTile(B, Op, T, Product, Instruction), Along(Along) {}

protected:
  void nest(ArrayRef<unsigned> Others) override;
  int64_t stepOf(unsigned Loop) const override {
    return Loop == Along.Outer ? Along.Outers : DotTile::stepOf(Loop);
  }
  void tile(Part P) override;

private:
  void columns(Part P, ArrayRef<unsigned> Others);
  /// Whether all tiles of a part have the same matrices.
  bool hasOneShape() {
    return !Along.Outer && *getConstantIntValue(Extents[*T.Row]) % T.Rows == 0;
  }
  void configure(Part P);
  void step(Part P);
  void unload(Part P);
  void finishUnloaded(Part P);
  void finishVector(Value Row, Value First, int64_t Vector, Part P);

  MatrixLoops Along;
  /// Where sums lie that leave the tile registers, and what ldtilecfg reads.
  Value Unloaded, ShapesOfTiles;
};

} // namespace

/// Whether rows lie as far apart from each other everywhere.
static bool isLinear(AffineMap Map) {
  bool Result = true;
  Map.walkExprs([&](AffineExpr Expr) {
    Result &= Expr.getKind() == AffineExprKind::Add ||
              Expr.getKind() == AffineExprKind::Mul ||
              Expr.isSymbolicOrConstant() || llvm::isa<AffineDimExpr>(Expr);
  });
  return Result;
}

/// Two by two matrices of results, of each of which the factors serve two: the
/// unit that multiplies them is never short of them.
std::unique_ptr<TileLoops> tenon::matchMatrices(OpBuilder &B,
                                                linalg::GenericOp Op,
                                                const RegisterFile &Registers) {
  // With as few of both, the unit does about what vectors do.
  constexpr int64_t FewFours = 4, FewRows = 4;
  auto Product = readDotProduct(Op);
  if (!Product || Product->ZeroPoint != 0)
    return nullptr;
  TileChooser Chooser(Op, Registers);
  TileShape T = DotTile::shape(Op, *Product, Registers);
  if (!Chooser.depends(Product->X, T.Row) || !T.HasMasks ||
      T.Lanes != MatrixShape::Columns || Chooser.extent(*T.Vector) < T.Lanes ||
      ShapedType::isDynamic(Chooser.extent(*T.Row)) ||
      Chooser.extent(*T.Row) < FewRows ||
      !isLinear(Op.getMatchingIndexingMap(Product->X)))
    return nullptr;
  AffineMap OfW = Op.getMatchingIndexingMap(Product->W);
  MatrixLoops Along;
  Along.Fours = OfW.getDimPosition(OfW.getNumResults() - 3);
  Along.FoursOfStep = std::min(Chooser.extent(Along.Fours), MatrixShape::Fours);
  while (Along.FoursOfStep > 0 &&
         Chooser.extent(Along.Fours) % Along.FoursOfStep)
    --Along.FoursOfStep;
  if (Along.FoursOfStep < FewFours)
    return nullptr;
  T.Rows = Chooser.rows(2 * MatrixShape::Rows, *T.Row);
  T.Vectors = Chooser.vectors(2, *T.Vector, T.Lanes);
  if (T.Rows <= MatrixShape::Rows)
    for (unsigned Loop : Chooser.parallel())
      if (Loop != T.Row && Loop != T.Vector && Chooser.extent(Loop) > 1 &&
          !Chooser.depends(Product->W, Loop))
        Along.Outer = Loop; // the innermost
  if (Along.Outer)
    Along.Outers = 2;
  return std::make_unique<MatrixTile>(B, Op, T, Along, *Product, Registers.Dot);
}

static SmallVector<Matrix> matricesOf(int64_t Outers, int64_t Rows) {
  SmallVector<Matrix> Result;
  for (int64_t Outer = 0; Outer < Outers; ++Outer)
    for (int64_t Row = 0; Row < Rows; Row += MatrixShape::Rows)
      Result.push_back({Outer, Row, std::min(Rows - Row, MatrixShape::Rows)});
  return Result;
}

/// Memory of the function, where its lines begin.
static Value allocate(OpBuilder &B, Operation *Op, MemRefType Type) {
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(
      &Op->getParentOfType<func::FuncOp>().getBody().front());
  constexpr int64_t Line = 64;
  return memref::AllocaOp::create(B, Op->getLoc(), Type,
                                  B.getI64IntegerAttr(Line));
}

void MatrixTile::configure(Part P) {
  Shapes Of;
  int64_t BytesOfX = Along.FoursOfStep * DotProduct::Depth,
          BytesOfW = MatrixShape::Columns * BytesOfColumn,
          BytesOfSums = MatrixShape::Columns * BytesOfSum;
  for (auto [I, M] : llvm::enumerate(matricesOf(P.Outers, P.Rows))) {
    Of.set(FirstX + I, M.Rows, BytesOfX);
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      Of.set(I * P.Vectors + Vector, M.Rows, BytesOfSums);
  }
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
    Of.set(FirstW + Vector, Along.FoursOfStep, BytesOfW);
  if (!ShapesOfTiles)
    ShapesOfTiles = allocate(
        B, Op, MemRefType::get({int64_t(Of.Bytes.size())}, B.getI8Type()));
  MatrixWriter(B, Loc).configure(ShapesOfTiles, Of.Bytes);
}

void MatrixTile::step(Part P) {
  MatrixWriter Matrices(B, Loc);
  Value RowOfWeights =
      index(cast<MemRefType>(Weights.getType()).getShape().back());
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
    Matrices.load(FirstW + Vector,
                  addressOf(B, Loc, Weights, placeOfWeights(Vector, P)),
                  RowOfWeights);
  auto at = [&](const Matrix &M, int64_t Row) {
    Value First;
    if (Along.Outer) {
      First = At[*Along.Outer];
      At[*Along.Outer] = arith::AddIOp::create(B, Loc, First, index(M.Outer));
    }
    SmallVector<Value> Where = place(*Product.X, M.Row + Row, 0, P);
    if (Along.Outer)
      At[*Along.Outer] = First;
    return addressOf(B, Loc, Product.X->get(), Where);
  };
  for (auto [I, M] : llvm::enumerate(matricesOf(P.Outers, P.Rows))) {
    Value First = at(M, 0);
    Value Distance = arith::SubIOp::create(B, Loc, at(M, 1), First);
    Matrices.load(FirstX + I, First, Distance);
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      Matrices.multiply(I * P.Vectors + Vector, FirstX + I, FirstW + Vector);
  }
}

void MatrixTile::nest(ArrayRef<unsigned> Others) {
  vectors([&](Part P) { columns(P, Others); });
  MatrixWriter(B, Loc).release();
}

/// The loops within those over columns.
void MatrixTile::columns(Part P, ArrayRef<unsigned> Others) {
  SmallVector<unsigned> Around(Others);
  if (Along.Outer)
    llvm::erase(Around, *Along.Outer);
  if (hasOneShape())
    configure({T.Rows, P.Vectors, P.Lanes});
  othersWithSums(Around, P, [&] {
    auto tiles = [&](int64_t Outers) {
      rows([&](int64_t Rows) {
        tile({Rows, P.Vectors, P.Lanes, P.Columns, Outers});
      });
    };
    if (!Along.Outer)
      return tiles(1);
    inParts(
        *Along.Outer, {{1, 1, 1, 1, Along.Outers}, {1, 1, 1, 1, 1}},
        [](const Part &Of) { return Of.Outers; },
        [&](Part Of) { tiles(Of.Outers); });
  });
}

void MatrixTile::tile(Part P) {
  MatrixWriter Matrices(B, Loc);
  if (!hasOneShape())
    configure(P);
  int64_t Count = matricesOf(P.Outers, P.Rows).size() * P.Vectors;
  for (int64_t I = 0; I < Count; ++I)
    Matrices.zero(I);
  SmallVector<unsigned> Around(Reductions);
  llvm::erase(Around, Along.Fours);
  reduce(Around, {}, [&](ValueRange) {
    return reduce(Along.Fours, B.getIndexAttr(0), Extents[Along.Fours],
                  Along.FoursOfStep, {}, [&](ValueRange) {
                    step(P);
                    return SmallVector<Value>();
                  });
  });
  unload(P);
  finishUnloaded(P);
}

void MatrixTile::unload(Part P) {
  MatrixWriter Matrices(B, Loc);
  if (!Unloaded)
    Unloaded =
        allocate(B, Op,
                 MemRefType::get({Along.Outers * T.Rows, T.Vectors * T.Lanes},
                                 B.getI32Type()));
  Value Distance = index(T.Vectors * T.Lanes * BytesOfSum);
  for (auto [I, M] : llvm::enumerate(matricesOf(P.Outers, P.Rows)))
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      Matrices.store(I * P.Vectors + Vector,
                     addressOf(B, Loc, Unloaded,
                               ValueRange{index(M.Outer * P.Rows + M.Row),
                                          index(Vector * P.Lanes)}),
                     Distance);
}

void MatrixTile::finishUnloaded(Part P) {
  Value FirstOuter = Along.Outer ? At[*Along.Outer] : Value(),
        FirstRow = At[*T.Row];
  auto For =
      scf::ForOp::create(B, Loc, index(0), index(P.Outers * P.Rows), index(1));
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(For.getBody());
  Value Number = For.getInductionVar(), Row = Number;
  if (P.Outers > 1) {
    Value Rows = index(P.Rows);
    Row = arith::RemUIOp::create(B, Loc, Number, Rows);
    At[*Along.Outer] = arith::AddIOp::create(
        B, Loc, FirstOuter, arith::DivUIOp::create(B, Loc, Number, Rows));
  }
  At[*T.Row] = arith::AddIOp::create(B, Loc, FirstRow, Row);
  Value FirstColumn = At[*T.Vector];
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
    finishVector(Number, FirstColumn, Vector, P);
  At[*T.Vector] = FirstColumn;
  At[*T.Row] = FirstRow;
  if (Along.Outer)
    At[*Along.Outer] = FirstOuter;
}

void MatrixTile::finishVector(Value Row, Value First, int64_t Vector, Part P) {
  int64_t Column = Vector * P.Lanes;
  P = {1, 1, P.Lanes, std::min(P.Lanes, P.Columns - Column)};
  At[*T.Vector] = arith::AddIOp::create(B, Loc, First, index(Column));
  Value Sum =
      vector::LoadOp::create(B, Loc, VectorType::get({P.Lanes}, B.getI32Type()),
                             Unloaded, ValueRange{Row, index(Column)});
  Sum = arith::AddIOp::create(B, Loc, Sum, WeightSums[Vector]);
  Loads Loaded;
  Sum = arith::AddIOp::create(B, Loc, Sum,
                              read(*Product.Sum.Start, 0, 0, P, Loaded));
  finish(Product.Sum, Sum, 0, 0, P, Loaded);
}
