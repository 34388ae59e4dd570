//===- Intrinsics.cpp - What the accelerator computes ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Matches reductions to declared intrinsics.  Nothing here knows an operator:
// a linalg.generic is read by its iterator types, its indexing maps and its
// payload, its iterators get roles, and the roles are compared with the table.
//
//===----------------------------------------------------------------------===//

#include "tenon/Transforms/Intrinsics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon;

llvm::ArrayRef<Intrinsic> tenon::intrinsics() {
  using K = enum Intrinsic::Kind;
  // Rows, output channels, channels of both, input channels, window axes.
  static const Intrinsic Table[] = {
      // acc[r, o] += in[r*s + w*d, c] * wgt[o, w, c]: GEMM.
      {K::Gemm,
       "gemm",
       Payload::MultiplyAdd,
       {1, 3},
       {1, 1},
       {0, 0},
       {1, 1},
       {0, 2},
       Role::InChannel},
      // acc[r, c] += in[r*s + w*d, c] * wgt[w, c]: MAC of the ALU.
      {K::Mac,
       "mac",
       Payload::MultiplyAdd,
       {1, 3},
       {0, 0},
       {1, 1},
       {0, 0},
       {0, 2},
       Role::Channel},
      // acc[r, c, m] += in[r*s + w*d, c] * wgt[w, c, m]: GEMM, each channel a
      // group.
      {K::Diagonal,
       "diagonal",
       Payload::MultiplyAdd,
       {1, 3},
       {1, 1},
       {1, 1},
       {0, 0},
       {0, 2},
       Role::Channel},
      // acc[r, c] += in[r*s + w*d, c]: ADD of the ALU.
      {K::Sum,
       "sum",
       Payload::Add,
       {1, 4},
       {0, 0},
       {0, 0},
       {0, 0},
       {1, 2},
       Role::Row},
      // acc[r, c] = max(acc[r, c], in[r*s + w*d, c]): MAX of the ALU.
      {K::Max,
       "max",
       Payload::Max,
       {1, 4},
       {0, 0},
       {0, 0},
       {0, 0},
       {1, 2},
       Role::Row},
      // acc[b, r, o] += in[b, r, c] * wgt[b, c, o]: GEMM, each b with weights
      // of its own.
      {K::Product,
       "product",
       Payload::MultiplyAdd,
       {1, 2},
       {1, 1},
       {0, 1},
       {1, 1},
       {0, 0},
       Role::InChannel,
       /*ComputedWeights=*/true},
  };
  return Table;
}

namespace {

/// One factor or summand of the payload: an element of an input, minus a zero
/// point where there is one.
struct Term {
  int Argument = -1;
  Value ZeroPoint;
};

/// dim * Scale, one summand of an index.
struct Summand {
  unsigned Dim;
  int64_t Scale;
};
using Index = SmallVector<Summand, 2>;

/// The generic under inspection and what has been found out about it.
struct Inspection {
  Inspection(linalg::GenericOp Op, std::string &Why) : Op(Op), Why(Why) {}

  linalg::GenericOp Op;
  std::string &Why;
  SmallVector<int64_t> Extents;
  SmallVector<utils::IteratorType> Iterators;
  Payload Body = Payload::Add;
  Term Left, Right;
  int InputNumber = 0, WeightNumber = -1;
  bool HasComputedWeights = false;
  SmallVector<Index> Input, Weights, Output;
  SmallVector<Role> Roles;

  std::nullopt_t refuse(const llvm::Twine &Reason) {
    Why = Reason.str();
    return std::nullopt;
  }
};

} // namespace

/// Strips widening casts and one subtraction of an i32 scalar input.
static Term matchTerm(Value V, linalg::GenericOp Op) {
  Term Result;
  if (auto Sub = V.getDefiningOp<arith::SubIOp>()) {
    auto Zero = dyn_cast<BlockArgument>(Sub.getRhs());
    if (!Zero || Zero.getOwner() != Op.getBody())
      return {};
    Result.ZeroPoint = Op.getDpsInputs()[Zero.getArgNumber()];
    V = Sub.getLhs();
  }
  if (auto Extend = V.getDefiningOp<arith::ExtSIOp>())
    V = Extend.getIn();
  auto Argument = dyn_cast<BlockArgument>(V);
  if (!Argument || Argument.getOwner() != Op.getBody() ||
      Argument.getArgNumber() >= Op.getNumDpsInputs())
    return {};
  Result.Argument = Argument.getArgNumber();
  return Result;
}

