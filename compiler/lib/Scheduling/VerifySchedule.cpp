//===- VerifySchedule.cpp - Do instructions solve the problem? ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Counts what the instructions of a layer store and compute. Nothing of the
// lowering is used: results and work follow from shapes.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/InputBlocks.h"
#include "tenon/Scheduling/ScheduleProblem.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// Vectors of BATCH x BLOCK_OUT, or products of blocks, that engines work on.
struct Work {
  uint64_t Products = 0;   ///< GEMM: vector and block of weights
  uint64_t Elements = 0;   ///< ALU: elements of windows, vector by vector
  uint64_t Results = 0;    ///< ALU: requantised vectors
  uint64_t Subtracted = 0; ///< ALU: vectors that sums of weights are taken from
};

class Verification {
public:
  explicit Verification(const isa::Layout &L) : L(L), Dram(L) {}

  void expect(const Layer &TheLayer);
  llvm::Error take(const isa::Instruction &Inst);
  llvm::Error finish();

private:
  void store(const isa::Store &I);
  template <typename Instruction> uint64_t iterations(const Instruction &I) {
    return uint64_t(I.outerCount) * I.innerCount * I.uopCount;
  }

  const isa::Layout &L;
  ViewLayout Dram;
  Work Wanted, Done;
  uint64_t ProductsOfSums = 0; ///< of one vector of sums of weights
  std::vector<uint64_t> WantedStores, Stores; ///< byte offsets of vectors
};
} // namespace

void Verification::expect(const Layer &TheLayer) {
  const TensorView &Out = TheLayer.Out;
  uint32_t Block = L.config.block_out(), Blocks = ceilDiv(Out.C, Block);
  uint64_t Vectors = uint64_t(Dram.groups(Out)) * Out.H * Out.W * Blocks;
  uint64_t Window = TheLayer.KH * TheLayer.KW;
  Wanted.Results += Vectors;
  if (TheLayer.isContract()) {
    uint64_t Products = Window * InputBlocks(L, TheLayer).count();
    Wanted.Products += Vectors * Products;
    if (TheLayer.needsWeightSums()) {
      Wanted.Subtracted += Vectors;
      ProductsOfSums = Products;
    }
  } else if (!TheLayer.isCopy() || TheLayer.multiplies()) {
    Wanted.Elements += Vectors * Window;
  }
  for (uint32_t Group = 0; Group < Dram.groups(Out); ++Group)
    for (uint32_t Piece = 0; Piece < Blocks; ++Piece)
      for (int64_t Y = 0; Y < Out.H; ++Y)
        for (int64_t X = 0; X < Out.W; ++X)
          WantedStores.push_back(Dram.address(Out, Group, Piece, Block, Y, X));
}

void Verification::store(const isa::Store &I) {
  for (uint64_t Y = 0; Y < I.ySize; ++Y)
    for (uint64_t X = 0; X < I.xSize; ++X)
      Stores.push_back((I.dram + Y * I.yStride + X * I.xStride) * L.beatBytes);
}

llvm::Error Verification::take(const isa::Instruction &Inst) {
  if (auto Status = isa::validate(L, Inst); !Status.ok())
    return llvm::createStringError(std::string(Status.message()));
  if (auto *I = std::get_if<isa::Store>(&Inst))
    store(*I);
  if (auto *I = std::get_if<isa::Gemm>(&Inst))
    Done.Products += iterations(*I);
  if (auto *I = std::get_if<isa::Alu>(&Inst)) {
    bool IsResult = I->op == isa::AluOp::Quant || I->op == isa::AluOp::QuantAdd;
    bool TakesSums = I->op == isa::AluOp::Sub;
    (IsResult    ? Done.Results
     : TakesSums ? Done.Subtracted
                 : Done.Elements) += iterations(*I);
    // Each vector of sums that it reads had to be made.
    if (TakesSums)
      Wanted.Products += (I->srcOuter ? I->outerCount : 1) *
                         (I->srcInner ? I->innerCount : 1) * ProductsOfSums;
  }
  return llvm::Error::success();
}

/// The first element that the two sorted lists do not share.
static std::optional<uint64_t> firstOdd(const std::vector<uint64_t> &A,
                                        const std::vector<uint64_t> &B) {
  auto [X, Y] = std::mismatch(A.begin(), A.end(), B.begin(), B.end());
  if (X == A.end() && Y == B.end())
    return std::nullopt;
  return X == A.end() ? *Y : Y == B.end() ? *X : std::min(*X, *Y);
}

llvm::Error Verification::finish() {
  auto compare = [](const char *What, uint64_t Got, uint64_t Want) {
    return Got == Want
               ? llvm::Error::success()
               : llvm::createStringError("%s: expected %llu, found %llu", What,
                                         (unsigned long long)Want,
                                         (unsigned long long)Got);
  };
  if (auto E =
          compare("products of blocks on GEMM", Done.Products, Wanted.Products))
    return E;
  if (auto E = compare("elements of windows on the ALU", Done.Elements,
                       Wanted.Elements))
    return E;
  if (auto E = compare("vectors that sums of weights are taken from",
                       Done.Subtracted, Wanted.Subtracted))
    return E;
  if (auto E = compare("requantised vectors", Done.Results, Wanted.Results))
    return E;
  std::sort(Stores.begin(), Stores.end());
  std::sort(WantedStores.begin(), WantedStores.end());
  if (auto Byte = firstOdd(Stores, WantedStores))
    return llvm::createStringError(
        "byte %llu of DRAM: expected each vector of the result stored once and "
        "nothing else",
        (unsigned long long)*Byte);
  return llvm::Error::success();
}

llvm::Error
ScheduleProblem::verify(const std::vector<StreamInstruction> &Stream,
                        uint32_t LayerIndex) const {
  Verification V(L);
  for (const Layer &TheLayer : Layers)
    V.expect(TheLayer);
  for (const StreamInstruction &I : Stream)
    if (I.Layer == LayerIndex)
      if (auto E = V.take(I.Inst))
        return E;
  return V.finish();
}
