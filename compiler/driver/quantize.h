//===- compiler/driver/quantize.h - Float networks to integers --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Quantisation as a library. Who calls runs the networks; this says which, and
// learns from what they compute:
//
//   auto quantizer = Quantizer::open("net.onnx", options);
//   // run (*quantizer)->watchedFloat() on each sample; of each output beyond
//   // the network's own:
//   (*quantizer)->observe(tensor, values, shape);
//   auto onnx = (*quantizer)->quantize(setting);
//
// Models pass as the content of ONNX files. A quantizer is one thread's.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_QUANTIZE_H
#define TENON_COMPILER_DRIVER_QUANTIZE_H

#include "compiler/driver/compile.h"

#include "tenon/Quantization/Balance.h"
#include "tenon/Quantization/Noise.h"
#include "tenon/Quantization/Parameters.h"
#include "tenon/Quantization/Precision.h"
#include "tenon/Quantization/Weights.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tenon::compiler {

/// A tensor that the plan quantises.
struct QuantizedTensor {
  std::string name;
  /// The layer that computes it, by its first node; empty for an input, or what
  /// float nodes computed.
  std::string layer;
  bool hasOwnValues = true; // else all of them are other tensors'
};

/// A cluster of nodes that becomes integers.
struct QuantizedLayer {
  std::string name, operatorName; // of the first node
  std::vector<std::string> nodes;
  std::vector<std::string> inputs; // tensors of the plan
  std::string result;              // the tensor
  bool isContraction = false;      // with constant weights
  /// It computes nothing that rounding could harm: it selects, concatenates or
  /// clamps.
  bool isPassive = false;
  bool isReadInFloat = false; // by nodes of no layer, or as an output
};

/// A node that computes in float though its operator can be quantised.
struct LeftNode {
  std::string name, reason;
};

/// What is chosen once the values are known.
struct QuantizationSetting {
  quantization::RangeOptions ranges;
  quantization::Scheme activations;
  bool correctBiases = false;          // by what rounding weights does to means
  bool adaptRounding = false;          // of weights, by what they meet
  quantization::Precisions precisions; // of layers, by their names
};

/// What is done with a float network before anything is seen of it.
struct Preparation {
  quantization::WeightOptions weights;
  bool equalize = false;              // ranges of neighbouring convolutions
  quantization::Balance balance;      // of channels; nothing seen: none
  std::vector<std::string> keepFloat; // nodes, by name
  bool sampleInputs = false;          // of products, for adaptRounding
};

class Quantizer {
public:
  /// Reads and plans, as it is prepared. `options` are the shapes and the
  /// listener. InvalidArgument carries the errors of the file; also where
  /// nothing in it can be quantised, and where it has no such node.
  static absl::StatusOr<std::unique_ptr<Quantizer>>
  open(const std::string &path, const Options &options,
       const Preparation &prepared = {});

  virtual ~Quantizer() = default;

  virtual const std::vector<QuantizedTensor> &tensors() const = 0;
  virtual const std::vector<QuantizedLayer> &layers() const = 0;
  /// Also those whose weights alone are integers, in groups.
  virtual const std::vector<LeftNode> &left() const = 0;
  /// Convolutions that weights in groups do not fit: by name, with the inputs.
  virtual const std::vector<std::pair<std::string, int64_t>> &
  ungrouped() const = 0;
  /// Pairs of convolutions that were equalised.
  virtual int64_t equalizedPairs() const = 0;
  /// Channels of activations that have a factor.
  virtual int64_t balancedChannels() const = 0;
  /// Tensors whose channels would have factors by what was seen of them.
  virtual std::set<std::string> balanceable() const = 0;
  /// What was seen of each tensor's channels.
  virtual quantization::SeenChannels seenChannels() const = 0;

  /// The float network as it is quantised, whose outputs are its own, then
  /// every tensor of tensors(), where they are `watched`.
  virtual absl::StatusOr<std::string> floatNetwork(bool watched) = 0;

  /// Learns from a run: the values of tensor `index`, row-major.
  virtual void observe(size_t index, const float *values,
                       absl::Span<const int64_t> shape) = 0;
  virtual const quantization::TensorStatistics &
  statistics(size_t index) const = 0;

  /// Behind the last run: leaves the sums in float of which the values say that
  /// integers would leave nothing.  Whether there are any: then tensors(),
  /// layers(), left() and the watched network are others than before.
  virtual absl::StatusOr<bool> leaveSums() = 0;

  /// The parameters that `setting` gives tensor `index`.
  virtual quantization::Parameters
  parameters(size_t index, const QuantizationSetting &setting) const = 0;

  /// The quantised network; where they are `watched`, its outputs are its own,
  /// then every tensor of tensors() as the integers stand for it.
  virtual absl::StatusOr<std::string>
  quantize(const QuantizationSetting &setting, bool watched) = 0;

  /// A network with a switch for each layer, and one for who reads: boolean
  /// scalars behind its own inputs (quantization::insertSwitched).
  struct Switched {
    std::string network;
    /// Layers that round, by their first node, and tensors that no layer
    /// computes.
    std::vector<std::string> units;
    std::vector<std::string> selections; // layers that only select
  };
  virtual absl::StatusOr<Switched>
  quantizeSwitched(const QuantizationSetting &setting) = 0;
};

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_QUANTIZE_H
