//===- TileRegisters.cpp - Tiles of results in vector registers -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// linalg.generic on buffers becomes loops over tiles of its results. A tile is
// U rows of V vectors, as many as the registers hold, and stays in registers
// through all reductions: an operand that does not depend on the rows is loaded
// once for U, one that does not depend on the vectors once for V. Each element
// is still computed in the operation's own order of reductions, so the bits are
// those of the plain loops.
//
// What is no whole tile at the end of a loop is done in smaller ones, down to a
// single element: nothing is read or written beside the operands.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "LoopStride.h"
#include "RegisterFile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;
using namespace tenon;

//===----------------------------------------------------------------------===//
// What an operation allows
//===----------------------------------------------------------------------===//

/// Whether the operation is the same on vectors, on every host, in the bits of
/// each element. Conversions of floats are not: some are calls.
static bool worksOnVectors(Operation &Op) {
  if (!isa_and_nonnull<arith::ArithDialect>(Op.getDialect()))
    return llvm::isa<linalg::YieldOp>(Op);
  for (Type T :
       llvm::concat<const Type>(Op.getOperandTypes(), Op.getResultTypes()))
    if (!T.isF32() && !T.isF64() && !T.isSignlessInteger())
      return false;
  return llvm::isa<
      arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
      arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
      arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::AddIOp,
      arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
      arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::MaxSIOp,
      arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::CmpIOp,
      arith::SelectOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(Op);
}

/// Whether the body reads nothing but its arguments and constants.
static bool isPlain(linalg::GenericOp Op) {
  if (Op.hasIndexSemantics())
    return false;
  for (Operation &Inner : *Op.getBody())
    if (Inner.getNumRegions() ||
        (!isMemoryEffectFree(&Inner) && !llvm::isa<linalg::YieldOp>(Inner)))
      return false;
  return llvm::all_of(Op.getOperandTypes(),
                      [](Type T) { return llvm::isa<MemRefType>(T); });
}

/// Bits of the widest number that the body works with, which says how many
/// elements go into a register.
static unsigned widest(linalg::GenericOp Op) {
  unsigned Bits = 8;
  auto See = [&](Type T) {
    if (T.isIntOrFloat())
      Bits = std::max(Bits, T.getIntOrFloatBitWidth());
  };
  for (Operation &Inner : *Op.getBody())
    for (Type T : Inner.getOperandTypes())
      See(T);
  return Bits;
}

namespace {

/// The loops a tile extends along, and how far.
struct Tile {
  std::optional<unsigned> Row, Vector; ///< loops
  int64_t Rows = 1, Vectors = 1, Lanes = 1;
};

class Chooser {
public:
  Chooser(linalg::GenericOp Op, const RegisterFile &Registers)
      : Op(Op), Registers(Registers), Extents(Op.getStaticLoopRanges()) {
    Op.getParallelDims(Loops);
  }
  Tile choose();
  /// Whether an input is read again for every vector and another for every
  /// row, as in a matrix product.
  bool isProduct(const Tile &T);

private:
  bool depends(OpOperand *Operand, std::optional<unsigned> Loop) {
    return Loop && Op.getMatchingIndexingMap(Operand).isFunctionOfDim(*Loop);
  }
  std::optional<unsigned> vectorLoop();
  std::optional<unsigned> rowLoop(std::optional<unsigned> Vector);
  int64_t atMost(int64_t Count, unsigned Loop, int64_t Step) const {
    int64_t Extent = Extents[Loop];
    return ShapedType::isDynamic(Extent)
               ? Count
               : std::clamp<int64_t>(Extent / Step, 1, Count);
  }

  linalg::GenericOp Op;
  const RegisterFile &Registers;
  SmallVector<int64_t> Extents;
  SmallVector<unsigned> Loops;
};

} // namespace