/// Reads what the body does with one element: acc + a*b, acc + a, max(acc, a).
static bool matchPayload(Inspection &I) {
  Block *Body = I.Op.getBody();
  Value Accumulator = Body->getArguments().back();
  Operation *Combine = Body->getTerminator()->getOperand(0).getDefiningOp();
  if (!Combine || Combine->getNumOperands() != 2)
    return false;
  Value Element = Combine->getOperand(0) == Accumulator
                      ? Combine->getOperand(1)
                      : Combine->getOperand(0);
  if (Element == Accumulator ||
      !llvm::is_contained(Combine->getOperands(), Accumulator))
    return false;
  if (isa<arith::MaxSIOp>(Combine)) {
    I.Body = Payload::Max;
    I.Left = matchTerm(Element, I.Op);
    return I.Left.Argument >= 0;
  }
  if (!isa<arith::AddIOp>(Combine))
    return false;
  if (auto Product = Element.getDefiningOp<arith::MulIOp>()) {
    I.Body = Payload::MultiplyAdd;
    I.Left = matchTerm(Product.getLhs(), I.Op);
    I.Right = matchTerm(Product.getRhs(), I.Op);
    return I.Left.Argument >= 0 && I.Right.Argument >= 0;
  }
  I.Body = Payload::Add;
  I.Left = matchTerm(Element, I.Op);
  return I.Left.Argument >= 0;
}

/// Reads an affine expression as a sum of scaled dimensions.
static bool readIndex(AffineExpr Expr, Index &Out) {
  if (auto Dim = dyn_cast<AffineDimExpr>(Expr)) {
    Out.push_back({Dim.getPosition(), 1});
    return true;
  }
  auto Binary = dyn_cast<AffineBinaryOpExpr>(Expr);
  if (!Binary)
    return false;
  if (Expr.getKind() == AffineExprKind::Add)
    return readIndex(Binary.getLHS(), Out) && readIndex(Binary.getRHS(), Out);
  if (Expr.getKind() != AffineExprKind::Mul)
    return false;
  auto Dim = dyn_cast<AffineDimExpr>(Binary.getLHS());
  auto Scale = dyn_cast<AffineConstantExpr>(Binary.getRHS());
  if (!Dim || !Scale || Scale.getValue() < 1)
    return false;
  Out.push_back({Dim.getPosition(), Scale.getValue()});
  return true;
}

static bool readMap(AffineMap Map, SmallVector<Index> &Out) {
  for (AffineExpr Expr : Map.getResults())
    if (!readIndex(Expr, Out.emplace_back()))
      return false;
  return true;
}

/// Where an iterator occurs in a map: not at all, alone in an index, as one of
/// several summands.
enum class Occurrence { None, Alone, Summand };
static Occurrence occurrence(ArrayRef<Index> Map, unsigned Dim) {
  for (const Index &Idx : Map)
    for (const Summand &S : Idx)
      if (S.Dim == Dim)
        return Idx.size() == 1 ? Occurrence::Alone : Occurrence::Summand;
  return Occurrence::None;
}

/// The role of iterator `Dim`, from the maps it appears in.
static std::optional<Role> roleOf(const Inspection &I, unsigned Dim) {
  Occurrence In = occurrence(I.Input, Dim);
  bool InWeights = occurrence(I.Weights, Dim) != Occurrence::None;
  bool InOutput = occurrence(I.Output, Dim) != Occurrence::None;
  if (I.Iterators[Dim] == utils::IteratorType::parallel) {
    if (!InOutput)
      return std::nullopt;
    if (In == Occurrence::None)
      return InWeights ? std::optional(Role::OutChannel) : std::nullopt;
    if (!InWeights)
      return Role::Row;
    // A batch of one is a row, whatever it indexes.
    bool Last =
        occurrence(ArrayRef(I.Input).take_back(), Dim) != Occurrence::None;
    if (I.Extents[Dim] == 1 && !Last)
      return Role::Row;
    return Role::Channel;
  }
  if (I.Iterators[Dim] != utils::IteratorType::reduction || InOutput)
    return std::nullopt;
  if (In == Occurrence::Summand)
    return Role::Window;
  if (In == Occurrence::Alone && InWeights)
    return Role::InChannel;
  return std::nullopt;
}

