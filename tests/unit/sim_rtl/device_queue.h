// Part of Tenon, under the Apache License v2.0.
//
// What every device does with launches that are submitted one behind the other,
// simulator or hardware.

#ifndef TENON_TESTS_UNIT_SIM_RTL_DEVICE_QUEUE_H
#define TENON_TESTS_UNIT_SIM_RTL_DEVICE_QUEUE_H

#include "tests/unit/sim_rtl/small_program.h"

#include "gtest/gtest.h"

namespace tenon::sim {

inline absl::StatusOr<LaunchCounts> waitForOne(Device &device) {
  for (;;) {
    auto counts = device.wait(std::chrono::milliseconds(100));
    if (!counts.ok() || counts->done)
      return counts;
  }
}

/// Launches run in order, each is waited for once, and a failed one takes those
/// behind it along but not the device.
inline void testQueue(Device &device, const SmallProgram &program) {
  const absl::Status nothing = absl::FailedPreconditionError(
      std::string(device.name()) + ": there is no launch to wait for");
  program.writeTo(device);
  EXPECT_EQ(device.wait(std::chrono::seconds(1)).status(), nothing);

  Launch good = program.options(), bad = good;
  --bad.instructionCount; // without FINISH
  for (const Launch &launch : {good, good})
    ASSERT_EQ(device.submit(launch), absl::OkStatus());
  for (unsigned i = 0; i < 2; ++i) {
    auto counts = waitForOne(device);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(counts->retired[3], 1u); // the program's one STORE
  }
  std::vector<uint8_t> bytes(program.expected().size());
  ASSERT_TRUE(device.read(program.resultOffset(), absl::MakeSpan(bytes)).ok());
  EXPECT_EQ(bytes, program.expected());

  for (const Launch &launch : {good, bad, good})
    ASSERT_EQ(device.submit(launch), absl::OkStatus());
  EXPECT_TRUE(waitForOne(device).ok());
  EXPECT_EQ(waitForOne(device).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(device.wait(std::chrono::seconds(0)).status(), nothing);

  program.writeTo(device);
  EXPECT_TRUE(runLaunch(device, good).ok());
}

} // namespace tenon::sim

#endif // TENON_TESTS_UNIT_SIM_RTL_DEVICE_QUEUE_H