/// A parallel loop along which every result is dense and every input is dense
/// or the same.
std::optional<unsigned> Chooser::vectorLoop() {
  if (!llvm::all_of(*Op.getBody(), worksOnVectors))
    return std::nullopt;
  for (unsigned Loop : Loops) {
    bool Fits = Extents[Loop] != 1;
    for (OpOperand &Operand : Op->getOpOperands()) {
      auto Type = cast<MemRefType>(Operand.get().getType());
      // In memory an element has bytes of its own, in a vector it may not.
      Fits &= Type.getElementType().isIntOrFloat() &&
              Type.getElementTypeBitWidth() % 8 == 0;
      auto Stride = strideAlong(Op.getMatchingIndexingMap(&Operand), Loop);
      Fits &= (Stride == 1 && Type.isLastDimUnitStride()) ||
              (Stride == 0 && !Op.isDpsInit(&Operand));
    }
    if (Fits)
      return Loop; // only one can be the results' last axis
  }
  return std::nullopt;
}

/// The parallel loop whose rows share most of what is loaded; the innermost
/// where several do.
std::optional<unsigned> Chooser::rowLoop(std::optional<unsigned> Vector) {
  std::optional<unsigned> Best;
  int Most = -1;
  for (unsigned Loop : Loops) {
    if (Loop == Vector || Extents[Loop] == 1)
      continue;
    int Shared = 0;
    for (OpOperand *Input : Op.getDpsInputOperands())
      Shared += !depends(Input, Loop) && (!Vector || depends(Input, Vector));
    if (Shared >= Most) {
      Best = Loop;
      Most = Shared;
    }
  }
  return Best;
}

bool Chooser::isProduct(const Tile &T) {
  bool ByRow = false, ByVector = false;
  for (OpOperand *Input : Op.getDpsInputOperands()) {
    bool Rows = depends(Input, T.Row), Vectors = depends(Input, T.Vector);
    ByRow |= Rows && !Vectors;
    ByVector |= Vectors && !Rows;
  }
  return ByRow && ByVector;
}

