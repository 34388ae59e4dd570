// Part of Tenon, under the Apache License v2.0.

#include "runtime/aligned_memory.h"

#include "gtest/gtest.h"

#include <limits>

using namespace tenon::runtime;

namespace {

TEST(AlignedMemory, GrowsAndStaysWhereThereIsNone) {
  AlignedMemory memory;
  EXPECT_EQ(memory.data(), nullptr);
  ASSERT_TRUE(memory.reserve(0).ok());
  EXPECT_EQ(memory.data(), nullptr);
  for (uint64_t bytes : {1, 1000, 5}) {
    ASSERT_TRUE(memory.reserve(bytes).ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 64, 0u);
    memory.data()[bytes - 1] = uint8_t(bytes);
  }
  uint8_t *before = memory.data();
  absl::Status none = memory.reserve(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(none, absl::ResourceExhaustedError(
                      "no memory for 18446744073709551615 bytes"));
  EXPECT_EQ(memory.data(), before);
  EXPECT_EQ(memory.data()[999], uint8_t(1000));
}

TEST(AlignedMemory, LargeBlocksBeginAtAHugePage) {
  AlignedMemory memory;
  ASSERT_TRUE(memory.reserve(AlignedMemory::hugePage - 1).ok());
  for (uint64_t bytes :
       {AlignedMemory::hugePage, 3 * AlignedMemory::hugePage + 5}) {
    ASSERT_TRUE(memory.reserve(bytes).ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) %
                  AlignedMemory::hugePage,
              0u);
    memory.data()[0] = memory.data()[bytes - 1] = 1;
  }
}

} // namespace
