//===- runtime/backend.cpp - Whatever computes a network ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend.h"

namespace tenon::runtime {

absl::StatusOr<std::unique_ptr<DeviceBackend>>
DeviceBackend::create(std::shared_ptr<const LoadedProgram> program,
                      std::unique_ptr<sim::Device> device, Observer observer) {
  std::unique_ptr<DeviceBackend> backend(
      new DeviceBackend(std::move(device), std::move(observer)));
  auto session =
      Session::create(std::move(program), *backend->device, &backend->observer);
  if (!session.ok())
    return session.status();
  backend->session = *std::move(session);
  return backend;
}

absl::StatusOr<Result> DeviceBackend::run(absl::Span<const Array> inputs) {
  absl::StatusOr<std::vector<Array>> outputs = session->run(inputs);
  if (!outputs.ok())
    return outputs.status();
  NamedTensors tensors =
      namedTensors(session->program().program(), observer.execution, *outputs);
  return Result{*std::move(outputs), std::move(tensors),
                std::move(observer.execution)};
}

} // namespace tenon::runtime
