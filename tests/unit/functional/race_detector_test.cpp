// Part of Tenon, under the Apache License v2.0.
//
// What the race detector keeps from launch to launch and from program to
// program. What it says of single launches: tests/unit/verifier/programs and
// tests/trust.

#include "isa/assembler.h"
#include "sim/functional/functional_device.h"
#include "tests/unit/functional/support.h"

namespace tenon::sim::functional {
namespace {

class RaceDetectorTest : public ::testing::Test {
protected:
  static constexpr uint64_t dramBytes = 4096, code = 1024;

  RaceDetectorTest() {
    auto made = FunctionalDevice::create(shipped("tiny"), std::nullopt, true);
    EXPECT_TRUE(made.ok()) << made.status();
    device = *std::move(made);
    begin();
  }

  /// Another program: micro-op 0 of GEMM at byte 0, an element of INP at 4.
  void begin() {
    ASSERT_TRUE(device->allocate(dramBytes).ok());
    std::vector<uint8_t> data{0, 0, 0, 0, 1, 2, 3, 4};
    ASSERT_TRUE(device->write(0, data).ok());
  }

  absl::Status launch(absl::string_view text) {
    isa::Layout layout = layoutOf(device->configuration());
    auto program = isa::assemble(layout, text);
    if (!program.ok())
      return program.status();
    std::vector<uint8_t> bytes(program->size() * layout.instructionBytes);
    for (size_t i = 0; i < program->size(); ++i)
      if (absl::Status s = isa::encode(layout, (*program)[i],
                                       &bytes[i * layout.instructionBytes]);
          !s.ok())
        return s;
    if (absl::Status s = device->write(code, bytes); !s.ok())
      return s;
    LaunchOptions options;
    options.programOffset = code;
    return device->launch(options).status();
  }

  std::unique_ptr<FunctionalDevice> device;
};

constexpr char load[] = "load uop_gemm dram=0\n load inp dram=1\n"
                        "load wgt dram=16\n finish";
constexpr char multiply[] = "gemm first uop=0+1\n finish";

// 16 bytes of weights at 64.
TEST_F(RaceDetectorTest, TheHostOrdersLaunches) {
  ASSERT_TRUE(device->write(64, std::vector<uint8_t>(16, 7)).ok());
  EXPECT_EQ(launch(load), absl::OkStatus());
  EXPECT_EQ(launch(multiply), absl::OkStatus());
  EXPECT_THAT(
      launch("load uop_gemm dram=0\n gemm first uop=0+1\n finish").message(),
      HasSubstr("race: GEMM #0 (instruction 1 of the stream) `gemm "
                "first uop=0+1` reads UOP_GEMM[0], which LOAD #0"));
}

TEST_F(RaceDetectorTest, AnotherProgramFindsNothingWritten) {
  ASSERT_TRUE(device->write(64, std::vector<uint8_t>(16, 7)).ok());
  EXPECT_EQ(launch(load), absl::OkStatus());
  begin();
  EXPECT_THAT(launch(multiply).message(),
              HasSubstr("reads UOP_GEMM[0], which nothing has written"));
}

TEST_F(RaceDetectorTest, DramIsDefinedByTheHostByteByByte) {
  EXPECT_EQ(device->firstUndefined(0, 8), 8u);
  EXPECT_EQ(device->firstUndefined(2, 100), 8u);
  ASSERT_TRUE(device->write(64, std::vector<uint8_t>(15, 7)).ok());
  EXPECT_EQ(device->firstUndefined(64, 16), 79u);
  EXPECT_THAT(launch(load).message(),
              HasSubstr("LOAD #2 (instruction 2 of the stream) `load wgt "
                        "sram=0 dram=0x10 y=1 x=1` reads DRAM beat [19], which "
                        "nothing has written"));
}

} // namespace
} // namespace tenon::sim::functional
