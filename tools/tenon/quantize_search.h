//===- tools/tenon/quantize_search.h - The remedies that help ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_QUANTIZE_SEARCH_H
#define TENON_TOOLS_TENON_QUANTIZE_SEARCH_H

#include "tools/tenon/cycle_meter.h"
#include "tools/tenon/switched_network.h"

#include <optional>

namespace tenon::tools {

/// What is tried, in this order.
struct Remedies {
  std::vector<quantization::Method> methods; // not empty
  bool correctBiases = true;                 // on top of each method
  /// Equal ranges of channels on top of the best, by weights, then by what was
  /// seen; not said: where a channel is much wider than others.
  std::optional<bool> equalize;
  std::optional<bool> adaptRounding;  // last; not said: with several methods
  std::vector<std::string> keepFloat; // nodes, by name
  bool wide = false;                  // activations of 16 bits
  quantization::WeightOptions weights;

  bool adaptsRounding() const {
    return adaptRounding.value_or(methods.size() > 1);
  }
};

/// Quantises a network in several ways and keeps what is most accurate: by
/// classes where they are known, else by answers that are the float network's,
/// and where these hardly differ by the noise of the outputs.
class QuantizeSearch {
public:
  /// Reads and compiles the float network.
  static absl::StatusOr<std::unique_ptr<QuantizeSearch>>
  open(const std::string &path, const compiler::Options &options,
       const Remedies &remedies, Progress &progress);

  /// The network's inputs and its own outputs.
  isa::Program border() const;

  /// Calibrates and tries everything; `report` gets the steps, the samples, and
  /// the accuracy of what was kept. What helps is chosen by what is
  /// `evaluated`; where that is null by a half of the samples while the other
  /// half calibrates, as both do in the end: on what they were calibrated on,
  /// steps look better than they are.
  absl::Status run(const Samples &samples, const Samples *evaluated,
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
  absl::StatusOr<std::string> floatNetwork() const {
    return best().quantizer->floatNetwork(/*watched=*/false);
  }
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
                            const quantization::Balance &balance = {});
  absl::StatusOr<std::unique_ptr<HostNetwork>>
  compileFor(const absl::StatusOr<std::string> &content,
             const std::string &what);
  /// Lets a candidate learn from a part of the samples.
  absl::StatusOr<Counted> learn(Candidate &of, const SamplePart &part);
  /// Counts samples of the report.
  void add(const Counted &counted, Quantized &report);
  absl::Status calibrateLast(Quantized &report);
  absl::StatusOr<Evaluation> assess(const Attempt &how, const SamplePart &on);
  absl::StatusOr<std::string>
  networkWith(quantization::Precisions precisions) const;
  absl::StatusOr<compiler::Compiled>
  compileToPredict(const absl::StatusOr<std::string> &content);
  absl::StatusOr<Cost> costOf(const absl::StatusOr<std::string> &content);
  /// Quantises as `how` says; adds the step to the report.
  absl::StatusOr<Tried> tryOut(const std::string &step, const SamplePart &on,
                               const Attempt &how, Quantized &report);
  /// Quantises as `how` says, whose last step this is, and keeps it where
  /// nothing was better.
  absl::Status attempt(const std::string &step, const Attempt &how,
                       Quantized &report);
  /// Than what is kept.
  bool isBetter(const Accuracy &of);
  absl::Status attemptMethods(const compiler::QuantizationSetting &setting,
                              Quantized &report);
  bool hasWideChannels() const;
  absl::Status attemptEqualized(Quantized &report);
  absl::Status attemptBalanced(Quantized &report);
  absl::Status attemptAdapted(Quantized &report);
  /// Calibrates the last candidate and tries what was kept with it.
  absl::Status attemptLast(const std::string &step, Quantized &report);
  std::vector<Attempt> finalists() const;
  /// Gives what was kept the samples that it was chosen by as well; another
  /// finalist is kept where that has more answers then.
  absl::Status choose(const Samples &samples, Quantized &report);
  absl::Status finish(const Samples &samples, Quantized &report);

  static void setCost(const Cost &cost, Step &of);
  /// Notes what a step gained over another's noise.
  static void addGain(const Step &step, double before, Quantized &report);

  const std::string path;
  const compiler::Options options;
  const Remedies remedies;
  Progress &progress;
  CycleMeter meter;
  std::vector<Candidate> candidates;
  /// What calibrates while steps are chosen, and what they are chosen by.
  std::optional<SamplePart> learned, chosenBy;
  std::string firstUnreadable; // why
  int outputs = 0;             // of the network itself
  std::vector<std::pair<Attempt, Accuracy>> attempts;
  Attempt kept;
  uint32_t mostAnswers = 0; // of a step
  Evaluation keptEvaluation;
  std::unique_ptr<Switchboard> board;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_QUANTIZE_SEARCH_H