Tile Chooser::choose() {
  Tile T;
  T.Vector = vectorLoop();
  if (T.Vector)
    T.Lanes = std::max<int64_t>(Registers.VectorBits / widest(Op), 1);
  // Without reductions there is nothing to keep, and rows share nothing.
  bool Reduces = Op.getNumReductionLoops() > 0;
  int64_t Results = Registers.Accumulators / Op.getNumDpsInits();
  if (T.Vector)
    T.Vectors = atMost(std::min<int64_t>(Registers.Vectors, Results), *T.Vector,
                       T.Lanes);
  if (!Reduces)
    return T;
  T.Row = rowLoop(T.Vector);
  if (!T.Row)
    return T;
  int64_t Most = std::max<int64_t>(Results / T.Vectors, 1);
  if (!T.Vector)
    Most = std::min<int64_t>(Most, 8); // chains that hide an addition's latency
  int64_t Extent = Extents[*T.Row];
  if (ShapedType::isDynamic(Extent)) {
    T.Rows = Most;
  } else {
    int64_t Tiles = std::max<int64_t>(llvm::divideCeil(Extent, Most), 1);
    T.Rows = llvm::divideCeil(std::max<int64_t>(Extent, 1), Tiles);
  }
  return T;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// Writes the loops of one operation.
class Writer {
public:
  Writer(OpBuilder &B, linalg::GenericOp Op, const Tile &T, bool IsProduct)
      : B(B), Loc(Op.getLoc()), Op(Op), T(T), IsProduct(IsProduct),
        At(Op.getNumLoops()) {}
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
  SmallVector<Value> step(Part P, ValueRange Sums);

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
  const Tile &T;
  bool IsProduct;
  SmallVector<Value> At; ///< where each loop is
  SmallVector<OpFoldResult> Extents;
  SmallVector<unsigned> Reductions;
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
  // known, then halves of a vector down to an element.
  SmallVector<Part> Parts = {{Rows, T.Vectors, T.Lanes}};
  auto Extent = getConstantIntValue(Extents[*T.Vector]);
  int64_t Left =
      Extent ? *Extent % (T.Vectors * T.Lanes) / T.Lanes : T.Vectors > 1;
  if (Left)
    Parts.push_back({Rows, Left, T.Lanes});
  for (int64_t Lanes = T.Lanes / 2; Lanes >= 1; Lanes /= 2)
    Parts.push_back({Rows, 1, Lanes});
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

void Writer::write() {
  for (Range R :
       cast<linalg::LinalgOp>(Op.getOperation()).createLoopRanges(B, Loc))
    Extents.push_back(R.size);
  Op.getReductionDims(Reductions);
  SmallVector<unsigned> Others;
  Op.getParallelDims(Others);
  llvm::erase_if(Others, [&](unsigned Loop) -> bool {
    return Loop == T.Row || Loop == T.Vector;
  });
  // What is read for all rows is to stay in the cache while they pass.
  if (IsProduct)
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

SmallVector<Value> Writer::step(Part P, ValueRange Sums) {
  // An input is loaded once for all elements that it is the same for.
  std::map<std::tuple<OpOperand *, int64_t, int64_t>, Value> Loaded;
  auto Read = [&](OpOperand *Input, int64_t Row, int64_t Vector) {
    Row = depends(*Input, T.Row) ? Row : 0;
    Vector = depends(*Input, T.Vector) ? Vector : 0;
    Value &V = Loaded[{Input, Row, Vector}];
    if (!V)
      V = load(*Input, Row, Vector, P);
    return V;
  };
  SmallVector<Value> Results;
  auto Next = Sums.begin();
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
      IRMapping Map;
      for (OpOperand *Input : Op.getDpsInputOperands())
        if (!Op.getMatchingBlockArgument(Input).use_empty())
          Map.map(Op.getMatchingBlockArgument(Input), Read(Input, Row, Vector));
      for (OpOperand &Init : Op.getDpsInitsMutable())
        if (!Op.getMatchingBlockArgument(&Init).use_empty())
          Map.map(Op.getMatchingBlockArgument(&Init), *Next++);
      for (Operation &Inner : Op.getBody()->without_terminator()) {
        for (Value V : Inner.getOperands())
          if (!Map.contains(V))
            Map.map(V, spread(V, P));
        Operation *New = B.clone(Inner, Map);
        if (P.Lanes == 1)
          continue;
        for (auto [Old, Result] :
             llvm::zip(Inner.getResults(), New->getResults())) {
          if (llvm::isa<arith::ConstantOp>(Inner))
            Map.map(Old, spread(Result, P));
          else
            Result.setType(onLanes(Result.getType(), P));
        }
      }
      for (Value V : Op.getBody()->getTerminator()->getOperands())
        Results.push_back(Map.contains(V) ? Map.lookup(V) : spread(V, P));
    }
  return Results;
}

SmallVector<Value> Writer::reduce(ArrayRef<unsigned> Loops, Part P,
                                  SmallVector<Value> Sums) {
  if (Loops.empty())
    return step(P, Sums);
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

void Writer::tile(Part P) {
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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct TileRegistersPass
    : PassWrapper<TileRegistersPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileRegistersPass)

  TileRegistersPass(const RegisterFile &Registers) : Registers(Registers) {}
  StringRef getArgument() const override { return "tenon-tile-registers"; }
  StringRef getDescription() const override {
    return "Loops over tiles of results that stay in vector registers";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<affine::AffineDialect, arith::ArithDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override;

  RegisterFile Registers;
};
} // namespace

void TileRegistersPass::runOnOperation() {
  IRRewriter Rewriter(&getContext());
  SmallVector<linalg::LinalgOp> Ops;
  getOperation().walk([&](linalg::LinalgOp Op) { Ops.push_back(Op); });
  for (linalg::LinalgOp Op : Ops) {
    Rewriter.setInsertionPoint(Op);
    auto Generic = dyn_cast<linalg::GenericOp>(Op.getOperation());
    if (!Generic)
      if (auto General = linalg::generalizeNamedOp(Rewriter, Op);
          succeeded(General))
        Generic = *General;
    if (!Generic || !isPlain(Generic))
      continue;
    Chooser Choice(Generic, Registers);
    Tile T = Choice.choose();
    // Loops of single elements are what upstream's lowering makes.
    if (!T.Vector && T.Rows == 1)
      continue;
    // A reduction that yields what it is not given has no sum to keep.
    bool Accumulates =
        llvm::none_of(Generic.getRegionOutputArgs(),
                      [](BlockArgument Sum) { return Sum.use_empty(); });
    if (Generic.getNumReductionLoops() && !Accumulates)
      continue;
    Rewriter.setInsertionPoint(Generic);
    Writer(Rewriter, Generic, T, Choice.isProduct(T)).write();
    Rewriter.eraseOp(Generic);
  }
}

std::unique_ptr<Pass>
tenon::createTileRegistersPass(const RegisterFile &Registers) {
  return std::make_unique<TileRegistersPass>(Registers);
}
