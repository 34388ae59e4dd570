//===- Accesses.cpp - What an instruction reads and writes ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Accesses.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

static constexpr unsigned number(isa::Memory M) {
  // acc8 is ACC seen by LOAD.
  return unsigned(M == isa::Memory::Acc8 ? isa::Memory::Acc : M);
}

AccessWalker::AccessWalker(const isa::Layout &L,
                           const std::vector<Segment> &Segments)
    : L(L), Segments(Segments), GemmUops(L.config.uop_entries()),
      AluUops(L.config.uop_entries()) {
  uint32_t Largest = 0;
  for (unsigned M = 0; M < isa::memoryCount; ++M)
    Largest = std::max(Largest, L.entries(isa::Memory(M)));
  Largest = std::max(Largest, L.config.out_entries());
  for (isa::UnitSet *Marks : {&Dst, &Src, &Third, &Loops})
    *Marks = isa::UnitSet(Largest);
}

llvm::Error AccessWalker::checkRange(const char *What, uint64_t End,
                                     uint64_t Entries) {
  if (End <= Entries)
    return llvm::Error::success();
  return llvm::createStringError(
      "%s: index %llu is outside the memory of %llu entries", What,
      (unsigned long long)End - 1, (unsigned long long)Entries);
}

void AccessWalker::emit(isa::UnitSet &Marks, unsigned Memory, bool IsWrite,
                        std::vector<Access> &To) {
  for (isa::Interval Run : Marks.take())
    To.push_back(
        {Memory, uint32_t(Run.begin), uint32_t(Run.end - Run.begin), IsWrite});
}

llvm::Error AccessWalker::fetchUops(uint64_t Beat, uint32_t Line,
                                    uint32_t Lines,
                                    std::vector<uint32_t> &Memory) {
  uint64_t Byte = Beat * L.beatBytes, Bytes = uint64_t(Lines) * L.beatBytes;
  for (const Segment &S : Segments) {
    if (Byte < S.Offset || Byte + Bytes > S.Offset + S.Data.size())
      continue;
    for (uint64_t I = 0; I < Bytes; I += 4) {
      const uint8_t *P = &S.Data[Byte - S.Offset + I];
      Memory[Line * L.uopsPerBeat + I / 4] =
          P[0] | P[1] << 8 | P[2] << 16 | uint32_t(P[3]) << 24;
    }
    return llvm::Error::success();
  }
  return llvm::createStringError("micro-ops at beat %llu are no constant",
                                 (unsigned long long)Beat);
}

/// Beats of a strided transfer, rows joined where they touch.
static void dramAccess(uint64_t Dram, uint32_t Rows, uint32_t Cols,
                       uint64_t YStride, uint64_t XStride, uint64_t Beats,
                       bool IsWrite, std::vector<Access> &To) {
  auto add = [&](uint64_t Begin, uint64_t Count) {
    if (!To.empty() && To.back().Memory == DramMemory &&
        To.back().IsWrite == IsWrite &&
        To.back().Begin + To.back().Count == Begin) {
      To.back().Count += Count;
      return;
    }
    To.push_back({DramMemory, uint32_t(Begin), uint32_t(Count), IsWrite});
  };
  for (uint32_t Y = 0; Y < Rows; ++Y) {
    uint64_t Row = Dram + Y * YStride;
    if (XStride == Beats) {
      add(Row, Cols * Beats);
      continue;
    }
    for (uint32_t X = 0; X < Cols; ++X)
      add(Row + X * XStride, Beats);
  }
}

llvm::Error AccessWalker::load(const isa::Load &I, std::vector<Access> &To) {
  uint64_t Rows = I.padTop + I.ySize + I.padBottom;
  uint64_t Cols = I.padLeft + I.xSize + I.padRight;
  if (auto E = checkRange("load", I.sram + Rows * Cols, L.entries(I.memory)))
    return E;
  dramAccess(I.dram, I.ySize, I.xSize, I.yStride, I.xStride,
             L.transferBytes(I.memory) / L.beatBytes, false, To);
  To.push_back({number(I.memory), I.sram, uint32_t(Rows * Cols), true});
  if (I.memory != isa::Memory::UopGemm && I.memory != isa::Memory::UopAlu)
    return llvm::Error::success();
  return fetchUops(I.dram, I.sram, I.ySize * I.xSize,
                   I.memory == isa::Memory::UopGemm ? GemmUops : AluUops);
}

