//===- tools/tenon/switched_network.h - Any mix of layers -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_SWITCHED_NETWORK_H
#define TENON_TOOLS_TENON_SWITCHED_NETWORK_H

#include "tools/tenon/evaluate.h"

#include <functional>

namespace tenon::tools {

/// A network of compiler::Quantizer::quantizeSwitched, compiled.
struct Switchboard {
  std::unique_ptr<HostNetwork> network;
  std::vector<std::string> units, selections;
};

/// A switched network on samples, beside itself in float. Outputs are held, and
/// inputs as long as they take little.
class SwitchedNetwork {
public:
  /// Of at most `most` samples; all of these outlive this.
  SwitchedNetwork(const Switchboard &board, const Samples &samples, size_t most)
      : board(board), samples(samples), most(most) {}

  /// Runs the float network.
  absl::Status start();
  size_t count() const { return items; }

  using IsOn = std::function<bool(const std::string &unit)>;
  /// With these units rounded and no other, whoever reads them.
  absl::StatusOr<Accuracy> measureUnits(const IsOn &isOn) {
    return measure(isOn, /*reads=*/false);
  }
  /// As the network in which these layers are integers, and no other.
  absl::StatusOr<Accuracy> measureLayers(const IsOn &isOn) {
    return measure(isOn, /*reads=*/true);
  }

private:
  using Arrays = std::vector<runtime::Array>;
  /// A run's samples and what the float network gives.
  struct Reference {
    std::vector<size_t> items;
    Arrays inputs, outputs; // no inputs where they are read again
  };

  absl::StatusOr<Arrays> runWith(Arrays inputs, const IsOn &isOn, bool reads);
  absl::StatusOr<Accuracy> measure(const IsOn &isOn, bool reads);
  Arrays inputsOf(const Reference &run) const;

  const Switchboard &board;
  const Samples &samples;
  const size_t most;
  std::vector<Reference> runs;
  size_t items = 0, heldBytes = 0;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_SWITCHED_NETWORK_H
