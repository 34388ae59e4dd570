//===- Einsum.cpp - Einstein sums ----------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An axis has a letter; the axes that an ellipsis stands for are lettered from
// the last one on, so that they are broadcast as ONNX does it.  Terms are
// multiplied from the left, two at a time: a letter that neither the result nor
// a later term has is summed over as soon as that is so.
//
//===----------------------------------------------------------------------===//

#include "Einsum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// A letter, or the n-th axis from the end of an ellipsis: -1 - n.
using Letter = int;
using Letters = SmallVector<Letter>;

struct Term {
  Value Tensor;
  Letters Axes;
};

/// "ij,jk->ik", without spaces.
struct Equation {
  SmallVector<std::string> Terms;
  std::optional<std::string> Result;
};
} // namespace

static FailureOr<Equation> readEquation(Lowering &L) {
  FailureOr<std::string> Text = L.N.string("equation", "");
  if (failed(Text))
    return failure();
  llvm::erase(*Text, ' ');
  Equation Of;
  auto [Left, Right] = StringRef(*Text).split("->");
  if (StringRef(*Text).contains("->"))
    Of.Result = Right.str();
  SmallVector<StringRef> Terms;
  Left.split(Terms, ',');
  for (StringRef Each : Terms)
    Of.Terms.push_back(Each.str());
  if (int64_t(Terms.size()) != L.inputCount())
    return L.error() << "its equation '" << *Text << "' has " << Terms.size()
                     << " terms, but the node " << L.inputCount() << " inputs";
  return Of;
}

/// The letters of a term; an ellipsis in it is of `Wide` axes.
static FailureOr<Letters> lettersOf(Lowering &L, StringRef Text, int64_t Wide) {
  Letters Of;
  bool HasEllipsis = false;
  while (!Text.empty()) {
    if (!HasEllipsis && Text.consume_front("...")) {
      HasEllipsis = true;
      for (int64_t Axis = Wide; Axis > 0; --Axis)
        Of.push_back(-Axis);
      continue;
    }
    if (!llvm::isAlpha(Text.front()))
      return L.error() << "its equation has '" << Text
                       << "', where a letter or one ellipsis is expected";
    Of.push_back(Text.front());
    Text = Text.drop_front();
  }
  return Of;
}

static FailureOr<Term> readTerm(Lowering &L, StringRef Text, int64_t Input) {
  int64_t Rank = L.in(Input).rank();
  size_t At = Text.find("...");
  int64_t Named = Text.size() - (At == StringRef::npos ? 0 : 3);
  int64_t Wide = At == StringRef::npos ? 0 : Rank - Named;
  if (Wide < 0 || Named + Wide != Rank)
    return L.error() << "the term '" << Text << "' does not fit input " << Input
                     << ", which has " << Rank << " dimensions";
  FailureOr<Letters> Axes = lettersOf(L, Text, Wide);
  if (failed(Axes))
    return failure();
  return Term{L.widened(L.in(Input)), *Axes};
}

/// What an equation without "->" means: the ellipsis, then each letter that
/// occurs once, in the alphabet's order.
static Letters impliedResult(ArrayRef<Term> Terms) {
  std::map<Letter, int> Times;
  for (const Term &Each : Terms)
    for (Letter Axis : Each.Axes)
      ++Times[Axis];
  Letters Result;
  for (auto [Axis, Count] : Times)
    if (Axis < 0 || Count == 1)
      Result.push_back(Axis);
  return Result;
}

static FailureOr<Letters> resultOf(Lowering &L, const Equation &Of,
                                   ArrayRef<Term> Terms) {
  if (!Of.Result)
    return impliedResult(Terms);
  int64_t Wide = 0;
  for (const Term &Each : Terms)
    for (Letter Axis : Each.Axes)
      Wide = std::max<int64_t>(Wide, -Axis);
  FailureOr<Letters> Result = lettersOf(L, *Of.Result, Wide);
  if (failed(Result))
    return failure();
  for (auto [Index, Axis] : llvm::enumerate(*Result)) {
    bool IsKnown = llvm::any_of(Terms, [&, Axis = Axis](const Term &Each) {
      return llvm::is_contained(Each.Axes, Axis);
    });
    if (!IsKnown ||
        llvm::is_contained(ArrayRef(*Result).take_front(Index), Axis))
      return L.error() << "the result of its equation, '" << *Of.Result
                       << "', has a letter twice or one that no term has";
  }
  return Result;
}

