//===- StreamBuilder.cpp - The linear stream of one launch ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/StreamBuilder.h"
#include "tenon/Scheduling/Layer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace tenon;
using namespace tenon::scheduling;

uint64_t ConstantPool::add(const std::string &Name, std::vector<uint8_t> Data) {
  uint64_t Hash = llvm::hash_combine_range(Data.begin(), Data.end());
  auto Same = ByHash.equal_range(Hash);
  for (auto It = Same.first; It != Same.second; ++It)
    if (Segments[It->second].Data == Data)
      return Segments[It->second].Offset;
  uint64_t Offset = (End + Alignment - 1) / Alignment * Alignment;
  End = Offset + Data.size();
  ByHash.insert({Hash, Segments.size()});
  Segments.push_back({Name, Offset, std::move(Data)});
  return Offset;
}

StreamBuilder::StreamBuilder(const isa::Layout &L, ConstantPool &Pool, bool Dry)
    : L(L), Limits(L), Pool(Pool), Dry(Dry) {
  for (unsigned M = 0; M < isa::memoryCount; ++M)
    Rings.emplace_back(L.entries(isa::Memory(M)));
  Rings.emplace_back(L.config.out_entries());
  for (unsigned E = 0; E < isa::engineCount; ++E)
    for (unsigned R = 0; R < 16; ++R)
      Registers[E][R] = isa::resetValue(isa::Engine(E), R);
}

uint32_t
StreamBuilder::constant(const std::string &Name,
                        const std::function<std::vector<uint8_t>()> &Pack) {
  return Dry ? 0 : Pool.add(Name, Pack()) / L.beatBytes;
}

void StreamBuilder::set(std::vector<StreamInstruction> &To, isa::Engine Engine,
                        uint32_t Index, uint32_t Value) {
  uint32_t &Held = Registers[unsigned(Engine)][Index];
  if (Held == Value)
    return;
  Held = Value;
  isa::Set Set;
  Set.engine = Engine;
  Set.index = Index;
  Set.value = Value;
  append(To, Set);
}

void StreamBuilder::loadLinear(std::vector<StreamInstruction> &To,
                               isa::Memory M, uint32_t Sram, uint32_t DramBeat,
                               uint32_t Count) const {
  uint32_t Beats = L.transferBytes(M) / L.beatBytes;
  while (Count > 0) {
    isa::Load Load;
    Load.memory = M;
    Load.sram = Sram;
    Load.dram = DramBeat;
    Load.ySize = 1;
    Load.xSize = std::min(Count, Limits.Elements);
    Load.xStride = Beats;
    Count -= Load.xSize;
    Sram += Load.xSize;
    DramBeat += Load.xSize * Beats;
    append(To, Load);
  }
}

uint32_t StreamBuilder::requireUops(StepCode &Code, isa::Memory M,
                                    const std::vector<isa::MicroOp> &Uops) {
  std::vector<uint32_t> Words;
  for (const isa::MicroOp &Uop : Uops)
    Words.push_back(M == isa::Memory::UopGemm ? isa::encodeGemmUop(L, Uop)
                                              : isa::encodeAluUop(L, Uop));
  while (Words.size() % L.uopsPerBeat)
    Words.push_back(0);
  uint32_t Lines = Words.size() / L.uopsPerBeat;
  uint64_t Key = Sequences.insert({{M, Words}, Sequences.size()}).first->second;
  auto &Uses = M == isa::Memory::UopGemm ? Code.GemmUses : Code.AluUses;
  std::optional<Range> Where = ring(M).find(Key);
  if (!Where) {
    // All of a step's are loaded before the first of them is read.
    std::vector<Range> Used;
    for (const Use &U : Uses)
      if (U.Memory == unsigned(M))
        Used.push_back(U.Where);
    Where = ring(M).takeBeside(Used, Lines, Key);
    uint32_t Dram = constant("micro-ops", [&] {
      std::vector<uint8_t> Bytes;
      for (uint32_t Word : Words)
        for (unsigned I = 0; I < 4; ++I)
          Bytes.push_back(Word >> (8 * I));
      return Bytes;
    });
    loadLinear(Code.Early, M, Where->Begin, Dram, Lines);
    Code.Loaded.push_back({unsigned(M), *Where});
    Code.EarlyBeats += Lines;
  }
  Uses.push_back({unsigned(M), *Where});
  return Where->Begin * L.uopsPerBeat;
}

static bool overlap(llvm::ArrayRef<Use> A, llvm::ArrayRef<Use> B) {
  return llvm::any_of(A, [&](const Use &X) {
    return llvm::any_of(B, [&](const Use &Y) {
      return X.Memory == Y.Memory && X.Where.overlaps(Y.Where);
    });
  });
}

void StreamBuilder::emit(std::vector<StreamInstruction> &Code) {
  Stream.insert(Stream.end(), Code.begin(), Code.end());
  Code.clear();
}

void StreamBuilder::flushAlu() {
  if (HeldAlu)
    emit(HeldAlu->Alu);
  HeldAlu.reset();
}

void StreamBuilder::flushGemm() {
  if (!HeldGemm)
    return;
  // The ALU part held back is older: it goes first where they share ACC, and
  // at the latest when the next one takes its place.
  if (HeldAlu && overlap(HeldGemm->GemmUses, HeldAlu->AluUses))
    flushAlu();
  emit(HeldGemm->Gemm);
  flushAlu();
  HeldAlu = std::move(HeldGemm);
  HeldGemm.reset();
}

void StreamBuilder::flush() {
  flushGemm();
  flushAlu();
}

/// Emits all of the steps up to `Step`. Held back are at most the step before
/// the current one, and the ALU part of that before it.
void StreamBuilder::flushUntil(uint64_t Step) {
  if (Step + 1 >= Steps)
    flush();
  else if (Step + 2 >= Steps)
    flushAlu();
}

void StreamBuilder::schedule(StepCode Code) {
  ++Steps;
  if (OnStep)
    OnStep(Code);
  if (Dry)
    return;
  if ((HeldGemm && (overlap(Code.Loaded, HeldGemm->GemmUses) ||
                    overlap(Code.Loaded, HeldGemm->AluUses))) ||
      (HeldAlu && overlap(Code.Loaded, HeldAlu->AluUses)))
    flush();
  emit(Code.Early);
  if (Code.StartsLayer)
    flush();
  if (Code.After)
    flushUntil(Code.After);
  emit(Code.Late);
  flushGemm();
  HeldGemm = std::move(Code);
}

std::vector<StreamInstruction> StreamBuilder::finish() {
  flush();
  append(Stream, isa::Finish{});
  return std::move(Stream);
}
