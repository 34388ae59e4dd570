// Part of Tenon, under the Apache License v2.0.
//
// GEMM and ALU: two affine loops around a range of micro-ops, walked iteration
// by iteration in the machine's order, because a run of equal destinations
// reads its destination where it begins and writes it where it ends.

#include "isa/accesses.h"

#include "absl/strings/str_format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

constexpr uint64_t noRun = ~uint64_t{0};

Space targetSpace(const Alu &alu) {
  return alu.target == Target::Inp   ? Space::Inp
         : alu.target == Target::Out ? Space::Out
                                     : Space::Acc;
}

bool isQuant(const Alu &alu) {
  return alu.op == AluOp::Quant || alu.op == AluOp::QuantAdd;
}

// A move of an immediate has no source.
bool readsSource(const Alu &alu) {
  return alu.op != AluOp::Mov || alu.operand == Operand::Acc;
}

} // namespace

/// Indices of one iteration, or their steps.
struct AccessWalker::Index {
  uint32_t dst, src, third;
};

/// The iterations of one instruction; base registers are added.
struct AccessWalker::Loop {
  std::vector<Index> uops;
  uint32_t outerCount, innerCount;
  Index outerStep, innerStep;

  template <typename Body> void forEach(Body body) const {
    Index outer{0, 0, 0};
    for (uint32_t i = 0; i < outerCount; ++i) {
      Index at = outer;
      for (uint32_t j = 0; j < innerCount; ++j) {
        for (const Index &uop : uops)
          body(at.dst + uop.dst, at.src + uop.src, at.third + uop.third);
        advance(at, innerStep);
      }
      advance(outer, outerStep);
    }
  }
  static void advance(Index &at, const Index &step) {
    at.dst += step.dst;
    at.src += step.src;
    at.third += step.third;
  }
};

template <typename Instruction>
absl::StatusOr<AccessWalker::Loop> AccessWalker::makeLoop(const Instruction &in,
                                                          Space uops) {
  bool gemm = uops == Space::UopGemm;
  const std::vector<Slot> &memory = microOps[gemm ? 0 : 1];
  uint64_t end = uint64_t(in.uopBegin) + in.uopCount;
  if (end > memory.size())
    return absl::InvalidArgumentError(
        absl::StrFormat("reaches %s[%d], but there are %d", toString(uops),
                        end - 1, memory.size()));
  MicroOp base =
      gemm
          ? decodeGemmUop(
                layout,
                registers[size_t(Engine::Gemm)][size_t(GemmRegister::GemmBase)])
          : decodeAluUop(
                layout,
                registers[size_t(Engine::Alu)][size_t(AluRegister::AluBase)]);
  Loop loop{{},
            in.outerCount,
            in.innerCount,
            {in.dstOuter, in.srcOuter, in.thirdOuter},
            {in.dstInner, in.srcInner, in.thirdInner}};
  for (uint64_t k = in.uopBegin; k < end; ++k) {
    const Slot &slot = memory[k];
    if (slot.kind != Slot::Known)
      return absl::InvalidArgumentError(absl::StrFormat(
          "uses micro-op %s[%d], which %s", toString(uops), k,
          slot.kind == Slot::NeverLoaded
              ? "has never been loaded"
              : "was loaded from DRAM that the program does not define"));
    loop.uops.push_back({base.dst + slot.uop.dst, base.src + slot.uop.src,
                         base.third + slot.uop.third});
    used[size_t(uops)].add(k);
  }
  return loop;
}

// Every step and offset is unsigned, so the largest index decides.
absl::Status AccessWalker::checkBounds(const Loop &loop, uint32_t Index::*index,
                                       absl::string_view name,
                                       Space space) const {
  uint64_t largest = 0;
  for (const Index &uop : loop.uops)
    largest = std::max<uint64_t>(largest, uop.*index);
  largest += uint64_t(loop.outerCount - 1) * (loop.outerStep.*index) +
             uint64_t(loop.innerCount - 1) * (loop.innerStep.*index);
  uint64_t entries = spaceEntries(layout, space);
  if (largest < entries)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s reaches %s[%d], but there are %d", name,
                      toString(space), largest, entries));
}

