// Part of Tenon, under the Apache License v2.0.
//
// A board with the configuration `tiny` and the UIO driver on it.

#ifndef TENON_TESTS_FPGA_UIO_FIXTURE_H
#define TENON_TESTS_FPGA_UIO_FIXTURE_H

#include "tests/fpga/uio/stand_in.h"

#include "isa/configuration.h"
#include "tests/unit/sim_rtl/device_queue.h"
#include "tests/unit/sim_rtl/small_program.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::runtime {

constexpr uint64_t megabyte = 1 << 20;

inline isa::Configuration configuration(const char *name) {
  return *isa::loadConfiguration(name);
}

inline const isa::Layout &tinyLayout() {
  static const isa::Layout layout = *isa::Layout::get(configuration("tiny"));
  return layout;
}

inline std::string message(const absl::Status &status) {
  return std::string(status.message());
}

template <typename Value>
std::string message(const absl::StatusOr<Value> &value) {
  return message(value.status());
}

inline std::vector<uint8_t> resultOf(const sim::SmallProgram &program,
                                     sim::Device &device) {
  std::vector<uint8_t> bytes(program.expected().size());
  EXPECT_EQ(device.read(program.resultOffset(), absl::MakeSpan(bytes)),
            absl::OkStatus());
  return bytes;
}

class Uio : public testing::Test {
protected:
  void open(bool cached = true) {
    board = std::make_unique<StandIn>(configuration("tiny"), megabyte, cached);
    device = std::move(create().value());
  }
  absl::StatusOr<std::unique_ptr<UioDevice>> create() {
    return create(board->options());
  }
  absl::StatusOr<std::unique_ptr<UioDevice>> create(const UioOptions &options) {
    device.reset(); // one at a time
    return UioDevice::create(configuration("tiny"), options);
  }

  /// The board runs a program, as if nothing had been.
  void expectRight(const sim::SmallProgram &program) {
    program.writeTo(*device);
    auto result = sim::runLaunch(*device, program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program, *device), program.expected());
    EXPECT_EQ(board->failure, "");
  }

  std::unique_ptr<StandIn> board;
  std::unique_ptr<UioDevice> device;
};

} // namespace tenon::runtime

#endif // TENON_TESTS_FPGA_UIO_FIXTURE_H
