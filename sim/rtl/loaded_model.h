//===- sim/rtl/loaded_model.h - A simulator in this process -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_LOADED_MODEL_H
#define TENON_SIM_RTL_LOADED_MODEL_H

#include "sim/rtl/model_api.h"
#include "sim/rtl/model_observer.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace tenon::sim {

/// Owns a shared object built by simulatorFor and one instance of its model.
/// One thread at a time; several may be loaded.
class LoadedModel {
public:
  static absl::StatusOr<std::unique_ptr<LoadedModel>>
  load(const std::string &simulator);
  ~LoadedModel();
  LoadedModel(const LoadedModel &) = delete;
  LoadedModel &operator=(const LoadedModel &) = delete;

  /// A new instance, out of reset, in place of the old one; `powerUp` as in
  /// ModelApi::create.
  void restart(uint64_t powerUp = 0);

  uint32_t beatBytes() const { return api->beatBytes; }
  absl::Status writeControl(uint32_t offset, uint32_t value);
  absl::StatusOr<uint32_t> readControl(uint32_t offset);
  /// Of a simulator with the probe; its instances share the observer.
  absl::Status observe(const ModelObserver &observer);
  void launch(const ModelLaunch &options, ModelResult &result) {
    api->launch(model, &options, &result);
  }

private:
  LoadedModel(void *library, const ModelApi *api)
      : library(library), api(api), model(api->create(0)) {}

  void *library;
  const ModelApi *api;
  void *model;
};

} // namespace tenon::sim

#endif // TENON_SIM_RTL_LOADED_MODEL_H
