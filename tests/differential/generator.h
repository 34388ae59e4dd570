// Part of Tenon, under the Apache License v2.0.
//
// Draws the instructions of a random program, one at a time.

#ifndef TESTS_DIFFERENTIAL_GENERATOR_H
#define TESTS_DIFFERENTIAL_GENERATOR_H

#include "tests/differential/random.h"
#include "tests/differential/random_program.h"
#include "tests/differential/stream_builder.h"

#include <array>
#include <memory>
#include <vector>

namespace tenon::differential {

/// Elements [begin, begin+size) of a scratchpad that a program uses.
struct Window {
  uint32_t begin, size;
};

/// Where things lie in DRAM, in beats.
struct DramPlan {
  uint32_t data, dataBeats;     // random bytes; LOADs read, STOREs write it
  uint32_t prm, prmElements;    // legal parameters; the first is the identity
  uint32_t uops, uopBeats;      // micro-op tables
  uint32_t output, outputBeats; // what the end of the program stores
  uint32_t beats;
};

class Generator {
public:
  Generator(const isa::Layout &layout, uint64_t seed, uint32_t size);
  RandomProgram generate();

private:
  // One operand of a micro-op over the loops: steps and the offset of each
  // micro-op from the window's begin.
  struct Axis {
    uint32_t outer = 0, inner = 0;
    std::vector<uint32_t> offsets;
  };
  struct Nest {
    uint32_t uops, outer, inner;
  };

  Window window(Space space) const { return windows[size_t(space)]; }
  Window draw(uint32_t entries, uint32_t most);
  void planWindows();
  void planDram(uint32_t size);
  void fillDram();
  void writeWord(uint64_t offset, uint32_t word);
  void writeParameters(uint32_t element, bool identity);

  // generate_memory.cpp
  void loadWindow(isa::Memory memory);
  uint32_t fit(isa::Load &load, uint32_t room);
  void randomLoad();
  void randomParameterLoad();
  void randomStore();
  bool fitStrides(uint32_t beats, uint32_t &ySize, uint32_t &xSize,
                  uint32_t &yStride, uint32_t &xStride, bool overlap);

  // generate_compute.cpp
  Nest drawNest();
  Axis drawAxis(Window window, const Nest &nest);
  void repeatDestinations(Axis &dst);
  void dependOn(Axis &src, const Axis &dst);
  /// Writes the table to DRAM and loads it; the first micro-op's index.
  uint32_t loadUops(bool gemm, const std::vector<isa::MicroOp> &uops);
  void set(isa::Engine engine, uint32_t number, int32_t value);
  void randomBase(isa::Engine engine);
  void randomGemm();
  void randomAlu();
  void drawOperation(isa::Alu &alu);
  void randomRegisters(const isa::Alu &alu);
  void clampAcc();

  // generate_extremes.cpp
  void randomExtreme();
  isa::MicroOp smallUop(bool gemm);
  void extremeLoad();
  uint32_t fillOut();
  void extremeStore();
  void clearBase(isa::Engine engine);
  template <typename Instruction>
  void extremeLoops(Instruction in, bool gemm, isa::MicroOp uop);
  void repeatLine(bool gemm, uint32_t beat);
  void extremeBase();
  void extremeRegister();

  // generate_ends.cpp
  void prologue();
  void epilogue();
  void resetAlu();
  void storeOut(uint32_t count);
  void showAcc();
  void showInputs();
  isa::Alu overAcc(isa::AluOp op, isa::Target target, uint32_t begin,
                   uint32_t count);

  const isa::Layout layout;
  Random random;
  uint32_t size;
  std::array<Window, spaceCount> windows;
  DramPlan plan;
  std::vector<uint8_t> dram;
  std::unique_ptr<StreamBuilder> builder;
  uint32_t nextUopBeat = 0, nextOutputBeat = 0;
  std::array<isa::MicroOp, isa::engineCount> base; // in the base registers
};

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_GENERATOR_H