/// The extents of all letters of `Terms`, in the order of `Order`; every term
/// gets the map that reads it there.
static FailureOr<Extents> fit(Lowering &L, MutableArrayRef<Term> Terms,
                              ArrayRef<Letter> Order,
                              SmallVectorImpl<AffineMap> &Maps) {
  Extents Of;
  for (Letter Axis : Order) {
    SmallVector<Extents> Same;
    for (const Term &Each : Terms)
      for (auto [Index, Own] : llvm::enumerate(Each.Axes))
        if (Own == Axis)
          Same.push_back({L.extentOf(Each.Tensor, Index)});
    FailureOr<Extents> One = L.broadcast(Same);
    if (failed(One))
      return failure();
    Of.push_back(One->front());
  }
  for (Term &Each : Terms) {
    SmallVector<AffineExpr> Results;
    Extents Full = L.extentsOf(Each.Tensor);
    bool IsOpen = false;
    for (auto [Index, Axis] : llvm::enumerate(Each.Axes)) {
      int64_t Dim = llvm::find(Order, Axis) - Order.begin();
      bool IsOne = getConstantIntValue(Full[Index]) == 1 &&
                   getConstantIntValue(Of[Dim]) != 1;
      Results.push_back(IsOne ? L.B.getAffineConstantExpr(0)
                              : L.B.getAffineDimExpr(Dim));
      IsOpen |= !IsOne && !L.surelyEqual(Full[Index], Of[Dim]);
      if (!IsOne)
        Full[Index] = Of[Dim];
    }
    if (IsOpen)
      Each.Tensor = L.expanded(Each.Tensor, Full);
    Maps.push_back(AffineMap::get(Order.size(), 0, Results, L.B.getContext()));
  }
  return Of;
}

/// The sum of products of `Terms`, one or two, over what `Keeps` lacks.
static FailureOr<Term> joined(Lowering &L, MutableArrayRef<Term> Terms,
                              const Letters &Keeps) {
  Letters Order = Keeps;
  for (const Term &Each : Terms)
    for (Letter Axis : Each.Axes)
      if (!llvm::is_contained(Order, Axis))
        Order.push_back(Axis);
  SmallVector<AffineMap> Maps;
  FailureOr<Extents> Of = fit(L, Terms, Order, Maps);
  if (failed(Of))
    return failure();
  Of->truncate(Keeps.size());
  SmallVector<AffineExpr> Kept;
  for (size_t Axis = 0; Axis < Keeps.size(); ++Axis)
    Kept.push_back(L.B.getAffineDimExpr(Axis));
  Maps.push_back(AffineMap::get(Order.size(), 0, Kept, L.B.getContext()));
  if (Terms.size() == 2)
    return Term{L.contracted(Terms[0].Tensor, Terms[1].Tensor, Maps, *Of),
                Keeps};
  Type Held =
      cast<RankedTensorType>(Terms[0].Tensor.getType()).getElementType();
  Value Zero = L.filled(*Of, L.number(Held, 0));
  return Term{
      L.accumulated(Terms[0].Tensor, Maps, Zero,
                    [](OpBuilder &B, Location Loc, ValueRange X) -> Value {
                      if (isa<FloatType>(X[0].getType()))
                        return arith::AddFOp::create(B, Loc, X[1], X[0]);
                      return arith::AddIOp::create(B, Loc, X[1], X[0]);
                    }),
      Keeps};
}

/// The letters of the first two terms that the result or a later term has.
static Letters keptBy(ArrayRef<Term> Terms, const Letters &Result) {
  Letters Keeps;
  for (const Term &Each : Terms.take_front(2))
    for (Letter Axis : Each.Axes) {
      bool IsAsked = llvm::is_contained(Result, Axis);
      for (const Term &Later : Terms.drop_front(2))
        IsAsked |= llvm::is_contained(Later.Axes, Axis);
      if (IsAsked && !llvm::is_contained(Keeps, Axis))
        Keeps.push_back(Axis);
    }
  return Keeps;
}

LogicalResult tenon::frontend::lowerEinsum(Lowering &L) {
  FailureOr<Equation> Of = readEquation(L);
  if (failed(Of))
    return failure();
  SmallVector<Term> Terms;
  for (int64_t Input = 0; Input < L.inputCount(); ++Input) {
    FailureOr<Term> Each = readTerm(L, Of->Terms[Input], Input);
    if (failed(Each))
      return failure();
    Terms.push_back(*Each);
  }
  FailureOr<Letters> Result = resultOf(L, *Of, Terms);
  if (failed(Result))
    return failure();
  while (Terms.size() > 2) {
    FailureOr<Term> First =
        joined(L, MutableArrayRef(Terms).take_front(2), keptBy(Terms, *Result));
    if (failed(First))
      return failure();
    Terms.erase(Terms.begin());
    Terms.front() = *First;
  }
  FailureOr<Term> Last = joined(L, Terms, *Result);
  if (failed(Last))
    return failure();
  return L.define(L.narrowed(Last->Tensor, L.in(0).Element));
}
