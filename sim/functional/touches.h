// Part of Tenon, under the Apache License v2.0.
//
// Every element that an instruction touches, one after the other, as the
// machine does: the race detector's view of what was executed. It follows the
// iterations and knows nothing of isa/accesses.h, whose independent check the
// detector is.

#ifndef SIM_FUNCTIONAL_TOUCHES_H
#define SIM_FUNCTIONAL_TOUCHES_H

#include "sim/functional/loops.h"
#include "sim/functional/state.h"
#include "sim/functional/transfer.h"

#include <cstdint>
#include <optional>
#include <variant>

namespace tenon::sim::functional {

/// What can be touched, in elements; micro-ops one by one, DRAM in beats.
enum class Memory : uint8_t {
  UopGemm,
  UopAlu,
  Inp,
  Wgt,
  Dwt,
  Acc,
  Prm,
  Out,
  Dram
};
constexpr unsigned memoryCount = 9;

/// Calls visit(Memory, index, isWrite) in the order of the machine: within an
/// iteration reads first; a run of equal destinations writes where it ends.
/// `state` has just executed the instruction.
template <typename Visit> class Touches {
public:
  Touches(const State &state, Visit &visit) : state(state), visit(visit) {}

  void of(const isa::Load &load) {
    const isa::Layout &layout = state.layout;
    transfer(load, layout.transferBytes(load.memory), false);
    uint64_t rows = uint64_t(load.padTop) + load.ySize + load.padBottom;
    uint64_t columns = uint64_t(load.padLeft) + load.xSize + load.padRight;
    Memory memory = targetOf(load.memory);
    bool microOps = memory == Memory::UopGemm || memory == Memory::UopAlu;
    uint64_t each = microOps ? layout.uopsPerBeat : 1;
    for (uint64_t i = 0; i < rows * columns * each; ++i)
      visit(memory, load.sram * each + i, true);
  }

  void of(const isa::Store &store) {
    for (uint64_t i = 0; i < uint64_t(store.ySize) * store.xSize; ++i)
      visit(Memory::Out, store.sram + i, false);
    transfer(store, state.layout.outBytes, true);
  }

  void of(const isa::Gemm &gemm) {
    microOps(Memory::UopGemm, gemm.uopBegin, gemm.uopCount);
    runs(!gemm.first, [&](uint32_t src, uint32_t third) {
      visit(Memory::Inp, src, false);
      visit(Memory::Wgt, third, false);
    });
  }

  void of(const isa::Alu &alu) {
    microOps(Memory::UopAlu, alu.uopBegin, alu.uopCount);
    if (isa::isReducing(alu))
      runs(!alu.first, [&](uint32_t src, uint32_t third) {
        visit(Memory::Acc, src, false);
        if (alu.op == isa::AluOp::Mac)
          visit(Memory::Dwt, third, false);
      });
    else
      forEachIteration(state.loops,
                       [&](uint32_t dst, uint32_t src, uint32_t third) {
                         plain(alu, dst, src, third);
                         return true;
                       });
  }

  void of(const isa::Set &) {}
  void of(const isa::Finish &) {}

private:
  static Memory targetOf(isa::Memory memory) {
    constexpr Memory targets[] = {Memory::UopGemm, Memory::UopAlu, Memory::Inp,
                                  Memory::Wgt,     Memory::Dwt,    Memory::Acc,
                                  Memory::Acc,     Memory::Prm};
    return targets[unsigned(memory)];
  }

  template <typename Instruction>
  void transfer(const Instruction &in, uint32_t elementBytes, bool isWrite) {
    uint64_t beat = state.layout.beatBytes;
    Transfer elements(in, beat, elementBytes);
    for (uint64_t y = 0; y < in.ySize; ++y)
      for (uint64_t x = 0; x < in.xSize; ++x)
        for (uint64_t b = 0; b < elementBytes / beat; ++b)
          visit(Memory::Dram, elements.address(y, x) / beat + b, isWrite);
  }

  void microOps(Memory memory, uint32_t begin, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      visit(memory, begin + i, false);
  }

  template <typename Read> void runs(bool readsStart, Read &&read) {
    std::optional<uint32_t> run;
    forEachIteration(state.loops,
                     [&](uint32_t dst, uint32_t src, uint32_t third) {
                       if (run != dst) {
                         if (run)
                           visit(Memory::Acc, *run, true);
                         if (readsStart)
                           visit(Memory::Acc, dst, false);
                         run = dst;
                       }
                       read(src, third);
                       return true;
                     });
    visit(Memory::Acc, *run, true);
  }

  void plain(const isa::Alu &alu, uint32_t dst, uint32_t src, uint32_t third) {
    bool quant = alu.op == isa::AluOp::Quant || alu.op == isa::AluOp::QuantAdd;
    bool immediate = alu.operand == isa::Operand::Immediate;
    if (alu.op != isa::AluOp::Mov || !immediate)
      visit(Memory::Acc, src, false);
    if (alu.op != isa::AluOp::Mov && !immediate)
      visit(Memory::Acc, dst, false);
    if (quant)
      visit(Memory::Prm, third, false);
    if (alu.op == isa::AluOp::QuantAdd)
      visit(Memory::Acc,
            (src + uint32_t(state.reg(isa::AluRegister::OperandOffset))) &
                (state.layout.config.acc_entries() - 1),
            false);
    visit(alu.target == isa::Target::Inp   ? Memory::Inp
          : alu.target == isa::Target::Out ? Memory::Out
                                           : Memory::Acc,
          dst, true);
  }

  const State &state;
  Visit &visit;
};

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_TOUCHES_H
