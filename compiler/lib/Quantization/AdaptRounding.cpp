//===- AdaptRounding.cpp - Weights rounded for what they meet -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/AdaptRounding.h"
#include <algorithm>

using namespace tenon::quantization;

namespace {

/// The second moments of a group's inputs: a symmetric matrix of terms x terms.
class Moments {
public:
  Moments(const InputSamples &Inputs, int64_t Group, bool AroundMean);

  int64_t size() const { return Terms; }
  const float *row(int64_t Term) const { return &Values[Term * Terms]; }
  float diagonal(int64_t Term) const { return Values[Term * Terms + Term]; }

private:
  std::vector<float> samplesOf(const InputSamples &Inputs, int64_t Group,
                               bool AroundMean) const;

  const int64_t Terms;
  std::vector<float> Values;
};

/// One output channel: what rounding adds to its weights, whose integers are
/// `Steps` apart.
class Channel {
public:
  Channel(const Moments &Of, std::vector<float> Steps,
          std::vector<float> Added);

  /// The term whose change to its other neighbour gains most, and is
  /// `IsAllowed`; -1 where none gains.
  template <typename Function> int64_t bestChange(Function IsAllowed) const;
  /// To the other neighbour of the exact weight: by how many integers.
  int direction(int64_t Term) const { return Added[Term] > 0 ? -1 : 1; }
  void change(int64_t Term);

private:
  const Moments &Of;
  std::vector<float> Steps, Added, Gradient; // half of it
};

} // namespace

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// What is added to each term's own moment, of their mean: samples are few, so
/// that terms of no samples in which they differ would be rounded at random.
static constexpr float Ridge = 0.01f;

/// Columns that are summed up together: their samples stay in a cache.
static constexpr int64_t Columns = 256;

/// Row-major, samples x terms.
std::vector<float> Moments::samplesOf(const InputSamples &Inputs, int64_t Group,
                                      bool AroundMean) const {
  const int64_t Count = Inputs.count();
  std::vector<float> Samples;
  Samples.reserve(Count * Terms);
  for (int64_t At = 0; At < Count; ++At) {
    const float *From = Inputs.sample(At, Group);
    Samples.insert(Samples.end(), From, From + Terms);
  }
  if (!AroundMean)
    return Samples;
  std::vector<float> Mean(Terms, 0);
  for (int64_t At = 0; At < Count * Terms; ++At)
    Mean[At % Terms] += Samples[At] / Count;
  for (int64_t At = 0; At < Count * Terms; ++At)
    Samples[At] -= Mean[At % Terms];
  return Samples;
}

