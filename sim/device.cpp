//===- sim/device.cpp - The queue of launches -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/device.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

namespace tenon::sim {

absl::Status Device::submit(Launch launch) {
  queue.push_back(std::move(launch));
  if (queue.size() > 1)
    return absl::OkStatus();
  absl::Cleanup drop = [this] { queue.clear(); }; // also where something throws
  started = start(queue.front());
  if (started.ok())
    std::move(drop).Cancel();
  return started;
}

absl::StatusOr<LaunchCounts> Device::wait(std::chrono::nanoseconds limit) {
  if (queue.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(name(), ": there is no launch to wait for"));
  absl::Cleanup drop = [this] { queue.clear(); }; // also where something throws
  constexpr std::chrono::hours longest{1}; // added to a time, it is one still
  absl::StatusOr<LaunchCounts> counts =
      started.ok() ? await(std::min<std::chrono::nanoseconds>(limit, longest))
                   : absl::StatusOr<LaunchCounts>(started);
  if (!counts.ok())
    return counts;
  if (counts->done) {
    queue.pop_front();
    if (!queue.empty())
      started = start(queue.front());
  }
  std::move(drop).Cancel();
  return counts;
}

absl::StatusOr<LaunchCounts> runLaunch(Device &device, Launch launch) {
  if (absl::Status status = device.submit(std::move(launch)); !status.ok())
    return status;
  for (;;) {
    absl::StatusOr<LaunchCounts> counts = device.wait(std::chrono::seconds(1));
    if (!counts.ok() || counts->done)
      return counts;
  }
}

} // namespace tenon::sim
