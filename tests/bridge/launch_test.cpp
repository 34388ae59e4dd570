// Part of Tenon, under the Apache License v2.0.
//
// A whole launch through the serial pins: a program and its data are written,
// the accelerator's RTL runs it out of block RAM, what it stored is read back.

#include "Vbridge_tenon.h"
#include "isa/assembler.h"
#include "tests/bridge/host.h"
#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

namespace tenon::test {
namespace {

// Of STATUS.
constexpr uint32_t done = 1, failed = 4;
constexpr uint32_t fetchFault = uint32_t(isa::Fault::Fetch) << 4;
constexpr uint32_t outsideFault = uint32_t(isa::Fault::OutsideFetch) << 4;
// Of 4 KiB: of block RAM, and of all that there may be.
constexpr uint32_t memoryPages = 10, allPages = 1 << 20;

class LaunchTest : public ::testing::Test, protected Host<Vbridge_tenon> {
protected:
  LaunchTest() : Host(80) {
    EXPECT_EQ(setDivisor(1).status, 0);
    std::string path = TENON_SOURCE_DIR "/tests/programs/dram_round_trip.tasm";
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    auto assembled = isa::assembleProgram(text.str(), path);
    EXPECT_TRUE(assembled.ok()) << assembled.status();
    if (assembled.ok())
      program = *assembled;
  }

  void writeProgram() {
    for (const isa::Segment &segment : program.segments()) {
      Bytes bytes(segment.data().begin(), segment.data().end());
      bytes.resize((bytes.size() + 7) / 8 * 8);
      ASSERT_EQ(writeMemory(uint32_t(segment.offset()), bytes).status, 0);
    }
  }

  /// STATUS at the end; 0 if there is none.
  uint32_t launch(uint32_t programBeat, uint32_t pages = memoryPages) {
    EXPECT_EQ(writeRegister(isa::control::window, pages).status, 0);
    EXPECT_EQ(writeRegister(isa::control::program, programBeat).status, 0);
    EXPECT_EQ(writeRegister(isa::control::control, 1).status, 0);
    for (int i = 0; i < 100; ++i) {
      uint32_t status = wordAt(readRegister(isa::control::status).payload, 0);
      if (status & done)
        return status;
    }
    return 0;
  }

  isa::Program program;
};

TEST_F(LaunchTest, RunsAProgramOutOfBlockRam) {
  ASSERT_EQ(program.steps_size(), 1);
  constexpr uint32_t beatBytes = 4; // of tiny
  uint32_t beat =
      uint32_t(program.steps(0).launch().program_offset() / beatBytes);
  // As the program's own comment has it.
  Bytes expected = {0x0b, 0x0c, 0x0d, 0x0e, 0x15, 0x16, 0x17, 0x18};
  for (int round = 0; round < 2; ++round) {
    writeProgram();
    ASSERT_EQ(writeMemory(0x200, Bytes(16, 0xEE)).status, 0);
    EXPECT_EQ(launch(beat), done);
    Bytes found = readMemory(0x200, 16).payload;
    EXPECT_EQ(Bytes(found.begin(), found.begin() + 8), expected);
    EXPECT_EQ(Bytes(found.begin() + 8, found.end()), Bytes(8, 0xEE));
  }
  // Both STOREs retired, by the accelerator's own count.
  Bytes retired = readRegister(isa::control::retired, 16).payload;
  EXPECT_EQ(wordAt(retired, 12), 2u);
  EXPECT_GT(wordAt(readRegister(isa::control::cycles).payload, 0), 50u);
}

TEST_F(LaunchTest, LedsShowWhoHasSomethingToDo) {
  constexpr uint8_t outOfReset = 1, ended = 2;
  constexpr uint8_t loadActs = 1 << 4, aluActs = 1 << 6, storeActs = 1 << 7;
  EXPECT_EQ(line.top.led_o, outOfReset);
  writeProgram();
  const uint32_t beat =
      uint32_t(program.steps(0).launch().program_offset() / 4);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(writeRegister(isa::control::window, memoryPages).status, 0);
    ASSERT_EQ(writeRegister(isa::control::program, beat).status, 0);
    line.send(
        encode({++seq, Op::WriteRegister, isa::control::control, 4, word(1)}));
    uint8_t seen = 0;
    for (int i = 0; i < 5000; ++i) {
      line.cycle();
      seen |= line.top.led_o;
    }
    line.take(); // the answer
    EXPECT_EQ(seen & 0xf0, loadActs | aluActs | storeActs);
    EXPECT_EQ(line.top.led_o, outOfReset | ended);
  }
}

TEST_F(LaunchTest, ProgramOutsideTheMemoryEndsWithAnError) {
  for (uint32_t beat : {40960 / 4, (1 << 28) - 64}) {
    EXPECT_EQ(launch(beat), done | failed | outsideFault);
    EXPECT_EQ(launch(beat, allPages), done | failed | fetchFault);
  }
  EXPECT_EQ(hello().status, 0);
}

} // namespace
} // namespace tenon::test
