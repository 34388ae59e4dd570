//===- MatrixProducts.cpp - Matrix products ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Einsum.h"
#include "Operators.h"
#include "Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;

static Type heldBy(Value Tensor) {
  return cast<RankedTensorType>(Tensor.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

namespace {
/// Factors of two axes or more.
struct Factors {
  Value A, B;
  Extents OfA, OfB;

  ArrayRef<OpFoldResult> batchOfA() const { return ArrayRef(OfA).drop_back(2); }
  ArrayRef<OpFoldResult> batchOfB() const { return ArrayRef(OfB).drop_back(2); }
  OpFoldResult rows() const { return OfA[OfA.size() - 2]; }
  OpFoldResult columns() const { return OfB.back(); }
};
} // namespace

template <typename Product>
static Value namedProduct(Lowering &L, Value A, Value B,
                          ArrayRef<OpFoldResult> Of) {
  Value Zero = L.filled(Of, L.number(heldBy(A), 0));
  return Product::create(L.B, Zero.getType(), ValueRange{A, B}, Zero)
      .getResult(0);
}

static bool isOne(OpFoldResult Extent) {
  return getConstantIntValue(Extent) == 1;
}

/// B is one matrix for all of A: the axes in front are further rows.
static Value byOneMatrix(Lowering &L, const Factors &F) {
  int64_t Batch = F.batchOfA().size();
  Value Matrix = L.merged(F.B, 0, F.batchOfB().size() + 1);
  Extents Rows(ArrayRef(F.OfA).drop_back());
  Value Result = namedProduct<linalg::MatmulOp>(
      L, L.merged(F.A, 0, Batch + 1), Matrix, {L.product(Rows), F.columns()});
  return Batch ? L.split(Result, 0, Rows) : Result;
}

/// The batches are the same, axis by axis.
static Value byBatch(Lowering &L, const Factors &F) {
  int64_t Batch = F.batchOfA().size();
  Value Result = namedProduct<linalg::BatchMatmulOp>(
      L, L.merged(F.A, 0, Batch), L.merged(F.B, 0, Batch),
      {L.product(F.batchOfA()), F.rows(), F.columns()});
  return L.split(Result, 0, F.batchOfA());
}

/// `Tensor`, whose batch the map broadcasts to `Batch`, behind which there are
/// `Inner`: where the run tells which extents are 1, in full.
static Value followed(Lowering &L, Value Tensor, ArrayRef<OpFoldResult> Batch,
                      ArrayRef<AffineExpr> Inner, unsigned Dims,
                      AffineMap &Map) {
  Extents Own = L.extentsOf(Tensor);
  ArrayRef<OpFoldResult> Front = ArrayRef(Own).drop_back(2);
  size_t Missing = Batch.size() - Front.size();
  SmallVector<AffineExpr> Results;
  bool IsOpen = false;
  for (auto [Axis, Extent] : llvm::enumerate(Front)) {
    bool Fits = L.surelyEqual(Extent, Batch[Missing + Axis]);
    IsOpen |= !Fits && !isOne(Extent);
    Results.push_back(Fits ? L.B.getAffineDimExpr(Missing + Axis)
                           : L.B.getAffineConstantExpr(0));
  }
  if (IsOpen) {
    Extents Full(Batch);
    llvm::append_range(Full, ArrayRef(Own).take_back(2));
    Tensor = L.expanded(Tensor, Full);
    Results.clear();
    for (size_t Axis = 0; Axis < Batch.size(); ++Axis)
      Results.push_back(L.B.getAffineDimExpr(Axis));
  }
  llvm::append_range(Results, Inner);
  Map = AffineMap::get(Dims, 0, Results, L.B.getContext());
  return Tensor;
}

static Value byBroadcast(Lowering &L, const Factors &F,
                         ArrayRef<OpFoldResult> Batch) {
  unsigned Dims = Batch.size() + 3;
  AffineExpr M = L.B.getAffineDimExpr(Dims - 3),
             N = L.B.getAffineDimExpr(Dims - 2),
             K = L.B.getAffineDimExpr(Dims - 1);
  AffineMap Maps[3];
  Value A = followed(L, F.A, Batch, {M, K}, Dims, Maps[0]);
  Value B = followed(L, F.B, Batch, {K, N}, Dims, Maps[1]);
  Maps[2] = AffineMap::getMultiDimIdentityMap(Dims, L.B.getContext())
                .dropResult(Dims - 1);
  Extents Of(Batch);
  Of.append({F.rows(), F.columns()});
  return L.contracted(A, B, Maps, Of);
}

/// Whether axes of these extents may be merged: upstream splits what is merged
/// again where that lets operations fuse, but not into two extents that are not
/// known.
static bool mayMerge(ArrayRef<OpFoldResult> Of) {
  return llvm::count_if(Of, [](OpFoldResult Extent) {
           return !getConstantIntValue(Extent);
         }) <= 1;
}

static FailureOr<Value> product(Lowering &L, const Factors &F) {
  if (llvm::all_of(F.batchOfB(), isOne) &&
      mayMerge(ArrayRef(F.OfA).drop_back()) &&
      F.batchOfB().size() <= F.batchOfA().size())
    return byOneMatrix(L, F);
  bool IsSame =
      F.batchOfA().size() == F.batchOfB().size() && mayMerge(F.batchOfA());
  for (auto [A, B] : llvm::zip(F.batchOfA(), F.batchOfB()))
    IsSame = IsSame && L.surelyEqual(A, B);
  if (IsSame)
    return byBatch(L, F);
  FailureOr<Extents> Batch =
      L.broadcast({Extents(F.batchOfA()), Extents(F.batchOfB())});
  if (failed(Batch))
    return failure();
  return byBroadcast(L, F, *Batch);
}

FailureOr<Value> tenon::frontend::matrixProduct(Lowering &L, Value A, Value B) {
  Factors F{A, B, L.extentsOf(A), L.extentsOf(B)};
  if (F.OfA.empty() || F.OfB.empty())
    return L.error() << "a factor is a scalar, which no matrix product has: "
                        "multiply it by Mul";
  bool IsRow = F.OfA.size() == 1, IsColumn = F.OfB.size() == 1;
  if (IsRow) {
    F.OfA.insert(F.OfA.begin(), L.extent(1));
    F.A = L.split(A, 0, F.OfA);
  }
  if (IsColumn) {
    F.OfB.push_back(L.extent(1));
    F.B = L.split(B, 0, F.OfB);
  }
  if (failed(L.agreed(F.OfA.back(), F.OfB[F.OfB.size() - 2],
                      "the extents that its factors are summed over differ")))
    return failure();
  FailureOr<Value> Result = product(L, F);
  if (failed(Result) || (!IsRow && !IsColumn))
    return Result;
  Extents Of = L.extentsOf(*Result);
  if (IsColumn)
    Of.pop_back();
  if (IsRow)
    Of.erase(Of.end() - (IsColumn ? 1 : 2));
  return L.reshaped(*Result, Of);
}

static LogicalResult lowerMatMul(Lowering &L) {
  FailureOr<Value> Result =
      matrixProduct(L, L.widened(L.in(0)), L.widened(L.in(1)));
  if (failed(Result))
    return failure();
  return L.define(L.narrowed(*Result, L.in(0).Element));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// Factor `Name` as a number of the arithmetic type `Of`.
static FailureOr<Value> factor(Lowering &L, StringRef Name, Type Of) {
  FailureOr<double> Number = L.N.real(Name, 1);
  if (failed(Number))
    return failure();
  if (!isa<FloatType>(Of) && *Number != std::trunc(*Number))
    return L.error() << Name << " is " << *Number
                     << ", which is no factor of integers: write an integer";
  return *Number == 1 ? Value() : L.number(heldType(Of), *Number);
}

static Value times(OpBuilder &B, Location Loc, Value Element, Value Factor) {
  if (!Factor)
    return Element;
  if (isa<FloatType>(Element.getType()))
    return arith::MulFOp::create(B, Loc, Element, Factor);
  return arith::MulIOp::create(B, Loc, Element, Factor);
}

static Value plus(OpBuilder &B, Location Loc, Value X, Value Y) {
  if (isa<FloatType>(X.getType()))
    return arith::AddFOp::create(B, Loc, X, Y);
  return arith::AddIOp::create(B, Loc, X, Y);
}

static FailureOr<Value> gemmProduct(Lowering &L, bool TransA, bool TransB) {
  Value A = L.widened(L.in(0)), B = L.widened(L.in(1));
  Extents OfA = L.extentsOf(A), OfB = L.extentsOf(B);
  if (failed(L.agreed(OfA[!TransA], OfB[TransB],
                      "the extents that its factors are summed over differ")))
    return failure();
  Extents Of = {OfA[TransA], OfB[!TransB]};
  if (!TransA && !TransB)
    return namedProduct<linalg::MatmulOp>(L, A, B, Of);
  AffineExpr M, N, K;
  MLIRContext *Context = L.B.getContext();
  bindDims(Context, M, N, K);
  AffineExpr KM[] = {K, M}, MK[] = {M, K}, KN[] = {K, N}, NK[] = {N, K};
  return L.contracted(A, B,
                      {AffineMap::get(3, 0, TransA ? KM : MK, Context),
                       AffineMap::get(3, 0, TransB ? NK : KN, Context),
                       AffineMap::get(3, 0, {M, N}, Context)},
                      Of);
}

static LogicalResult lowerGemm(Lowering &L) {
  Type Element = L.in(0).Element, Sum = arithmeticType(Element);
  FailureOr<int64_t> TransA = L.N.integer("transA", 0);
  FailureOr<int64_t> TransB = L.N.integer("transB", 0);
  FailureOr<Value> Alpha = factor(L, "alpha", Sum),
                   Beta = factor(L, "beta", Sum);
  if (failed(TransA) || failed(TransB) || failed(Alpha) || failed(Beta))
    return failure();
  if (L.in(0).rank() != 2 || L.in(1).rank() != 2)
    return L.error() << "its inputs have " << L.in(0).rank() << " and "
                     << L.in(1).rank() << " dimensions, expected two matrices";
  FailureOr<Value> Result = gemmProduct(L, *TransA, *TransB);
  if (failed(Result))
    return failure();
  if (!L.has(2)) {
    if (*Alpha)
      Result = L.each(*Result, heldType(Sum),
                      [&](OpBuilder &B, Location Loc, ValueRange X) {
                        return times(B, Loc, X[0], *Alpha);
                      });
    return L.define(L.narrowed(*Result, Element));
  }
  Result = L.pointwise({*Result, L.widened(L.in(2))}, heldType(Sum),
                       [&](OpBuilder &B, Location Loc, ValueRange X) {
                         return plus(B, Loc, times(B, Loc, X[0], *Alpha),
                                     times(B, Loc, X[1], *Beta));
                       });
  if (failed(Result))
    return failure();
  return L.define(L.narrowed(*Result, Element));
}

ArrayRef<LoweredOperator> tenon::frontend::contractionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Einsum", 12, lowerEinsum},
      {"", "Gemm", 7, lowerGemm},
      {"", "MatMul", 1, lowerMatMul},
  };
  return Table;
}
