//===- DramPlan.cpp - Places of activations in DRAM -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DramPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace tenon::scheduling;

using Tensor = DramPlan::Tensor;

static bool coexist(const Tensor &A, const Tensor &B) {
  return A.Begin <= B.End && B.Begin <= A.End;
}

llvm::Error DramPlan::check() const {
  if (Alignment == 0)
    return llvm::createStringError("the alignment is 0");
  for (const Tensor &T : Tensors)
    if (T.End < T.Begin)
      return llvm::createStringError("tensor %s ends before it begins",
                                     T.Name.c_str());
  return llvm::Error::success();
}

void DramPlan::solve() {
  std::vector<size_t> Order(Tensors.size());
  std::iota(Order.begin(), Order.end(), 0);
  llvm::sort(Order, [&](size_t A, size_t B) {
    return std::pair(Tensors[B].Size, A) < std::pair(Tensors[A].Size, B);
  });
  std::vector<const Tensor *> Placed;
  for (size_t I : Order) {
    Tensor &T = Tensors[I];
    T.Offset = 0;
    // Placed is sorted by offset: step over everything that is in the way.
    for (const Tensor *P : Placed)
      if (coexist(T, *P) && P->Offset < T.Offset + T.Size)
        T.Offset =
            std::max(T.Offset, llvm::alignTo(P->Offset + P->Size, Alignment));
    auto At = llvm::upper_bound(
        Placed, T.Offset,
        [](uint64_t Offset, const Tensor *P) { return Offset < P->Offset; });
    Placed.insert(At, &T);
  }
}

llvm::Error DramPlan::verify() const {
  for (size_t I = 0; I < Tensors.size(); ++I) {
    const Tensor &A = Tensors[I];
    if (A.Offset % Alignment)
      return llvm::createStringError("tensor %s is not aligned",
                                     A.Name.c_str());
    for (size_t J = 0; J < I; ++J) {
      const Tensor &B = Tensors[J];
      if (coexist(A, B) && A.Offset < B.Offset + B.Size &&
          B.Offset < A.Offset + A.Size)
        return llvm::createStringError(
            "tensors %s and %s are needed at one time and overlap",
            B.Name.c_str(), A.Name.c_str());
    }
  }
  return llvm::Error::success();
}

std::vector<size_t> DramPlan::beyond(uint64_t Room) const {
  std::vector<size_t> Result;
  if (bytes() <= Room)
    return Result;
  auto EndsLast = [&](const Tensor &T) { return T.Offset + T.Size == bytes(); };
  const Tensor &Last = *llvm::find_if(Tensors, EndsLast);
  for (size_t I = 0; I < Tensors.size(); ++I)
    if (coexist(Tensors[I], Last))
      Result.push_back(I);
  return Result;
}

uint64_t DramPlan::bytes() const {
  uint64_t End = 0;
  for (const Tensor &T : Tensors)
    End = std::max(End, T.Offset + T.Size);
  return End;
}

std::string DramPlan::text() const {
  std::string Result;
  for (const Tensor &T : Tensors)
    Result += llvm::formatv("{0} [{1}, {2}] {3} + {4}\n", T.Name, T.Begin,
                            T.End, T.Offset, T.Size)
                  .str();
  return Result;
}
