//===- tools/tenon/quantize_search.h - The remedies that help ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_QUANTIZE_SEARCH_H
#define TENON_TOOLS_TENON_QUANTIZE_SEARCH_H

#include "tools/tenon/cycle_meter.h"
#include "tools/tenon/switched_network.h"

namespace tenon::tools {

/// What is tried, in this order.
struct Remedies {
  std::vector<quantization::Method> methods; // not empty
  bool correctBiases = true;                 // on top of each method
  bool equalize = false;                     // on top of the best
  bool balance = false;                      // on top of that
  std::vector<std::string> keepFloat;        // nodes, by name
  bool wide = false;                         // activations of 16 bits
};

/// Quantises a network in several ways and keeps what is most accurate: by
/// classes where they are known, else by answers that are the float network's,
/// and of equal ones by the noise of the outputs.
class QuantizeSearch {
public:
  /// Reads and compiles the float network.
  static absl::StatusOr<std::unique_ptr<QuantizeSearch>>
  open(const std::string &path, const compiler::Options &options,
       const Remedies &remedies, Progress &progress);

  /// The network's inputs and its own outputs.
  isa::Program border() const;

  /// Calibrates and tries everything; `report` gets the steps, the samples, and
  /// the accuracy of what was kept. `evaluated` may be `samples`.
  absl::Status run(const Samples &samples, const Samples &evaluated,
                   const compiler::QuantizationSetting &setting,
                   Quantized &report);

  /// What became of one way to quantise.
  struct Tried {
    compiler::QuantizationSetting setting;
    Evaluation evaluation;
    int step; // of the report
  };

  /// What was kept with other precisions: evaluated, and a step of the report.
  absl::StatusOr<Tried> tryPrecisions(const std::string &step,
                                      quantization::Precisions precisions,
                                      const Samples &evaluated,
                                      Quantized &report);
  /// Makes that what is kept, whatever it is like.
  void keep(Tried tried, Quantized &report);

  /// What a run takes.
  struct Cost {
    compiler::Prediction prediction;
    uint64_t measuredCycles;
  };

  /// That of what was kept, with these precisions; of the float network.
  absl::StatusOr<compiler::Prediction>
  predictWith(quantization::Precisions precisions);
  absl::StatusOr<Cost> costWith(quantization::Precisions precisions);
  absl::StatusOr<Cost> costOfFloat();

  /// A switched network of what was kept first, made once.
  absl::StatusOr<const Switchboard *> switchboard();

  // Of what was kept, after run().
  const compiler::Quantizer &quantizer() const { return *best().quantizer; }
  const compiler::QuantizationSetting &setting() const { return kept.setting; }
  const Evaluation &evaluation() const { return keptEvaluation; }
  absl::StatusOr<std::string> network() const {
    return best().quantizer->quantize(kept.setting, /*watched=*/false);
  }

  /// What of the loss of what was kept is each layer's, over at most `most` of
  /// the samples.
  absl::Status measureLayers(const Samples &samples, size_t most,
                             Quantized &report);

private:
  /// A float network, whose values were seen.
  struct Candidate {
    std::unique_ptr<compiler::Quantizer> quantizer;
    std::unique_ptr<HostNetwork> real; // watched
    bool isEqualized = false;
  };

  /// A way to quantise, and the numbers of the steps that it takes.
  struct Attempt {
    size_t candidate = 0;
    compiler::QuantizationSetting setting;
    std::vector<int> steps;
  };

  QuantizeSearch(const std::string &path, const compiler::Options &options,
                 const Remedies &remedies, Progress &progress)
      : path(path), options(options), remedies(remedies), progress(progress) {}

  const Candidate &best() const { return candidates[kept.candidate]; }
  absl::Status addCandidate(bool equalize,
                            const quantization::SeenChannels &balance = {});
  absl::StatusOr<std::unique_ptr<HostNetwork>>
  compileFor(const absl::StatusOr<std::string> &content,
             const std::string &what);
  absl::Status calibrateLast(const Samples &samples, Quantized &report);
  absl::StatusOr<std::string>
  networkWith(quantization::Precisions precisions) const;
  absl::StatusOr<compiler::Compiled>
  compileToPredict(const absl::StatusOr<std::string> &content);
  absl::StatusOr<Cost> costOf(const absl::StatusOr<std::string> &content);
  /// Quantises as `how` says; adds the step to the report.
  absl::StatusOr<Tried> tryOut(const std::string &step,
                               const Samples &evaluated, const Attempt &how,
                               Quantized &report);
  /// Quantises as `how` says, whose last step this is, and keeps it where
  /// nothing was better.
  absl::Status attempt(const std::string &step, const Samples &evaluated,
                       const Attempt &how, Quantized &report);
  absl::Status attemptEqualized(const Samples &samples,
                                const Samples &evaluated, Quantized &report);
  absl::Status attemptBalanced(const Samples &samples, const Samples &evaluated,
                               Quantized &report);
  /// Calibrates the last candidate and tries what was kept with it.
  absl::Status attemptLast(const std::string &step, const Samples &samples,
                           const Samples &evaluated, Quantized &report);

  /// Notes what a step gained over another's noise.
  static void addGain(const Step &step, double before, Quantized &report);

  const std::string path;
  const compiler::Options options;
  const Remedies remedies;
  Progress &progress;
  CycleMeter meter;
  std::vector<Candidate> candidates;
  int outputs = 0; // of the network itself
  Attempt kept;
  Evaluation keptEvaluation;
  std::unique_ptr<Switchboard> board;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_QUANTIZE_SEARCH_H