void AccessWalker::takeUnits(Accesses &accesses) {
  for (uint32_t space = 0; space < spaceCount; ++space) {
    accesses.reads[space] = used[space].take();
    accesses.writes[space] = written[space].take();
  }
}

absl::StatusOr<Accesses> AccessWalker::walk(const Gemm &gemm) {
  Accesses accesses;
  absl::StatusOr<Loop> loop = makeLoop(gemm, Space::UopGemm);
  absl::Status status = loop.status();
  if (status.ok())
    status = checkBounds(*loop, &Index::dst, "dst", Space::Acc);
  if (status.ok())
    status = checkBounds(*loop, &Index::src, "src", Space::Inp);
  if (status.ok())
    status = checkBounds(*loop, &Index::third, "third", Space::Wgt);
  if (status.ok()) {
    uint64_t run = noRun;
    loop->forEach([&](uint32_t dst, uint32_t src, uint32_t third) {
      if (dst != run) {
        if (run != noRun)
          write(Space::Acc, run);
        if (!gemm.first)
          read(Space::Acc, dst);
        run = dst;
      }
      read(Space::Inp, src);
      read(Space::Wgt, third);
    });
    write(Space::Acc, run);
  }
  takeUnits(accesses);
  if (!status.ok())
    return status;
  return accesses;
}

// mac, and add, min, max with an ACC operand: src inside of a run is the value
// from before the run.
void AccessWalker::walkReducing(const Loop &loop, const Alu &alu) {
  uint64_t run = noRun;
  loop.forEach([&](uint32_t dst, uint32_t src, uint32_t third) {
    if (dst != run) {
      if (run != noRun)
        write(Space::Acc, run);
      if (!alu.first)
        read(Space::Acc, dst);
      run = dst;
    }
    read(Space::Acc, src);
    if (alu.op == AluOp::Mac)
      read(Space::Dwt, third);
  });
  write(Space::Acc, run);
}

// Complete in each iteration.
void AccessWalker::walkPlain(const Loop &loop, const Alu &alu) {
  bool readsDestination = alu.operand == Operand::Acc && alu.op != AluOp::Mov;
  uint32_t offset =
      registers[size_t(Engine::Alu)][size_t(AluRegister::OperandOffset)];
  uint32_t mask = layout.config.acc_entries() - 1;
  loop.forEach([&](uint32_t dst, uint32_t src, uint32_t third) {
    if (readsSource(alu))
      read(Space::Acc, src);
    if (readsDestination)
      read(Space::Acc, dst);
    if (isQuant(alu))
      read(Space::Prm, third);
    if (alu.op == AluOp::QuantAdd)
      read(Space::Acc, (src + offset) & mask);
    write(targetSpace(alu), dst);
  });
}

absl::StatusOr<Accesses> AccessWalker::walk(const Alu &alu) {
  Accesses accesses;
  absl::StatusOr<Loop> loop = makeLoop(alu, Space::UopAlu);
  absl::Status status = loop.status();
  if (status.ok())
    status = checkBounds(*loop, &Index::dst, "dst", targetSpace(alu));
  if (status.ok() && readsSource(alu))
    status = checkBounds(*loop, &Index::src, "src", Space::Acc);
  if (status.ok() && (isQuant(alu) || alu.op == AluOp::Mac))
    status = checkBounds(*loop, &Index::third, "third",
                         isQuant(alu) ? Space::Prm : Space::Dwt);
  if (status.ok() && isReducing(alu))
    walkReducing(*loop, alu);
  else if (status.ok())
    walkPlain(*loop, alu);
  takeUnits(accesses);
  if (!status.ok())
    return status;
  return accesses;
}

} // namespace tenon::isa
