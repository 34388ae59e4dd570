//===- Regroup.cpp - Groups of channels as rows ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Regroup.h"

#include "AxisFactors.h"
#include "CandidateReading.h"

using namespace mlir;
using namespace tenon;

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
  Axes Wanted(4);
  append(Wanted[MakesRows ? 1 : 3], {G, MakesRows ? C : W * C});
  append(Wanted[2], {W, MakesRows ? G * C : C});
  append(Wanted[3], {C, 1});
  return *Nhwc == Wanted;
}

bool tenon::isCarried(Value V, BorderFilter Through, const isa::Layout &L) {
  return isSameTensor(V, Through) || isRegrouped(V, Through, L);
}
