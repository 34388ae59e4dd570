//===- sim/rtl/loaded_model.cpp - A simulator in this process -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/loaded_model.h"

#include "absl/strings/str_format.h"

#include <dlfcn.h>

namespace tenon::sim {

absl::StatusOr<std::unique_ptr<LoadedModel>>
LoadedModel::load(const std::string &simulator) {
  void *library = dlopen(simulator.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return absl::InternalError(
        absl::StrFormat("cannot load the simulator: %s", dlerror()));
  auto function =
      reinterpret_cast<ModelApiFunction>(dlsym(library, "tenonModelApi"));
  const ModelApi *api = function ? function() : nullptr;
  if (!api || api->version != modelApiVersion) {
    dlclose(library);
    return absl::InternalError(
        absl::StrFormat("%s is not a simulator of interface version %u",
                        simulator, modelApiVersion));
  }
  return std::unique_ptr<LoadedModel>(new LoadedModel(library, api));
}

LoadedModel::~LoadedModel() {
  api->destroy(model);
  dlclose(library);
}

void LoadedModel::restart(uint64_t powerUp) {
  api->destroy(model);
  model = api->create(powerUp);
}

absl::Status LoadedModel::observe(const ModelObserver &observer) {
  auto function = reinterpret_cast<void (*)(const ModelObserver *)>(
      dlsym(library, "tenonObserve"));
  if (!function)
    return absl::FailedPreconditionError("the simulator has no probe");
  function(&observer);
  return absl::OkStatus();
}

absl::Status LoadedModel::writeControl(uint32_t offset, uint32_t value) {
  if (api->writeControl(model, offset, value))
    return absl::OkStatus();
  return absl::InternalError(absl::StrFormat(
      "rtl: the control port did not take a write to offset 0x%x", offset));
}

absl::StatusOr<uint32_t> LoadedModel::readControl(uint32_t offset) {
  uint32_t value = 0;
  if (api->readControl(model, offset, &value))
    return value;
  return absl::InternalError(absl::StrFormat(
      "rtl: the control port did not answer a read of offset 0x%x", offset));
}

} // namespace tenon::sim
