// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/regions.h"

namespace tenon::differential {

using sim::functional::State;

uint64_t spaceEntries(const isa::Layout &layout, Space space,
                      uint64_t dramBytes) {
  const isa::Configuration &c = layout.config;
  switch (space) {
  case Space::UopGemm:
  case Space::UopAlu:
    return c.uop_entries();
  case Space::Inp:
    return c.inp_entries();
  case Space::Wgt:
    return c.wgt_entries();
  case Space::Dwt:
    return c.dwt_entries();
  case Space::Acc:
    return c.acc_entries();
  case Space::Prm:
    return c.prm_entries();
  case Space::Out:
    return c.out_entries();
  case Space::Dram:
    return dramBytes / layout.beatBytes;
  }
  return 0;
}

namespace {

class Walk {
public:
  explicit Walk(const State &state) : state(state), layout(state.layout) {}

  std::vector<Access> accesses;

  void operator()(const isa::Load &load) {
    uint64_t beats = layout.transferBytes(load.memory) / layout.beatBytes;
    touchDram(load, beats, false);
    uint64_t rows = load.padTop + load.ySize + load.padBottom;
    uint64_t columns = load.padLeft + load.xSize + load.padRight;
    bool uops = load.memory == isa::Memory::UopGemm ||
                load.memory == isa::Memory::UopAlu;
    uint64_t each = uops ? layout.uopsPerBeat : 1;
    touch(spaceOf(load.memory), load.sram * each, rows * columns * each, true);
  }

  void operator()(const isa::Store &store) {
    touch(Space::Out, store.sram, uint64_t(store.ySize) * store.xSize, false);
    touchDram(store, layout.outBytes / layout.beatBytes, true);
  }

  void operator()(const isa::Gemm &gemm) {
    touch(Space::UopGemm, gemm.uopBegin, gemm.uopCount, false);
    isa::MicroOp base = isa::decodeGemmUop(
        layout, uint32_t(state.reg(isa::GemmRegister::GemmBase)));
    iterate(gemm, base, state.uopGemm, [&](const Step &step) {
      read(Space::Inp, step.src);
      read(Space::Wgt, step.third);
      if (step.startsRun && !gemm.first)
        read(Space::Acc, step.dst);
      if (step.endsRun)
        write(Space::Acc, step.dst);
    });
  }

  void operator()(const isa::Alu &alu) {
    touch(Space::UopAlu, alu.uopBegin, alu.uopCount, false);
    isa::MicroOp base = isa::decodeAluUop(
        layout, uint32_t(state.reg(isa::AluRegister::AluBase)));
    iterate(alu, base, state.uopAlu,
            [&](const Step &step) { touchAlu(alu, step); });
  }

  void operator()(const isa::Set &) {}
  void operator()(const isa::Finish &) {}

private:
  // An iteration; a run is a longest sequence of equal destinations.
  struct Step {
    uint64_t dst, src, third;
    bool startsRun = true, endsRun = true;
  };

  void read(Space space, uint64_t index) {
    accesses.push_back({space, index, false});
  }
  void write(Space space, uint64_t index) {
    accesses.push_back({space, index, true});
  }
  void touch(Space space, uint64_t begin, uint64_t count, bool isWrite) {
    for (uint64_t i = 0; i < count; ++i)
      accesses.push_back({space, begin + i, isWrite});
  }

  template <typename Instruction>
  void touchDram(const Instruction &in, uint64_t beats, bool isWrite) {
    for (uint64_t y = 0; y < in.ySize; ++y)
      for (uint64_t x = 0; x < in.xSize; ++x)
        touch(Space::Dram, in.dram + y * in.yStride + x * in.xStride, beats,
              isWrite);
  }

  template <typename Instruction, typename Visit>
  void iterate(const Instruction &in, isa::MicroOp base,
               const std::vector<isa::MicroOp> &uops, Visit &&visit) {
    std::vector<Step> steps;
    for (uint64_t i = 0; i < in.outerCount; ++i)
      for (uint64_t j = 0; j < in.innerCount; ++j)
        for (uint64_t k = 0; k < in.uopCount; ++k) {
          // A range outside the memory is refused when it is executed.
          isa::MicroOp uop = in.uopBegin + k < uops.size()
                                 ? uops[in.uopBegin + k]
                                 : isa::MicroOp();
          steps.push_back(
              {uint64_t(base.dst) + uop.dst + i * in.dstOuter + j * in.dstInner,
               uint64_t(base.src) + uop.src + i * in.srcOuter + j * in.srcInner,
               uint64_t(base.third) + uop.third + i * in.thirdOuter +
                   j * in.thirdInner});
        }
    for (size_t i = 1; i < steps.size(); ++i)
      steps[i].startsRun = steps[i - 1].endsRun =
          steps[i].dst != steps[i - 1].dst;
    for (const Step &step : steps)
      visit(step);
  }

  // A reducing operation keeps its value through a run: what it reads of the
  // destination in between, as a source, is the value from before.
  void touchAlu(const isa::Alu &alu, const Step &step) {
    auto [dst, src, third, startsRun, endsRun] = step;
    bool immediate = alu.operand == isa::Operand::Immediate;
    if (alu.op != isa::AluOp::Mov || !immediate)
      read(Space::Acc, src);
    if (alu.op == isa::AluOp::Mac)
      read(Space::Dwt, third);
    if (alu.op == isa::AluOp::Quant || alu.op == isa::AluOp::QuantAdd)
      read(Space::Prm, third);
    if (alu.op == isa::AluOp::QuantAdd)
      read(Space::Acc,
           (src + uint32_t(state.reg(isa::AluRegister::OperandOffset))) %
               layout.config.acc_entries());
    if (isa::isReducing(alu) ? startsRun && !alu.first
                             : !immediate && alu.op != isa::AluOp::Mov)
      read(Space::Acc, dst);
    if (isa::isReducing(alu) && !endsRun)
      return;
    write(alu.target == isa::Target::Acc   ? Space::Acc
          : alu.target == isa::Target::Inp ? Space::Inp
                                           : Space::Out,
          dst);
  }

  static Space spaceOf(isa::Memory memory) {
    switch (memory) {
    case isa::Memory::UopGemm:
      return Space::UopGemm;
    case isa::Memory::UopAlu:
      return Space::UopAlu;
    case isa::Memory::Inp:
      return Space::Inp;
    case isa::Memory::Wgt:
      return Space::Wgt;
    case isa::Memory::Dwt:
      return Space::Dwt;
    case isa::Memory::Acc:
    case isa::Memory::Acc8:
      return Space::Acc;
    case isa::Memory::Prm:
      return Space::Prm;
    }
    return Space::Dram;
  }

  const State &state;
  const isa::Layout &layout;
};

} // namespace

std::vector<Access> accessesOf(const isa::Instruction &instruction,
                               const State &state) {
  Walk walk(state);
  std::visit(walk, instruction);
  return std::move(walk.accesses);
}

} // namespace tenon::differential