void AccessWalker::store(const isa::Store &I, std::vector<Access> &To) {
  To.push_back({OutMemory, I.sram, I.ySize * I.xSize, false});
  dramAccess(I.dram, I.ySize, I.xSize, I.yStride, I.xStride,
             L.outBytes / L.beatBytes, true, To);
}

namespace {
/// Largest index of one kind that the loops reach, for bounds.
struct Reach {
  uint64_t Dst = 0, Src = 0, Third = 0;
};
} // namespace

/// Adds what one index of an instruction names, whatever the others do: what
/// the loops reach from 0, which doubles until it has every iteration, from
/// each micro-op on.
template <typename Instruction, typename Number>
void AccessWalker::addIndex(const Instruction &I, uint64_t OuterStep,
                            uint64_t InnerStep,
                            const std::vector<isa::MicroOp> &Uops,
                            Number isa::MicroOp::*Of, isa::UnitSet &To) {
  Loops.add(0);
  auto Repeat = [&](uint64_t Step, uint64_t Count) {
    for (uint64_t Done = 1; Step && Done < Count;) {
      const uint64_t More = std::min(Done, Count - Done);
      Loops.addShifted(Loops, More * Step);
      Done += More;
    }
  };
  Repeat(InnerStep, I.innerCount);
  Repeat(OuterStep, I.outerCount);
  for (size_t At = 0; At < Uops.size(); ++At)
    if (At == 0 || Uops[At].*Of != Uops[At - 1].*Of)
      To.addShifted(Loops, Uops[At].*Of);
  Loops.clear();
}

template <typename Instruction>
static Reach reach(const Instruction &I,
                   const std::vector<isa::MicroOp> &Uops) {
  Reach R;
  uint64_t Y = I.outerCount - 1, X = I.innerCount - 1;
  for (const isa::MicroOp &U : Uops) {
    R.Dst = std::max(R.Dst, Y * I.dstOuter + X * I.dstInner + U.dst);
    R.Src = std::max(R.Src, Y * I.srcOuter + X * I.srcInner + U.src);
    R.Third = std::max(R.Third, Y * I.thirdOuter + X * I.thirdInner + U.third);
  }
  return R;
}

/// The instruction's micro-ops with the base added.
template <typename Instruction, typename Decode>
static std::vector<isa::MicroOp> microOps(const Instruction &I,
                                          const std::vector<uint32_t> &Memory,
                                          uint32_t Base, Decode &&Of) {
  isa::MicroOp B = Of(Base);
  std::vector<isa::MicroOp> Result;
  for (uint32_t K = 0; K < I.uopCount; ++K) {
    isa::MicroOp U = Of(Memory[I.uopBegin + K]);
    Result.push_back({U.dst + B.dst, U.src + B.src, U.third + B.third});
  }
  return Result;
}

static Access uopAccess(const isa::Layout &L, isa::Memory M, uint32_t Begin,
                        uint32_t Count) {
  uint32_t First = Begin / L.uopsPerBeat;
  uint32_t Last = (Begin + Count - 1) / L.uopsPerBeat;
  return {unsigned(M), First, Last - First + 1, false};
}

llvm::Error AccessWalker::gemm(const isa::Gemm &I, std::vector<Access> &To) {
  if (auto E = checkRange("gemm micro-ops", uint64_t(I.uopBegin) + I.uopCount,
                          GemmUops.size()))
    return E;
  auto Uops = microOps(I, GemmUops, GemmBase, [&](uint32_t Word) {
    return isa::decodeGemmUop(L, Word);
  });
  Reach R = reach(I, Uops);
  const isa::Configuration &C = L.config;
  if (auto E = checkRange("gemm destination", R.Dst + 1, C.acc_entries()))
    return E;
  if (auto E = checkRange("gemm input", R.Src + 1, C.inp_entries()))
    return E;
  if (auto E = checkRange("gemm weights", R.Third + 1, C.wgt_entries()))
    return E;
  addIndex(I, I.dstOuter, I.dstInner, Uops, &isa::MicroOp::dst, Dst);
  addIndex(I, I.srcOuter, I.srcInner, Uops, &isa::MicroOp::src, Src);
  addIndex(I, I.thirdOuter, I.thirdInner, Uops, &isa::MicroOp::third, Third);
  To.push_back(uopAccess(L, isa::Memory::UopGemm, I.uopBegin, I.uopCount));
  emit(Dst, number(isa::Memory::Acc), true, To);
  emit(Src, number(isa::Memory::Inp), false, To);
  emit(Third, number(isa::Memory::Wgt), false, To);
  return llvm::Error::success();
}

