// Part of Tenon, under the Apache License v2.0.
//
// Random programs are what they promise: legal, race-free, varied.

#include "isa/assembler.h"
#include "isa/configuration.h"
#include "isa/verifier/verifier.h"
#include "sim/functional/functional_device.h"
#include "tests/differential/compare.h"
#include "tests/differential/shrink.h"
#include "tests/differential/stream_builder.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

namespace tenon::differential {
namespace {

isa::Configuration draw(uint64_t seed) {
  std::mt19937_64 random(seed);
  return isa::randomConfiguration(random);
}

// A race would show as a difference between interleavings.
TEST(RandomProgram, AllInterleavingsAgree) {
  for (uint64_t c = 0; c < 40; ++c)
    for (const char *executor : {"functional:1", "functional:2"}) {
      auto both = Comparison::createOn(executor, draw(c));
      ASSERT_TRUE(both.ok()) << both.status();
      const isa::Layout &layout = (*both)->layout();
      for (uint64_t seed = 100 * c; seed < 100 * c + 5; ++seed) {
        absl::Status status = (*both)->compare(
            assembleRandomProgram(layout, randomProgram(layout, seed, 40)));
        ASSERT_TRUE(status.ok()) << c << " " << seed << " " << status;
      }
    }
}

TEST(RandomProgram, TheSameForTheSameSeed) {
  isa::Layout layout = *isa::Layout::get(draw(3));
  auto text = [&](uint64_t seed) {
    return assembleRandomProgram(layout, randomProgram(layout, seed, 30))
        .SerializeAsString();
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

// What a hundred programs contain, by counting.
TEST(RandomProgram, ContainsEverything) {
  isa::Layout layout = *isa::Layout::get(*isa::loadConfiguration("tiny"));
  std::map<isa::AluOp, int> ops;
  std::map<isa::Memory, int> memories;
  std::map<isa::Target, int> targets;
  std::map<isa::Pad, int> pads;
  int gathers = 0, gemms = 0, stores = 0, firsts = 0;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const isa::Instruction &each :
         randomProgram(layout, seed, 40).instructions) {
      if (const auto *load = std::get_if<isa::Load>(&each)) {
        ++memories[load->memory];
        ++pads[load->padKind];
        gathers += load->gather;
      } else if (const auto *alu = std::get_if<isa::Alu>(&each)) {
        ++ops[alu->op];
        ++targets[alu->target];
        firsts += alu->first;
      } else if (std::holds_alternative<isa::Gemm>(each)) {
        ++gemms;
      } else if (std::holds_alternative<isa::Store>(each)) {
        ++stores;
      }
    }
  EXPECT_EQ(ops.size(), 13);
  EXPECT_EQ(memories.size(), 8);
  EXPECT_EQ(targets.size(), 3);
  EXPECT_EQ(pads.size(), 4);
  for (const auto &[op, count] : ops)
    EXPECT_GE(count, 30) << int(op);
  for (int count : {gathers, gemms, stores, firsts})
    EXPECT_GE(count, 100);
}

// Dependences of an ALU source on the destination of the d-th micro-op before.
TEST(RandomProgram, HasHazardsAtEveryDistance) {
  isa::Layout layout = *isa::Layout::get(*isa::loadConfiguration("tiny"));
  std::map<uint32_t, int> distances;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomProgram program = randomProgram(layout, seed, 40);
    StreamBuilder builder(layout, program.dram);
    for (const isa::Instruction &each : program.instructions) {
      if (const auto *alu = std::get_if<isa::Alu>(&each))
        for (uint32_t k = 0; k < alu->uopCount; ++k)
          for (uint32_t d = 1; d <= std::min(k, 12u); ++d)
            distances[d] +=
                alu->target == isa::Target::Acc &&
                builder.state().uopAlu[alu->uopBegin + k].src ==
                    builder.state().uopAlu[alu->uopBegin + k - d].dst;
      builder.append(each);
    }
  }
  for (uint32_t d = 1; d <= 12; ++d)
    EXPECT_GE(distances[d], 20) << d;
}

// A wrong result is found, reported with its seed, and made small.
TEST(Comparison, ReportsAndShrinks) {
  // A device that flips one bit wherever a STORE of the end has written.
  class Faulty : public sim::Simulator {
  public:
    explicit Faulty(std::unique_ptr<sim::Simulator> inner)
        : inner(std::move(inner)) {}
    absl::string_view name() const override { return "faulty"; }
    const isa::Configuration &configuration() const override {
      return inner->configuration();
    }
    absl::Status allocate(uint64_t bytes) override {
      return inner->allocate(bytes);
    }
    absl::Status write(uint64_t offset,
                       absl::Span<const uint8_t> data) override {
      return inner->write(offset, data);
    }
    absl::Status read(uint64_t offset,
                      absl::Span<uint8_t> data) const override {
      absl::Status status = inner->read(offset, data);
      if (gemms && !data.empty())
        data[0] ^= 1;
      return status;
    }
    absl::StatusOr<sim::LaunchResult>
    launch(const sim::LaunchOptions &options) override {
      auto result = inner->launch(options);
      gemms = result.ok() && result->retired[1] > 0;
      return result;
    }

  private:
    std::unique_ptr<sim::Simulator> inner;
    bool gemms = false;
  };
  isa::Configuration configuration = *isa::loadConfiguration("tiny");
  auto device = sim::FunctionalDevice::create(configuration);
  ASSERT_TRUE(device.ok());
  auto both = Comparison::create(std::make_unique<Faulty>(*std::move(device)));
  ASSERT_TRUE(both.ok());
  RandomProgram program = randomProgram((*both)->layout(), 1, 20);
  absl::Status status =
      (*both)->compare(assembleRandomProgram((*both)->layout(), program));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(status.message().find("DRAM differs in 1 bytes, first at 0x0"),
            std::string::npos)
      << status.message();
  RandomProgram small = shrink(
      (*both)->layout(), program,
      [&](const isa::Program &p) { return !(*both)->compare(p).ok(); }, 300);
  EXPECT_LE(small.instructions.size(), 5);
  isa::Program kept = withoutUnreadData((*both)->layout(), small);
  EXPECT_FALSE((*both)->compare(kept).ok());
  // Its text is the same program again.
  auto again = isa::assembleProgram(testText(kept, "two\nlines"), "kept");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->segments_size(), kept.segments_size());
  EXPECT_FALSE((*both)->compare(*again).ok());
  auto verified = isa::verify(*again);
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(isa::findingsText(*verified), "");
}

} // namespace
} // namespace tenon::differential
