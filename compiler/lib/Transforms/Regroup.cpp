//===- Regroup.cpp - Groups of channels as rows ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Reshapes and transpositions are followed axis by axis: each axis is made of
// factors, each with its distance in the tensor at the root.
//
//===----------------------------------------------------------------------===//

#include "Regroup.h"

#include "CandidateReading.h"

using namespace mlir;
using namespace tenon;

namespace {
/// `Size` elements, `Distance` elements of the root apart.
struct Factor {
  int64_t Size, Distance;
  bool operator==(const Factor &F) const {
    return Size == F.Size && Distance == F.Distance;
  }
};
} // namespace
/// From the slowest to the fastest; none of one element.
using Axis = SmallVector<Factor, 2>;
using Axes = SmallVector<Axis, 4>;

static void append(Axis &To, Factor F) {
  if (!To.empty() && To.back().Distance == F.Size * F.Distance)
    To.back() = {To.back().Size * F.Size, F.Distance};
  else if (F.Size != 1)
    To.push_back(F);
}

/// Axes of a tensor whose elements lie in order.
static Axes inOrder(ArrayRef<int64_t> Shape) {
  Axes Result(Shape.size());
  int64_t Distance = 1;
  for (int64_t I = Shape.size(); I-- > 0;) {
    append(Result[I], {Shape[I], Distance});
    Distance *= Shape[I];
  }
  return Result;
}

/// The same elements in the same order as axes of `Shape`; none where a factor
/// would have to be cut unevenly.
static std::optional<Axes> reshaped(const Axes &From, ArrayRef<int64_t> Shape) {
  Axis All;
  for (const Axis &A : From)
    All.append(A);
  Axes Result;
  auto Next = All.begin();
  for (int64_t Extent : Shape) {
    Axis &To = Result.emplace_back();
    while (Extent > 1) {
      int64_t Part = std::min(Extent, Next->Size);
      if (Extent % Part || Next->Size % Part)
        return std::nullopt;
      append(To, {Part, Next->Distance * (Next->Size / Part)});
      Extent /= Part;
      Next->Size /= Part;
      if (Next->Size == 1)
        ++Next;
    }
  }
  return Result;
}

/// `V` by its axes in N, H, W, C of the root; none behind an offset.
static std::optional<Axes> followed(Value V, Value Root) {
  if (V == Root)
    return inOrder(cast<RankedTensorType>(Root.getType()).getShape());
  Operation *Op = V.getDefiningOp();
  auto Before = followed(Op->getOperand(0), Root);
  if (!Before)
    return std::nullopt;
  if (llvm::isa<tosa::ReshapeOp>(Op))
    return reshaped(*Before, cast<RankedTensorType>(V.getType()).getShape());
  auto Transpose = dyn_cast<tosa::TransposeOp>(Op);
  if (!Transpose)
    return std::nullopt;
  Axes Result;
  for (int32_t From : Transpose.getPerms())
    Result.push_back((*Before)[From]);
  return Result;
}

bool tenon::isRegrouped(Value V, BorderFilter Through, const isa::Layout &L) {
  Value Root = borderRoot(V, Through);
  auto To = shapeNHWC(V.getType()), From = shapeNHWC(Root.getType());
  // Rows apart are listed as images, which must not share BATCH.
  if (V == Root || !To || !From || L.config.batch() != 1)
    return false;
  bool MakesRows = (*From)[1] == 1;
  auto [N, G, W, C] = MakesRows ? *To : *From;
  if (N != 1 || G == 1 || C % L.blockMax ||
      (MakesRows ? *From : *To) != ShapeNHWC{1, 1, W, G * C})
    return false;
  auto Is = followed(V, Root);
  auto Nhwc = Is ? reshaped(*Is, *To) : std::nullopt;
  if (!Nhwc)
    return false;
  Axes Wanted = MakesRows ? Axes{{}, {{G, C}}, {{W, G * C}}, {{C, 1}}}
                          : Axes{{}, {}, {{W, C}}, {{G, W * C}, {C, 1}}};
  if (W == 1)
    Wanted[2].clear();
  return *Nhwc == Wanted;
}

bool tenon::isCarried(Value V, BorderFilter Through, const isa::Layout &L) {
  return isSameTensor(V, Through) || isRegrouped(V, Through, L);
}
