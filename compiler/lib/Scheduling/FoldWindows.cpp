//===- FoldWindows.cpp - Windows gathered into empty channel lanes --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A convolution that reads what the host packs may find neighbouring elements
// of its window as channels of one pixel: tap j * phases + p of the window
// becomes channel phase p of tap j. The sum of products is the same, so every
// integer result is.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Scheduling/Passes.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"

#include <algorithm>

namespace tenon {
#define GEN_PASS_DEF_ACCELFOLDWINDOWS
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

/// Largest number in a program's Fold.
static constexpr int64_t MaxFold = 1023;
/// Phases along an axis that are tried: as many as the lanes of a wide machine.
static constexpr int64_t MostPhases = 64;

namespace {
/// A window along one axis.
struct Axis {
  int64_t In, Out, Taps, Stride, Dilation, Low, High;
};

/// How an axis is packed, and the window over what is packed.
struct FoldedAxis {
  int64_t Phases = 1, Step = 1, Distance = 1, Origin = 0;
  Axis Window;
};

struct Folding {
  FoldedAxis Y, X;
  int64_t phases() const { return Y.Phases * X.Phases; }
};

/// One convolution and the ways to fold it.
class Candidates {
public:
  Candidates(const Machine &For, const Layer &TheLayer, bool OwnsInput);

  /// The foldings that are cheaper than none, the cheapest first.
  std::vector<Folding> cheaper() const;
  Layer folded(const Folding &F) const;

private:
  double milliseconds(const Folding &F, bool Packs) const;

