//===- tensor_test.cpp - Arrays and the blocked layout --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/tensor.h"

#include "isa/configuration.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numeric>
#include <set>

using namespace tenon;
using namespace tenon::runtime;

namespace {

isa::Layout layoutWith(uint32_t batch, uint32_t in, uint32_t out) {
  isa::Configuration config = *isa::loadConfiguration("tiny");
  config.set_batch(batch);
  config.set_block_in(in);
  config.set_block_out(out);
  config.set_alu_lanes(batch * out);
  auto layout = isa::Layout::get(config);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *std::move(layout);
}

// Hand-calculated: [N/BATCH][C/M][H][W][M/B][BATCH][B].
TEST(BlockedLayout, OffsetsByHand) {
  BlockedLayout square(layoutWith(1, 4, 4), {1, 2, 3, 6});
  EXPECT_EQ(square.bytes(), 2u * 2 * 3 * 4);
  EXPECT_EQ(square.offset(0, 0, 0, 3), 3u);
  EXPECT_EQ(square.offset(0, 0, 1, 0), 4u);
  EXPECT_EQ(square.offset(0, 1, 0, 0), 12u);
  EXPECT_EQ(square.offset(0, 0, 0, 4), 24u);
  EXPECT_EQ(square.offset(0, 1, 2, 5), 24u + 5 * 4 + 1);

  // M = 8, B = 4, two rows of a batch.
  BlockedLayout mixed(layoutWith(2, 4, 8), {2, 1, 2, 8});
  EXPECT_EQ(mixed.bytes(), 2u * 2 * 8);
  EXPECT_EQ(mixed.offset(1, 0, 0, 0), 4u);
  EXPECT_EQ(mixed.offset(0, 0, 0, 4), 8u);
  EXPECT_EQ(mixed.offset(1, 0, 1, 7), 16u + 8 + 4 + 3);
}

TEST(BlockedLayout, BlockAndDenseAreInverse) {
  for (auto [batch, in, out] :
       {std::array<uint32_t, 3>{1, 4, 4}, {2, 4, 8}, {4, 8, 4}, {2, 16, 4}}) {
    Shape shape{3, 4, 5, 13};
    BlockedLayout blocked(layoutWith(batch, in, out), shape);
    std::vector<uint8_t> dense(elementCount(shape));
    for (size_t i = 0; i < dense.size(); ++i)
      dense[i] = static_cast<uint8_t>(i * 37 + i / 256);
    std::vector<uint8_t> bytes = blocked.block(dense);
    EXPECT_EQ(bytes.size(), blocked.bytes());
    EXPECT_EQ(blocked.dense(bytes), dense);
    // Every element has a place of its own, where offset says.
    std::set<uint64_t> places;
    size_t i = 0;
    for (int n = 0; n < 3; ++n)
      for (int h = 0; h < 4; ++h)
        for (int w = 0; w < 5; ++w)
          for (int c = 0; c < 13; ++c) {
            uint64_t place = blocked.offset(n, h, w, c);
            EXPECT_TRUE(places.insert(place).second);
            ASSERT_LT(place, bytes.size());
            EXPECT_EQ(bytes[place], dense[i++]);
          }
  }
}

TEST(Permute, MovesAxes) {
  Array array{isa::INT8, {2, 3, 4}, std::vector<uint8_t>(24)};
  std::iota(array.bytes.begin(), array.bytes.end(), 0);
  Array moved = permute(array, {2, 0, 1});
  EXPECT_EQ(moved.shape, (Shape{4, 2, 3}));
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(moved.bytes[(a * 2 + b) * 3 + c], (b * 3 + c) * 4 + a);
  EXPECT_EQ(permute(array, {}).bytes, array.bytes);
}

TEST(Permute, KeepsWideElementsWhole) {
  Array array{isa::INT32, {1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  EXPECT_EQ(permute(array, {1, 0}).bytes, array.bytes);
  EXPECT_EQ(valueAt(array, 1), 0x08070605);
}

/// Codes of the small formats and their values by ml_dtypes:
/// np.uint8([code]).view(ml_dtypes.T).
TEST(ValueAt, ReadsEveryType) {
  auto at = [](isa::ElementType type, std::vector<uint8_t> bytes) {
    return valueAt(Array{type, {1}, std::move(bytes)}, 0);
  };
  EXPECT_EQ(at(isa::BOOL, {1}), 1);
  EXPECT_EQ(at(isa::INT16, {0xfe, 0xff}), -2);
  EXPECT_EQ(at(isa::UINT16, {0xfe, 0xff}), 65534);
  EXPECT_EQ(at(isa::INT32, {0xfe, 0xff, 0xff, 0xff}), -2);
  EXPECT_EQ(at(isa::UINT32, {0xfe, 0xff, 0xff, 0xff}), 4294967294.0);
  EXPECT_EQ(at(isa::INT4, {0xf9}), -7);
  EXPECT_EQ(at(isa::UINT4, {9}), 9);
  EXPECT_EQ(at(isa::FLOAT16, {0x00, 0xc1}), -2.5);
  EXPECT_EQ(at(isa::FLOAT16, {0x01, 0x00}), 0x1p-24);
  EXPECT_EQ(at(isa::FLOAT16, {0x00, 0x7c}), INFINITY);
  EXPECT_TRUE(std::isnan(at(isa::FLOAT16, {0x01, 0x7c})));
  EXPECT_EQ(at(isa::BFLOAT16, {0x20, 0xc0}), -2.5);
  EXPECT_EQ(at(isa::FLOAT64, {0, 0, 0, 0, 0, 0, 0x04, 0xc0}), -2.5);
  EXPECT_EQ(at(isa::FLOAT8E4M3FN, {0x7e}), 448);
  EXPECT_TRUE(std::isnan(at(isa::FLOAT8E4M3FN, {0xff})));
  EXPECT_EQ(at(isa::FLOAT8E4M3FNUZ, {0x7f}), 240);
  EXPECT_TRUE(std::isnan(at(isa::FLOAT8E4M3FNUZ, {0x80})));
  EXPECT_EQ(at(isa::FLOAT8E5M2, {0x7b}), 57344);
  EXPECT_EQ(at(isa::FLOAT8E5M2, {0xfc}), -INFINITY);
  EXPECT_EQ(at(isa::FLOAT8E5M2FNUZ, {0x7f}), 57344);
  EXPECT_EQ(at(isa::FLOAT8E8M0, {0x7f}), 1);
  EXPECT_EQ(at(isa::FLOAT8E8M0, {0}), 0x1p-127);
  EXPECT_EQ(at(isa::FLOAT4E2M1, {0xd}), -3);
  EXPECT_EQ(at(isa::FLOAT4E2M1, {1}), 0.5);
}

TEST(IsGreater, OrdersEveryTypeAndNaN) {
  auto both = [](isa::ElementType type, std::vector<uint8_t> bytes) {
    const Array array{type, {2}, std::move(bytes)};
    return std::pair(isGreater(array, 0, 1), isGreater(array, 1, 0));
  };
  const std::pair first(true, false), neither(false, false);
  EXPECT_EQ(both(isa::INT8, {1, 0xff}), first);
  EXPECT_EQ(both(isa::UINT8, {0xff, 1}), first);
  EXPECT_EQ(both(isa::INT32, {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}), first);
  EXPECT_EQ(both(isa::INT64, {1, 0, 0, 0, 0, 0, 0x20, 0, //
                              0, 0, 0, 0, 0, 0, 0x20, 0}),
            first);
  EXPECT_EQ(both(isa::UINT64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                               0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
            first);
  EXPECT_EQ(both(isa::FLOAT16, {0x00, 0xfc, 0x01, 0x7c}), first); // -inf, NaN
  EXPECT_EQ(both(isa::FLOAT16, {0x01, 0x7c, 0x02, 0x7c}), neither);
  EXPECT_EQ(both(isa::FLOAT16, {0x00, 0x7c, 0x00, 0x7c}), neither);
}

} // namespace