Moments::Moments(const InputSamples &Inputs, int64_t Group, bool AroundMean)
    : Terms(Inputs.inputs().terms()), Values(Terms * Terms, 0) {
  const std::vector<float> Samples = samplesOf(Inputs, Group, AroundMean);
  const int64_t Count = Inputs.count();
  for (int64_t First = 0; First < Terms; First += Columns) {
    const int64_t Width = std::min(Columns, Terms - First);
    // The triangle above the diagonal, and what it cuts of these columns.
    for (int64_t Row = 0; Row < First + Width; ++Row) {
      float Sums[Columns] = {};
      for (int64_t At = 0; At < Count; ++At) {
        const float *Sample = &Samples[At * Terms];
        const float Factor = Sample[Row];
        if (Factor != 0) // of a Relu many are
          for (int64_t Column = 0; Column < Width; ++Column)
            Sums[Column] += Factor * Sample[First + Column];
      }
      for (int64_t Column = 0; Column < Width; ++Column)
        Values[Row * Terms + First + Column] =
            Values[(First + Column) * Terms + Row] = Sums[Column];
    }
  }
  double Mean = 0;
  for (int64_t Term = 0; Term < Terms; ++Term)
    Mean += double(diagonal(Term)) / Terms;
  for (int64_t Term = 0; Term < Terms; ++Term)
    Values[Term * Terms + Term] += Ridge * float(Mean);
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

Channel::Channel(const Moments &Of, std::vector<float> Apart,
                 std::vector<float> What)
    : Of(Of), Steps(std::move(Apart)), Added(std::move(What)),
      Gradient(Of.size(), 0) {
  for (int64_t Term = 0; Term < Of.size(); ++Term)
    for (int64_t Other = 0; Other < Of.size(); ++Other)
      Gradient[Other] += Added[Term] * Of.row(Term)[Other];
}

/// Of (e + d)' M (e + d) - e' M e = 2 d (M e) + d^2 m for one term.
template <typename Function>
int64_t Channel::bestChange(Function IsAllowed) const {
  int64_t Best = -1;
  float Least = 0;
  for (int64_t Term = 0; Term < Of.size(); ++Term) {
    const float By = direction(Term) * Steps[Term];
    const float Grown = By * (2 * Gradient[Term] + By * Of.diagonal(Term));
    if (Grown < Least && IsAllowed(Term)) {
      Least = Grown;
      Best = Term;
    }
  }
  return Best;
}

void Channel::change(int64_t Term) {
  const float By = direction(Term) * Steps[Term];
  Added[Term] += By;
  for (int64_t Other = 0; Other < Of.size(); ++Other)
    Gradient[Other] += By * Of.row(Term)[Other];
}

/// Each change lowers the error, so that they end; rounding in floats, where
/// they hardly do, must not keep them from it.
static constexpr int64_t ChangesPerTerm = 4;

namespace {
/// A channel's weights in their tensor.
struct Places {
  const WeightShape &Shape;
  int64_t Channel;

  int64_t operator[](int64_t Term) const {
    return (Term / Shape.Inner * Shape.Channels + Channel) * Shape.Inner +
           Term % Shape.Inner;
  }
};
} // namespace

static void adaptChannel(const std::vector<float> &Weights, const Places &At,
                         const WeightOptions &Options, const Moments &Inputs,
                         IntegerWeights &Rounded) {
  std::vector<float> Steps, Added;
  for (int64_t Term = 0; Term < Inputs.size(); ++Term) {
    const int64_t Index = At[Term];
    Steps.push_back(Rounded.scaleOf(At.Shape.scaleIndex(Index)));
    Added.push_back(Rounded.Values[Index] * Steps.back() - Weights[Index]);
  }
  Channel Of(Inputs, std::move(Steps), std::move(Added));
  auto IsAllowed = [&](int64_t Term) {
    return std::abs(Rounded.Values[At[Term]] + Of.direction(Term)) <=
           Options.most();
  };
  for (int64_t Change = 0; Change < ChangesPerTerm * Inputs.size(); ++Change) {
    const int64_t Term = Of.bestChange(IsAllowed);
    if (Term < 0)
      return;
    Rounded.Values[At[Term]] += Of.direction(Term);
    Of.change(Term);
  }
}

void tenon::quantization::adaptRounding(const std::vector<float> &Weights,
                                        const WeightShape &Shape,
                                        const WeightOptions &Options,
                                        const InputSamples &Inputs,
                                        bool IsCorrected,
                                        IntegerWeights &Rounded) {
  const int64_t Groups = Inputs.inputs().Groups;
  const int64_t PerGroup = Shape.Channels / Groups;
  for (int64_t Group = 0; Group < Groups; ++Group) {
    const Moments Of(Inputs, Group, IsCorrected);
    for (int64_t At = Group * PerGroup; At < (Group + 1) * PerGroup; ++At)
      adaptChannel(Weights, {Shape, At}, Options, Of, Rounded);
  }
}

//===----------------------------------------------------------------------===//
// A network's
//===----------------------------------------------------------------------===//

void AdaptiveRounding::observe(const std::string &Weights, const float *Values,
                               const std::vector<int64_t> &Shape) {
  auto Found = Inputs.find(Weights);
  if (Found == Inputs.end())
    return;
  Found->second.add(Values, Shape);
  Cache.erase(Weights);
}

void AdaptiveRounding::round(const std::string &Name,
                             const std::vector<float> &Weights,
                             const WeightShape &Shape,
                             const WeightOptions &Options, bool IsCorrected,
                             IntegerWeights &Rounded) {
  auto Found = Inputs.find(Name);
  if (Found == Inputs.end() || Found->second.count() == 0)
    return;
  auto [Of, IsNew] = Cache.try_emplace(Name);
  Known &Held = Of->second;
  if (IsNew || Held.IsCorrected != IsCorrected ||
      Held.Nearest.Scales != Rounded.Scales ||
      Held.Nearest.Values != Rounded.Values) {
    Held = {Rounded, Rounded, IsCorrected};
    adaptRounding(Weights, Shape, Options, Found->second, IsCorrected,
                  Held.Adapted);
  }
  Rounded = Held.Adapted;
}
