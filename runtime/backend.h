//===- runtime/backend.h - Whatever computes a network ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A session on a device is one; the network's reference on the CPU is another.
// Whoever compares two of them need not know which they are.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_BACKEND_H
#define TENON_RUNTIME_BACKEND_H

#include "runtime/check.h"
#include "runtime/session.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::runtime {

/// What a run computed, and what it left where a device did it.
struct Result {
  std::vector<Array> outputs; // the program's, then any others there are
  NamedTensors tensors;       // those and what else is known, by name
  Execution execution;        // empty of a backend without a device
};

/// One thread at a time.
class Backend {
public:
  virtual ~Backend() = default;

  /// "rtl", "cpu", ...; begins messages.
  virtual absl::string_view name() const = 0;

  virtual absl::StatusOr<Result> run(absl::Span<const Array> inputs) = 0;
};

/// Owns the device.
class DeviceBackend : public Backend {
public:
  /// Errors as of Session.
  static absl::StatusOr<std::unique_ptr<DeviceBackend>>
  create(std::shared_ptr<const LoadedProgram> program,
         std::unique_ptr<sim::Device> device, Observer observer);

  absl::string_view name() const override { return device->name(); }
  absl::StatusOr<Result> run(absl::Span<const Array> inputs) override;

  double clockMhz() const { return device->clockMhz(); }

  /// What the next runs record.
  Observer observer;

private:
  DeviceBackend(std::unique_ptr<sim::Device> device, Observer observer)
      : observer(std::move(observer)), device(std::move(device)) {}

  std::unique_ptr<sim::Device> device; // outlives the session
  std::unique_ptr<Session> session;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_BACKEND_H
