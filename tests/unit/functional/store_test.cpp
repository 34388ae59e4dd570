// Part of Tenon, under the Apache License v2.0.

#include "tests/unit/functional/support.h"

#include <numeric>

namespace tenon::sim::functional {
namespace {

class StoreTest : public TinyTest {
protected:
  void SetUp() override {
    for (size_t i = 0; i < state.out.size(); ++i)
      state.out[i] = int8_t(3 * i + 1);
    state.dram = absl::MakeSpan(dram);
  }
  std::vector<uint8_t> dram = std::vector<uint8_t>(40, 0xee);
};

TEST_F(StoreTest, WritesRowsWithBothStrides) {
  isa::Store in;
  in.sram = 1;
  in.dram = 1;
  in.ySize = in.xSize = 2;
  in.xStride = 2;
  in.yStride = 5;
  ASSERT_TRUE(execute(in, state).ok());
  std::vector<int> words;
  for (size_t b = 0; b < 10; ++b)
    words.push_back(dram[b * 4]);
  // OUT elements 1 to 4 begin with 13 25 37 49, at beats 1 3 6 8.
  EXPECT_THAT(words,
              ElementsAre(0xee, 13, 0xee, 25, 0xee, 0xee, 37, 0xee, 49, 0xee));
  EXPECT_THAT(std::vector<int>(dram.begin() + 4, dram.begin() + 8),
              ElementsAre(13, 16, 19, 22));
}

TEST_F(StoreTest, WritesDenseRows) {
  isa::Store in;
  in.ySize = 2;
  in.xSize = 2;
  in.xStride = 1;
  in.yStride = 3;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(std::vector<int>(dram.begin(), dram.begin() + 20),
              ElementsAre(1, 4, 7, 10, 13, 16, 19, 22, 0xee, 0xee, 0xee, 0xee,
                          25, 28, 31, 34, 37, 40, 43, 46));
}

TEST_F(StoreTest, NamesWhatIsOutside) {
  isa::Store in;
  in.sram = 509;
  in.ySize = in.xSize = 2;
  EXPECT_EQ(execute(in, state).message(),
            "element (y 1, x 1) is OUT[512], but OUT has 512 entries");
  in.sram = 0;
  in.dram = 9;
  in.xStride = 1;
  EXPECT_THAT(
      execute(in, state).message(),
      HasSubstr("element (y 0, x 1) is at DRAM offset 0x28, outside of the"));
}

} // namespace
} // namespace tenon::sim::functional