static bool inRange(Intrinsic::Range R, ArrayRef<Role> Roles, Role Which) {
  unsigned N = llvm::count(Roles, Which);
  return R.Min <= N && N <= R.Max;
}

/// The roles and the payload against one declaration.
static bool fits(const Intrinsic &D, const Inspection &I) {
  return D.Body == I.Body && D.ComputedWeights == I.HasComputedWeights &&
         inRange(D.Rows, I.Roles, Role::Row) &&
         inRange(D.OutChannels, I.Roles, Role::OutChannel) &&
         inRange(D.Channels, I.Roles, Role::Channel) &&
         inRange(D.InChannels, I.Roles, Role::InChannel) &&
         inRange(D.Windows, I.Roles, Role::Window) &&
         I.Input.back().size() == 1 &&
         I.Roles[I.Input.back()[0].Dim] == D.Innermost;
}

/// The output must enumerate the rows in the input's order, then channels: the
/// accelerator stores in the order in which it reads.
static bool outputFollowsInput(const Inspection &I) {
  SmallVector<unsigned> Want, Got;
  for (const Index &Idx : I.Input)
    for (const Summand &S : Idx)
      if (I.Roles[S.Dim] == Role::Row || I.Roles[S.Dim] == Role::Channel)
        Want.push_back(S.Dim);
  for (unsigned D = 0; D < I.Roles.size(); ++D)
    if (I.Roles[D] == Role::OutChannel)
      Want.push_back(D);
  for (const Index &Idx : I.Output) {
    if (Idx.size() != 1 || Idx[0].Scale != 1)
      return false;
    Got.push_back(Idx[0].Dim);
  }
  return Want == Got;
}

/// Fills strides, dilations and extents of the window; `WindowDims` receives
/// the window iterators of y and x.
static bool readWindow(const Inspection &I, IntrinsicMatch &M,
                       std::array<int, 2> &WindowDims) {
  WindowDims = {-1, -1};
  for (auto [Position, Idx] : llvm::enumerate(I.Input)) {
    if (Idx.size() == 1) {
      if (Idx[0].Scale == 1)
        continue;
      return false;
    }
    // A window lies on the second and third axis of four.
    if (Idx.size() != 2 || I.Input.size() != 4 || Position < 1 || Position > 2)
      return false;
    unsigned Row = I.Roles[Idx[0].Dim] == Role::Row ? 0 : 1;
    if (I.Roles[Idx[Row].Dim] != Role::Row ||
        I.Roles[Idx[1 - Row].Dim] != Role::Window)
      return false;
    unsigned Axis = Position - 1;
    M.Stride[Axis] = Idx[Row].Scale;
    M.Dilation[Axis] = Idx[1 - Row].Scale;
    M.Kernel[Axis] = I.Extents[Idx[1 - Row].Dim];
    WindowDims[Axis] = Idx[1 - Row].Dim;
  }
  return true;
}

