// Part of Tenon, under the Apache License v2.0.

#include "tests/memory_faults/fault_message.h"

#include "isa/configuration.h"

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"

namespace tenon::test {
namespace {

class FaultMessage : public ::testing::Test {
protected:
  FaultMessage() {
    // Rows of a beat: LOADs of beats 0 and 1, and of 1 and 2; a STORE of
    // beat 9.
    isa::Load load;
    load.memory = isa::Memory::Inp;
    load.ySize = 2;
    load.xSize = load.yStride = load.xStride = 1;
    isa::Load other = load;
    other.dram = 1;
    isa::Store store;
    store.ySize = store.xSize = 1;
    store.dram = 9;
    launched.instructions = {load, store, other, isa::Finish{}};
    launched.offset = 64 * layout.beatBytes;
  }

  std::string access(const std::string &who, uint64_t place, uint64_t beat,
                     const std::string &others = "") const {
    return absl::StrFormat(
        "rtl: %s (instruction %d of the stream) `%s`%s: the memory answered "
        "with an error at DRAM offset 0x%x (address 0x0)",
        who, place, isa::disassemble(layout, launched.instructions[place]),
        others, beat * layout.beatBytes);
  }
  std::string fetch(uint64_t place, uint64_t offset) const {
    return absl::StrFormat("rtl: FETCH (instruction %d of the stream): the "
                           "memory answered with an error at DRAM offset 0x%x "
                           "(address 0x0)",
                           place, offset);
  }
  bool names(const std::string &message, uint64_t byte) const {
    return namesFault(layout, launched, message, byte);
  }

  isa::Layout layout = *isa::Layout::get(*isa::loadConfiguration("tiny"));
  Launched launched;
};

TEST_F(FaultMessage, OfTheRightInstructionIsRight) {
  ASSERT_EQ(layout.transferBytes(isa::Memory::Inp), layout.beatBytes);
  const uint64_t beat = layout.beatBytes;
  EXPECT_TRUE(names(access("LOAD #0", 0, 0), 0));
  EXPECT_TRUE(names(access("LOAD #1", 2, 2), 2 * beat + 1));
  EXPECT_TRUE(names(access("STORE #0", 1, 9), 9 * beat));
  EXPECT_TRUE(names(access("LOAD #0", 0, 1, " or one of 1 others"), beat));
  const uint64_t second = launched.offset + layout.instructionBytes;
  EXPECT_TRUE(names(fetch(1, second), second));
}

TEST_F(FaultMessage, OfAnotherInstructionIsWrong) {
  const uint64_t beat = layout.beatBytes;
  EXPECT_FALSE(names(access("LOAD #1", 0, 0), 0));    // its number
  EXPECT_FALSE(names(access("LOAD #1", 2, 0), 0));    // another LOAD
  EXPECT_FALSE(names(access("STORE #0", 1, 0), 0));   // another engine
  EXPECT_FALSE(names(access("LOAD #0", 0, 1), beat)); // not the only one
  EXPECT_FALSE(names(access("LOAD #0", 0, 0, " or one of 1 others"), 0));
  EXPECT_FALSE(names(access("LOAD #0", 0, 0), 5 * beat)); // no row has the byte
  const uint64_t second = launched.offset + layout.instructionBytes;
  EXPECT_FALSE(names(fetch(2, second), second));
  EXPECT_FALSE(names(fetch(0, launched.offset), second));
  std::string text = access("LOAD #0", 0, 0);
  text.replace(text.find('`') + 1, 4, "LOAD");
  EXPECT_FALSE(names(text, 0));
  EXPECT_FALSE(names("rtl: the memory failed", 0));
}

} // namespace
} // namespace tenon::test