  const isa::Layout &L;
  const HostSpeed &Host;
  Layer Shape;    ///< of the network's layer, without its constants
  bool OwnsInput; ///< nobody else reads it: it need not be packed twice
  std::vector<FoldedAxis> Rows, Cols;
};
} // namespace

/// `Phases` neighbouring taps of a window as channels; nothing where the pixels
/// that the next tap needs would not be packed.
static std::optional<FoldedAxis> foldAxis(const Axis &A, int64_t Phases) {
  bool Whole = Phases == A.Taps;
  int64_t Reach = Phases * A.Dilation;
  bool Aligned = Whole || Reach % A.Stride == 0;
  if (!Aligned || std::max({A.Stride, A.Dilation, A.Low}) > MaxFold)
    return std::nullopt;
  FoldedAxis F;
  F.Phases = Phases;
  F.Step = A.Stride;
  F.Distance = A.Dilation;
  F.Origin = -A.Low;
  Axis &W = F.Window;
  W.Taps = ceilDiv(A.Taps, Phases);
  W.Stride = 1;
  W.Dilation = Whole ? 1 : Reach / A.Stride;
  W.Low = W.High = 0;
  W.Out = A.Out;
  W.In = A.Out + (W.Taps - 1) * W.Dilation;
  return F;
}

/// The axis as it is, and folded in every way.
static std::vector<FoldedAxis> foldings(const Axis &A) {
  FoldedAxis Same;
  Same.Window = A;
  std::vector<FoldedAxis> Result = {Same};
  for (int64_t Phases = 2; Phases <= std::min(A.Taps, MostPhases); ++Phases)
    if (auto F = foldAxis(A, Phases))
      Result.push_back(*F);
  return Result;
}

Candidates::Candidates(const Machine &For, const Layer &TheLayer,
                       bool OwnsInput)
    : L(For.layout()), Host(For.host()), OwnsInput(OwnsInput),
      Rows(foldings({TheLayer.In.H, TheLayer.Out.H, TheLayer.KH, TheLayer.SY,
                     TheLayer.DY, TheLayer.Top, TheLayer.Bottom})),
      Cols(foldings({TheLayer.In.W, TheLayer.Out.W, TheLayer.KW, TheLayer.SX,
                     TheLayer.DX, TheLayer.Left, TheLayer.Right})) {
  Shape.In = TheLayer.In, Shape.Out = TheLayer.Out;
  Shape.HasResidual = TheLayer.HasResidual;
  Shape.Residual = TheLayer.Residual;
  Shape.Bias = TheLayer.Bias;
}

Layer Candidates::folded(const Folding &F) const {
  const Axis &Y = F.Y.Window, &X = F.X.Window;
  Layer Folded = Shape;
  Folded.In.H = Y.In, Folded.In.W = X.In;
  Folded.In.C *= F.phases();
  Folded.KH = Y.Taps, Folded.KW = X.Taps;
  Folded.SY = Y.Stride, Folded.SX = X.Stride;
  Folded.DY = Y.Dilation, Folded.DX = X.Dilation;
  Folded.Top = Y.Low, Folded.Bottom = Y.High;
  Folded.Left = X.Low, Folded.Right = X.High;
  return Folded;
}

/// The layer's time as the report bounds it, and the time to pack its input.
double Candidates::milliseconds(const Folding &F, bool Packs) const {
  Layer Folded = folded(F);
  Bounds Least = bounds(L, Folded);
  uint64_t Cycles = std::max({Least.Compute, Least.Read, Least.Write});
  double Packing =
      Packs ? ViewLayout(L).tensorBytes(Folded.In) / Host.PackedBytesPerMs : 0;
  return Cycles / (L.config.clock_mhz() * 1e3) + Packing;
}

std::vector<Folding> Candidates::cheaper() const {
  Folding Same{Rows.front(), Cols.front()};
  double Most = milliseconds(Same, OwnsInput);
  std::vector<Folding> All;
  std::vector<std::pair<double, size_t>> Order; // time, number in All
  for (const FoldedAxis &Y : Rows)
    for (const FoldedAxis &X : Cols) {
      Folding F{Y, X};
      if (F.phases() == 1)
        continue;
      double Ms = milliseconds(F, /*Packs=*/true);
      if (Ms >= Most)
        continue;
      Order.push_back({Ms, All.size()});
      All.push_back(F);
    }
  llvm::sort(Order);
  std::vector<Folding> Result;
  for (const auto &[Ms, Number] : Order)
    Result.push_back(All[Number]);
  return Result;
}

/// O, KH, KW, C weights in the order of the folded taps and channels.
static std::vector<int8_t> foldWeights(const Layer &TheLayer,
                                       const Folding &F) {
  int64_t C = TheLayer.In.C, Rows = F.Y.Window.Taps, Cols = F.X.Window.Taps;
  std::vector<int8_t> Result(TheLayer.Out.C * Rows * Cols * F.phases() * C,
                             static_cast<int8_t>(TheLayer.WeightZp));
  for (int64_t O = 0; O < TheLayer.Out.C; ++O)
    for (int64_t Ky = 0; Ky < TheLayer.KH; ++Ky)
      for (int64_t Kx = 0; Kx < TheLayer.KW; ++Kx) {
        int64_t Tap = (O * Rows + Ky / F.Y.Phases) * Cols + Kx / F.X.Phases;
        int64_t Phase = Ky % F.Y.Phases * F.X.Phases + Kx % F.X.Phases;
        const int8_t *From =
            &TheLayer.Weights[((O * TheLayer.KH + Ky) * TheLayer.KW + Kx) * C];
        std::copy_n(From, C, &Result[(Tap * F.phases() + Phase) * C]);
      }
  return Result;
}

static accel::PackOp packFolded(accel::PackOp Old, const Layer &TheLayer,
                                const Folding &F) {
  OpBuilder B(Old);
  auto Type = RankedTensorType::get(
      {TheLayer.In.N, F.Y.Window.In, F.X.Window.In, TheLayer.In.C * F.phases()},
      B.getI8Type());
  auto Fold = accel::FoldAttr::get(
      B.getContext(), {F.Y.Phases, F.X.Phases}, {F.Y.Step, F.X.Step},
      {F.Y.Distance, F.X.Distance}, {F.Y.Origin, F.X.Origin}, TheLayer.InputZp);
  return accel::PackOp::create(B, Old.getLoc(), Type, Old.getInput(),
                               Old.getPermutationAttr(), Old.getOffsetAttr(),
                               Fold);
}

static void fold(accel::ContractOp Op, accel::PackOp Pack,
                 const Layer &TheLayer, const Folding &F) {
  OpBuilder B(Op);
  std::vector<int8_t> Values = foldWeights(TheLayer, F);
  const Axis &Y = F.Y.Window, &X = F.X.Window;
  auto Type = RankedTensorType::get(
      {TheLayer.Out.C, Y.Taps, X.Taps, TheLayer.In.C * F.phases()},
      B.getI8Type());
  Value Weights = tosa::ConstOp::create(
      B, Op.getWeights().getLoc(), Type,
      DenseElementsAttr::get(Type, ArrayRef<int8_t>(Values)));
  Op.getInputMutable().assign(packFolded(Pack, TheLayer, F));
  Op.getWeightsMutable().assign(Weights);
  Op.setStride({Y.Stride, X.Stride});
  Op.setDilation({Y.Dilation, X.Dilation});
  Op.setPad({Y.Low, Y.High, X.Low, X.High});
  if (Pack->use_empty())
    Pack.erase();
}

namespace {
struct AccelFoldWindows : tenon::impl::AccelFoldWindowsBase<AccelFoldWindows> {
  using AccelFoldWindowsBase::AccelFoldWindowsBase;
  void runOnOperation() override;
};
} // namespace

void AccelFoldWindows::runOnOperation() {
  Machine &TheMachine = getAnalysis<Machine>();
  markAnalysesPreserved<Machine>();
  if (failed(TheMachine.check()))
    return signalPassFailure();
  SmallVector<accel::ContractOp> Convolutions;
  getOperation().walk([&](accel::ContractOp Op) {
    auto Pack = Op.getInput().getDefiningOp<accel::PackOp>();
    if (Pack && !Pack.getFold() && Op.getGroups() == 1)
      Convolutions.push_back(Op);
  });
  for (accel::ContractOp Op : Convolutions) {
    auto Pack = Op.getInput().getDefiningOp<accel::PackOp>();
    auto TheLayer = describeLayer(Op);
    if (failed(TheLayer))
      return signalPassFailure();
    Candidates Ways(TheMachine, *TheLayer, Pack->hasOneUse());
    for (const Folding &F : Ways.cheaper()) {
      if (!TheMachine.answer(attributeOf(&getContext(), Ways.folded(F))).fits())
        continue;
      fold(Op, Pack, *TheLayer, F);
      ++NumFolded;
      break;
    }
  }
}