llvm::Error AccessWalker::alu(const isa::Alu &I, std::vector<Access> &To) {
  if (auto E = checkRange("alu micro-ops", uint64_t(I.uopBegin) + I.uopCount,
                          AluUops.size()))
    return E;
  auto Uops = microOps(I, AluUops, AluBase, [&](uint32_t Word) {
    return isa::decodeAluUop(L, Word);
  });
  bool IsMac = I.op == isa::AluOp::Mac;
  bool HasOperand = I.op == isa::AluOp::QuantAdd;
  bool HasParameters = I.op == isa::AluOp::Quant || HasOperand;
  unsigned Target = I.target == isa::Target::Out   ? OutMemory
                    : I.target == isa::Target::Inp ? number(isa::Memory::Inp)
                                                   : number(isa::Memory::Acc);
  uint64_t TargetEntries = Target == OutMemory ? L.config.out_entries()
                                               : L.entries(isa::Memory(Target));
  uint64_t ThirdEntries = IsMac           ? L.config.dwt_entries()
                          : HasParameters ? L.config.prm_entries()
                                          : ~0ull;
  Reach R = reach(I, Uops);
  if (auto E = checkRange("alu destination", R.Dst + 1, TargetEntries))
    return E;
  if (auto E =
          checkRange("alu source", R.Src + 1 + (HasOperand ? OperandOffset : 0),
                     L.config.acc_entries()))
    return E;
  if (auto E = checkRange("alu third operand", R.Third + 1, ThirdEntries))
    return E;
  bool HasThird = IsMac || HasParameters;
  addIndex(I, I.dstOuter, I.dstInner, Uops, &isa::MicroOp::dst, Dst);
  addIndex(I, I.srcOuter, I.srcInner, Uops, &isa::MicroOp::src, Src);
  if (HasOperand)
    Src.addShifted(Src, OperandOffset);
  if (HasThird)
    addIndex(I, I.thirdOuter, I.thirdInner, Uops, &isa::MicroOp::third, Third);
  To.push_back(uopAccess(L, isa::Memory::UopAlu, I.uopBegin, I.uopCount));
  emit(Dst, Target, true, To);
  emit(Src, number(isa::Memory::Acc), false, To);
  if (HasThird)
    emit(Third, number(IsMac ? isa::Memory::Dwt : isa::Memory::Prm), false, To);
  return llvm::Error::success();
}

llvm::Error AccessWalker::next(const isa::Instruction &Inst,
                               std::vector<Access> &To) {
  if (auto *I = std::get_if<isa::Load>(&Inst))
    return load(*I, To);
  if (auto *I = std::get_if<isa::Store>(&Inst))
    store(*I, To);
  if (auto *I = std::get_if<isa::Gemm>(&Inst))
    return gemm(*I, To);
  if (auto *I = std::get_if<isa::Alu>(&Inst))
    return alu(*I, To);
  if (auto *I = std::get_if<isa::Set>(&Inst)) {
    if (I->engine == isa::Engine::Gemm &&
        I->index == uint32_t(isa::GemmRegister::GemmBase))
      GemmBase = I->value;
    if (I->engine == isa::Engine::Alu &&
        I->index == uint32_t(isa::AluRegister::AluBase))
      AluBase = I->value;
    if (I->engine == isa::Engine::Alu &&
        I->index == uint32_t(isa::AluRegister::OperandOffset))
      OperandOffset = I->value;
  }
  return llvm::Error::success();
}
