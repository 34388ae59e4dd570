// Part of Tenon, under the Apache License v2.0.

#include "isa/assembler.h"
#include "sim/functional/functional_device.h"
#include "tests/unit/functional/support.h"

#include <numeric>

namespace tenon::sim {
namespace {

using functional::shipped;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Clamps two ACC8 elements of bytes at 0 to 3..20 and stores each one twice:
// the first version to byte 64, then a second over it.
constexpr absl::string_view program = R"(
  .configuration tiny
  .dram 1024
  .segment "input" @0
  .hex 01 02 03 04 1e 1f 20 21
  .segment "parameters" @128
  .word 0, 0, 0, 0, 4, 4, 4, 4
  .hex 02 02 02 02
  .alu_uop 0,0,0
  .alu_uop 1,1,0
  .instructions @256
  load uop_alu sram=0 dram=41 x=2 xstride=1
  load prm sram=0 dram=32
  load acc8 sram=0 dram=0 x=2 xstride=1 signal(alu)
  set alu clamp_max=20 wait(load)
  alu quant target=out uop=0+2 signal(store)
  store sram=0 dram=16 x=2 xstride=1 wait(alu) signal(alu)
  set alu clamp_min=3 wait(store)
  alu quant target=out uop=0+1 signal(store)
  store sram=0 dram=16 x=1 xstride=1 wait(alu)
  finish
)";

class FunctionalDeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto assembled = isa::assembleProgram(program, "test");
    ASSERT_TRUE(assembled.ok()) << assembled.status();
    auto created = FunctionalDevice::create(shipped("tiny"));
    ASSERT_TRUE(created.ok()) << created.status();
    device = *std::move(created);
    ASSERT_TRUE(device->allocate(assembled->dram_bytes()).ok());
    for (const isa::Segment &segment : assembled->segments())
      ASSERT_TRUE(write(segment.offset(), segment.data()).ok());
    options.programOffset = 256;
    options.instructionCount = 10;
  }
  absl::Status write(uint64_t offset, const std::string &data) {
    return device->write(
        offset,
        absl::MakeConstSpan(reinterpret_cast<const uint8_t *>(data.data()),
                            data.size()));
  }
  std::vector<int> bytes(uint64_t offset, size_t count) {
    std::vector<uint8_t> data(count);
    EXPECT_TRUE(device->read(offset, absl::MakeSpan(data)).ok());
    return {data.begin(), data.end()};
  }

  std::unique_ptr<FunctionalDevice> device;
  LaunchOptions options;
};

TEST_F(FunctionalDeviceTest, RunsAProgram) {
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(bytes(64, 8), ElementsAre(3, 3, 3, 4, 20, 20, 20, 20));
  EXPECT_THAT(result->retired, ElementsAre(3, 0, 4, 2));
  EXPECT_EQ(result->cycles, 0);
  EXPECT_EQ(result->fetchBytes, 160);
  // What was never written is poison, as in every device.
  EXPECT_THAT(bytes(72, 2), ElementsAre(poisonByte(72), poisonByte(73)));
}

TEST_F(FunctionalDeviceTest, SnapshotsWhatTheStoresHaveDone) {
  options.watches = {{2, 64, 2}, {0, 64, 1}, {1, 64, 2}};
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->snapshots[0], ElementsAre(3, 3));
  EXPECT_THAT(result->snapshots[1], ElementsAre(poisonByte(64)));
  EXPECT_THAT(result->snapshots[2], ElementsAre(1, 2));
}

TEST_F(FunctionalDeviceTest, RefusesBadWatches) {
  options.watches = {{3, 64, 2}};
  EXPECT_THAT(device->launch(options).status().message(),
              HasSubstr("waits for more STORE instructions than the 2"));
  options.watches = {{0, 1020, 8}};
  EXPECT_THAT(device->launch(options).status().message(),
              HasSubstr("watch of 8 bytes at offset 0x3fc"));
}

TEST_F(FunctionalDeviceTest, CountsBytesByLayer) {
  options.runs.layers = 3;
  options.runs.engines[0] = {{0, 0}, {2, 1}};
  options.runs.engines[3] = {{0, 1}, {1, 2}};
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->layers.size(), 3);
  EXPECT_EQ(result->layers[0].readBytes, 8 + 36);
  EXPECT_EQ(result->layers[1].readBytes, 8);
  EXPECT_EQ(result->layers[1].writeBytes, 8);
  EXPECT_EQ(result->layers[2].writeBytes, 4);
}

TEST_F(FunctionalDeviceTest, RefusesBadUse) {
  auto fresh = FunctionalDevice::create(shipped("tiny"));
  ASSERT_TRUE(fresh.ok());
  EXPECT_THAT((*fresh)->launch(options).status().message(),
              HasSubstr("launch before allocate: the device has no DRAM"));
  options.programOffset = 258;
  EXPECT_THAT(device->launch(options).status().message(),
              HasSubstr("not a whole beat of 4"));
  EXPECT_EQ(write(1020, "12345").code(), absl::StatusCode::kOutOfRange);
  std::vector<uint8_t> data(8);
  EXPECT_EQ(device->read(~0ull - 2, absl::MakeSpan(data)).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(FunctionalDevice::create(isa::Configuration()).ok());
}

TEST_F(FunctionalDeviceTest, AnyInterleavingGivesTheSame) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SetUp();
    auto seeded = FunctionalDevice::create(shipped("tiny"), seed);
    ASSERT_TRUE(seeded.ok());
    std::swap(device, *seeded);
    ASSERT_TRUE(device->allocate(1024).ok());
    std::vector<uint8_t> all(1024);
    ASSERT_TRUE((*seeded)->read(0, absl::MakeSpan(all)).ok());
    ASSERT_TRUE(device->write(0, all).ok());
    ASSERT_TRUE(device->launch(options).ok());
    EXPECT_THAT(bytes(64, 8), ElementsAre(3, 3, 3, 4, 20, 20, 20, 20));
  }
}

} // namespace
} // namespace tenon::sim
