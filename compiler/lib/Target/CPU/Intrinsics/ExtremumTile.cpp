//===- ExtremumTile.cpp - The largest or least of dense rows --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Vectors of a row are compared, and their elements in the end: in any order,
// and what is looked at twice does no harm.
//
//===----------------------------------------------------------------------===//

#include "HostIntrinsic.h"
#include "VectorTile.h"

#include "../LoopStride.h"
#include "../VectorBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tenon;

namespace {

/// `T.Vector` is a loop of reductions, of at least `T.Lanes`.
class ExtremumTile : public TileLoops {
public:
  ExtremumTile(OpBuilder &B, linalg::GenericOp Op, const TileShape &T,
               vector::CombiningKind Kind)
      : TileLoops(B, Op, T), Kind(Kind) {}

protected:
  void begin() override { llvm::erase(Reductions, *T.Vector); }
  void nest(ArrayRef<unsigned> Others) override {
    others(Others,
           [&] { rows([&](int64_t Rows) { tile({Rows, 1, T.Lanes}); }); });
  }
  void tile(Part P) override;

private:
  SmallVector<Value> extrema(ArrayRef<Value> Starts, Part P);

  vector::CombiningKind Kind;
};

} // namespace

/// The body's last operation, where its result is one of its operands, in any
/// order, and halves are not held in it.
static std::optional<vector::CombiningKind> kindOf(linalg::GenericOp Op) {
  if (Op.getNumDpsInits() != 1 || !llvm::all_of(*Op.getBody(), worksOnVectors))
    return std::nullopt;
  BlockArgument Before = Op.getRegionOutputArgs().front();
  Operation *Last =
      Op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!Last || !Before.hasOneUse() || *Before.user_begin() != Last ||
      Before.getType().isF16())
    return std::nullopt;
  using Kind = vector::CombiningKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(Last)
      .Case([](arith::MaximumFOp) { return Kind::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return Kind::MINIMUMF; })
      .Case([](arith::MaxSIOp) { return Kind::MAXSI; })
      .Case([](arith::MinSIOp) { return Kind::MINSI; })
      .Case([](arith::MaxUIOp) { return Kind::MAXUI; })
      .Case([](arith::MinUIOp) { return Kind::MINUI; })
      .Default(std::nullopt);
}

std::unique_ptr<TileLoops> tenon::matchExtremum(OpBuilder &B,
                                                linalg::GenericOp Op,
                                                const RegisterFile &Registers) {
  constexpr int64_t Fewest = 4, MostRows = 4;
  auto Kind = kindOf(Op);
  TileChooser Chooser(Op, Registers);
  if (!Kind || readFused(Op) || !isPlain(Op) || Chooser.vectorLoop())
    return nullptr;
  TileShape T;
  SmallVector<unsigned> Loops;
  Op.getReductionDims(Loops);
  for (unsigned Loop : Loops) {
    bool Fits = Chooser.extent(Loop) >= Fewest; // an open one is negative
    for (OpOperand *Input : Op.getDpsInputOperands())
      Fits &= hasBytes(*Input) && isDenseAlong(Op, *Input, Loop) &&
              strideAlong(Op.getMatchingIndexingMap(Input), Loop);
    if (!Fits)
      continue;
    T.Vector = Loop;
    T.Lanes =
        std::min<int64_t>(lanesOf(Op, std::nullopt, Registers),
                          llvm::bit_floor(uint64_t(Chooser.extent(Loop))));
  }
  if (T.Lanes < Fewest)
    return nullptr;
  if ((T.Row = Chooser.rowLoop(T.Vector)))
    T.Rows = Chooser.rows(std::min<int64_t>(Registers.Accumulators, MostRows),
                          *T.Row);
  return std::make_unique<ExtremumTile>(B, Op, T, *Kind);
}

/// What is left at the end of a row is in a last vector together with elements
/// that have been there. Where a float is 0, which zero it is hangs on the
/// order, which then is the plain loops'.
void ExtremumTile::tile(Part P) {
  const Part Element{P.Rows, 1, 1};
  OpOperand &Init = *Op.getDpsInitOperand(0);
  SmallVector<Value> Starts =
      llvm::map_to_vector(llvm::seq(P.Rows), [&](int64_t Row) {
        return load(Init, Row, 0, Element);
      });
  SmallVector<Value> Found = extrema(Starts, P);
  if (llvm::isa<FloatType>(Found.front().getType())) {
    Value IsZero;
    for (Value Each : Found) {
      Value Zero =
          arith::ConstantOp::create(B, Loc, B.getZeroAttr(Each.getType()));
      Value Is =
          arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::OEQ, Each, Zero);
      IsZero =
          IsZero ? arith::OrIOp::create(B, Loc, IsZero, Is).getResult() : Is;
    }
    SmallVector<unsigned> InOrder;
    Op.getReductionDims(InOrder);
    auto If = scf::IfOp::create(
        B, Loc, IsZero,
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(B, Loc,
                               reduce(InOrder, Starts, [&](ValueRange Next) {
                                 return step(wholeBody(), Element, Next);
                               }));
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(B, Loc, Found); });
    Found = If.getResults();
  }
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    store(Found[Row], Init, Row, 0, Element);
}

/// In vectors; of each row in the end.
SmallVector<Value> ExtremumTile::extrema(ArrayRef<Value> Starts, Part P) {
  int64_t Extent = *getConstantIntValue(Extents[*T.Vector]);
  int64_t Whole = Extent / P.Lanes * P.Lanes;
  SmallVector<Value> Sums = llvm::map_to_vector(
      Starts, [&](Value Start) { return spread(Start, P); });
  Sums = reduce(Reductions, std::move(Sums), [&](ValueRange Before) {
    SmallVector<Value> Found =
        reduce(*T.Vector, B.getIndexAttr(0), B.getIndexAttr(Whole), P.Lanes,
               llvm::to_vector(Before),
               [&](ValueRange Next) { return step(wholeBody(), P, Next); });
    if (Whole == Extent)
      return Found;
    At[*T.Vector] = index(Extent - P.Lanes);
    return step(wholeBody(), P, Found);
  });
  return llvm::map_to_vector(Sums, [&](Value Sum) -> Value {
    return vector::ReductionOp::create(B, Loc, Kind, Sum);
  });
}
