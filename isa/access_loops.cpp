// Part of Tenon, under the Apache License v2.0.
//
// GEMM and ALU: two affine loops around a range of micro-ops. An index of
// theirs takes the values i * outer + j * inner + uop, whatever the other
// indices do: a pattern shifted, so that the work does not grow with the
// iterations. Only an ALU instruction that may read its own results is walked
// iteration by iteration, because a run of equal destinations reads its
// destination where it begins and writes it where it ends.

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

// The destination is the first operand.
bool combinesDestination(const Alu &alu) {
  return alu.operand == Operand::Acc && alu.op != AluOp::Mov;
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
          body(at.dst + uop.dst, at.src + uop.src);
        advance(at, innerStep);
      }
      advance(outer, outerStep);
    }
  }
  static void advance(Index &at, const Index &step) {
    at.dst += step.dst;
    at.src += step.src;
  }
};

template <typename Instruction>
absl::StatusOr<AccessWalker::Loop> AccessWalker::makeLoop(const Instruction &in,
                                                          Space uops) {
  bool gemm = uops == Space::UopGemm;
  const std::vector<Slot> &memory = microOps[gemm ? 0 : 1];
  uint64_t end = uint64_t(in.uopBegin) + in.uopCount;
  if (end > memory.size())
    return absl::OutOfRangeError(
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
      return absl::FailedPreconditionError(absl::StrFormat(
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
  return absl::OutOfRangeError(
      absl::StrFormat("%s reaches %s[%d], but there are %d", name,
                      toString(space), largest, entries));
}

void AccessWalker::takeUnits(Accesses &accesses) {
  for (uint32_t space = 0; space < spaceCount; ++space) {
    accesses.reads[space] = used[space].take();
    accesses.writes[space] = written[space].take();
  }
}

// Every unit that one index of the loops names.
void AccessWalker::project(const Loop &loop, uint32_t Index::*index,
                           UnitSet &units) {
  auto repeat = [&](uint64_t step, uint32_t count) {
    for (uint32_t done = 1; step && done < count;) {
      uint32_t more = std::min(done, count - done);
      pattern.addShifted(pattern, more * step);
      done += more;
    }
  };
  pattern.clear();
  pattern.add(0);
  repeat(loop.innerStep.*index, loop.innerCount);
  repeat(loop.outerStep.*index, loop.outerCount);
  uint32_t previous = ~uint32_t{0};
  for (const Index &uop : loop.uops) {
    if (uop.*index != previous)
      units.addShifted(pattern, uop.*index);
    previous = uop.*index;
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
    project(*loop, &Index::dst, writes(Space::Acc));
    if (!gemm.first)
      reads(Space::Acc).addShifted(writes(Space::Acc), 0);
    project(*loop, &Index::src, reads(Space::Inp));
    project(*loop, &Index::third, reads(Space::Wgt));
  }
  takeUnits(accesses);
  if (!status.ok())
    return status;
  return accesses;
}

// All units, those that the instruction has written itself among the reads.
void AccessWalker::walkAll(const Loop &loop, const Alu &alu) {
  Space target = targetSpace(alu);
  project(loop, &Index::dst, writes(target));
  if (isReducing(alu) ? !alu.first : combinesDestination(alu))
    reads(target).addShifted(writes(target), 0);
  if (readsSource(alu))
    project(loop, &Index::src, sources);
  if (alu.op == AluOp::QuantAdd) {
    uint64_t entries = spaceEntries(layout, Space::Acc);
    for (const Interval &units : UnitSet(sources).take())
      for (uint64_t unit = units.begin; unit < units.end; ++unit)
        sources.add((unit + reg(AluRegister::OperandOffset)) % entries);
  }
  reads(Space::Acc).addShifted(sources, 0);
  if (isQuant(alu))
    project(loop, &Index::third, reads(Space::Prm));
  if (alu.op == AluOp::Mac)
    project(loop, &Index::third, reads(Space::Dwt));
}

// Whether it may read what it has written. An instruction of more iterations
// than any program's (a cycle each) is not asked: what it reads of its own
// results then counts as read, which hides nothing.
bool AccessWalker::dependsOnItself(const Loop &loop, const Alu &alu) {
  constexpr uint64_t most = uint64_t{1} << 22;
  bool itself =
      targetSpace(alu) == Space::Acc && sources.intersects(writes(Space::Acc));
  sources.clear();
  return itself &&
         uint64_t(loop.outerCount) * loop.innerCount <= most / loop.uops.size();
}

// mac, and add, min, max with an ACC operand: src inside of a run is the value
// from before the run.
void AccessWalker::walkReducing(const Loop &loop, const Alu &alu) {
  uint64_t run = noRun;
  loop.forEach([&](uint32_t dst, uint32_t src) {
    if (dst != run) {
      if (run != noRun)
        writes(Space::Acc).add(run);
      if (!alu.first)
        read(Space::Acc, dst);
      run = dst;
    }
    read(Space::Acc, src);
  });
  writes(Space::Acc).add(run);
}

// Complete in each iteration.
void AccessWalker::walkPlain(const Loop &loop, const Alu &alu) {
  uint32_t mask = layout.config.acc_entries() - 1;
  loop.forEach([&](uint32_t dst, uint32_t src) {
    if (readsSource(alu))
      read(Space::Acc, src);
    if (combinesDestination(alu))
      read(Space::Acc, dst);
    if (alu.op == AluOp::QuantAdd)
      read(Space::Acc, (src + reg(AluRegister::OperandOffset)) & mask);
    writes(Space::Acc).add(dst);
  });
}

absl::Status AccessWalker::checkBounds(const Loop &loop, const Alu &alu) const {
  absl::Status status = checkBounds(loop, &Index::dst, "dst", targetSpace(alu));
  if (status.ok() && readsSource(alu))
    status = checkBounds(loop, &Index::src, "src", Space::Acc);
  if (status.ok() && (isQuant(alu) || alu.op == AluOp::Mac))
    status = checkBounds(loop, &Index::third, "third",
                         isQuant(alu) ? Space::Prm : Space::Dwt);
  return status;
}

absl::StatusOr<Accesses> AccessWalker::walk(const Alu &alu) {
  Accesses accesses;
  absl::StatusOr<Loop> loop = makeLoop(alu, Space::UopAlu);
  absl::Status status = loop.status();
  if (status.ok())
    status = checkBounds(*loop, alu);
  if (status.ok()) {
    walkAll(*loop, alu);
    if (dependsOnItself(*loop, alu)) {
      reads(Space::Acc).clear();
      writes(Space::Acc).clear();
      isReducing(alu) ? walkReducing(*loop, alu) : walkPlain(*loop, alu);
    }
  }
  takeUnits(accesses);
  if (!status.ok())
    return status;
  return accesses;
}

} // namespace tenon::isa