/// Names the axes of the weights operand.
static bool readWeights(const Inspection &I, IntrinsicMatch &M,
                        std::array<int, 2> WindowDims) {
  for (auto [Axis, Idx] : llvm::enumerate(I.Weights)) {
    if (Idx.size() != 1 || Idx[0].Scale != 1)
      return false;
    int Dim = Idx[0].Dim;
    bool Diagonal = M.Decl->Kind == Intrinsic::Kind::Diagonal;
    bool Product = M.Decl->Kind == Intrinsic::Kind::Product;
    if (Dim == WindowDims[0])
      M.WeightAxes[AxisY] = Axis;
    else if (Dim == WindowDims[1])
      M.WeightAxes[AxisX] = Axis;
    else if (I.Roles[Dim] == Role::OutChannel)
      (Diagonal ? M.MultiplierAxis : M.WeightAxes[AxisOut]) = Axis;
    else if (Product && I.Roles[Dim] == Role::Channel)
      M.WeightAxes[AxisY] = Axis;
    else if (I.Roles[Dim] == Role::InChannel || I.Roles[Dim] == Role::Channel)
      M.WeightAxes[AxisIn] = Axis;
    else if (I.Extents[Dim] != 1)
      return false;
  }
  return true;
}

/// Matches with the left term as the input and the right one as the weights.
static std::optional<IntrinsicMatch> matchInOrder(Inspection I) {
  I.InputNumber = I.Left.Argument;
  SmallVector<AffineMap> Maps = I.Op.getIndexingMapsArray();
  bool HasFactor = I.Body == Payload::MultiplyAdd;
  if (HasFactor)
    I.WeightNumber = I.Right.Argument;
  else
    // Pooling names its window by the shape of an operand it does not read.
    for (int N = 0; N < I.Op.getNumDpsInputs(); ++N)
      if (N != I.InputNumber && Maps[N].getNumResults())
        I.WeightNumber = N;
  if (!readMap(Maps[I.InputNumber], I.Input) ||
      (I.WeightNumber >= 0 && !readMap(Maps[I.WeightNumber], I.Weights)) ||
      !readMap(Maps.back(), I.Output))
    return I.refuse("an index that is not a sum of scaled iterators");
  if (I.Input.empty())
    return I.refuse("a scalar input");
  for (unsigned D = 0; D < I.Iterators.size(); ++D) {
    auto R = roleOf(I, D);
    if (!R)
      return I.refuse(llvm::formatv("iterator {0} has no role in any "
                                    "intrinsic",
                                    D)
                          .str());
    I.Roles.push_back(*R);
  }
  for (const Intrinsic &D : intrinsics()) {
    if (!fits(D, I))
      continue;
    IntrinsicMatch M;
    M.Decl = &D;
    M.Input = I.InputNumber;
    M.Weights = HasFactor ? I.WeightNumber : -1;
    M.InputZeroPoint = I.Left.ZeroPoint;
    M.WeightZeroPoint = I.Right.ZeroPoint;
    std::array<int, 2> WindowDims;
    if (!outputFollowsInput(I))
      return I.refuse("its result is ordered otherwise than its input");
    if (!readWindow(I, M, WindowDims))
      return I.refuse("its window does not lie on the two middle axes of four");
    if (HasFactor && !readWeights(I, M, WindowDims))
      return I.refuse(
          "its weights are indexed by more than channels and window");
    return M;
  }
  return I.refuse(I.HasComputedWeights
                      ? "both factors are computed at run time"
                      : "no declared intrinsic has its iterators");
}

std::optional<IntrinsicMatch>
tenon::matchIntrinsic(linalg::GenericOp Op,
                      llvm::function_ref<bool(Value)> IsActivation,
                      std::string &Why) {
  Inspection I(Op, Why);
  I.Iterators = Op.getIteratorTypesArray();
  for (int64_t Extent : Op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(Extent))
      return I.refuse("its shape is not static");
    I.Extents.push_back(Extent);
  }
  if (!Op.hasPureTensorSemantics() || Op.getNumDpsInits() != 1)
    return I.refuse("it is not one reduction of tensors");
  if (!matchPayload(I))
    return I.refuse("no declared intrinsic combines elements like it");
  // Multiplication commutes: the input is the factor computed at run time.
  auto Activation = [&](const Term &T) {
    return IsActivation(Op.getDpsInputs()[T.Argument]);
  };
  if (I.Body == Payload::MultiplyAdd) {
    if (!Activation(I.Left))
      std::swap(I.Left, I.Right);
    if (!Activation(I.Left))
      return I.refuse("both factors are constants");
    I.HasComputedWeights = Activation(I.Right);
  }
  return matchInOrder(I);
}
