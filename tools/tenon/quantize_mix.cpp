//===- tools/tenon/quantize_mix.cpp - A precision for each layer ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A tensor is as precise as both who makes and who reads it, so that a layer
// whose result int8 cannot hold leaves together with those that read it; which
// of them can come back is found out afterwards, one by one.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/quantize_mix.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace tenon::tools {

using compiler::QuantizedLayer;
using quantization::Precision;
using quantization::Precisions;

double shareOf(const Accuracy &accuracy) {
  return accuracy.labelled()
             ? double(accuracy.quantized_top1()) / accuracy.float_top1()
             : double(accuracy.same_top1()) / accuracy.samples();
}

namespace {

using Names = std::set<std::string>;

class MixSearch {
public:
  MixSearch(QuantizeSearch &search, double target, const Samples &evaluated,
            Progress &progress, Quantized &report)
      : search(search), target(target), evaluated(evaluated),
        progress(progress), report(report), mix(*report.mutable_mix()) {
    for (const QuantizedLayer &layer : search.quantizer().layers()) {
      layers.push_back(&layer);
      makers[layer.result] = &layer;
      for (const std::string &input : layer.inputs)
        readers[input].push_back(&layer);
    }
  }

  absl::Status run(size_t most);

private:
  void rankLayers();
  void addReaders(const std::string &tensor, Names &into) const;
  Precisions complete(const Precisions &chosen) const;
  bool isFed(const QuantizedLayer &layer, const Precisions &chosen) const;
  bool leavesSomething(const Names &out) const;
  Names firstRanked(size_t count) const;
  absl::StatusOr<Accuracy> measure(const Names &out);
  absl::StatusOr<bool> suffices(const Names &out);
  absl::Status grow();
  absl::Status shrink();
  absl::Status tryBack(const Names &out);
  absl::Status sortByCost();
  absl::StatusOr<QuantizeSearch::Tried> tryOut(const Precisions &chosen,
                                               const std::string &name);
  absl::Status settle();
  absl::Status tryWide(QuantizeSearch::Tried &best);
  absl::Status describe();

  QuantizeSearch &search;
  const double target;
  const Samples &evaluated;
  Progress &progress;
  Quantized &report;
  Mix &mix;
  std::vector<const QuantizedLayer *> layers;
  std::map<std::string, const QuantizedLayer *> makers; // by the result
  std::map<std::string, std::vector<const QuantizedLayer *>> readers;
  std::unique_ptr<SwitchedNetwork> network;
  /// Layers to take out together: of each unit, the worst first.
  std::vector<Names> ranked;
  size_t taken = 0;                // of the ranked
  Names out;                       // layers that are not in int8
  std::vector<std::string> byCost; // of them, the most expensive first
  Precisions chosen;               // of them
};

/// The layers that compute with a tensor, past those that only pass it on.
void MixSearch::addReaders(const std::string &tensor, Names &into) const {
  auto found = readers.find(tensor);
  if (found == readers.end())
    return;
  for (const QuantizedLayer *layer : found->second)
    if (layer->isPassive)
      addReaders(layer->result, into);
    else
      into.insert(layer->name);
}

/// By what the outputs gain without them.
void MixSearch::rankLayers() {
  std::vector<const Sensitivity *> sorted;
  for (const Sensitivity &unit : report.sensitivity())
    sorted.push_back(&unit);
  absl::c_sort(sorted, [](const auto *a, const auto *b) {
    return std::make_pair(-a->without_db(), a->layer()) <
           std::make_pair(-b->without_db(), b->layer());
  });
  for (const Sensitivity *unit : sorted) {
    Names together;
    addReaders(unit->layer(), together); // of a tensor that no layer computes
    for (const QuantizedLayer *layer : layers)
      if (layer->name == unit->layer()) {
        if (!layer->isPassive)
          together.insert(layer->name);
        addReaders(layer->result, together);
      }
    ranked.push_back(std::move(together));
  }
}

/// Whether what a passive layer reads is finer than int8 somewhere.
bool MixSearch::isFed(const QuantizedLayer &layer,
                      const Precisions &chosen) const {
  return absl::c_any_of(layer.inputs, [&](const std::string &input) {
    auto maker = makers.find(input);
    return maker == makers.end() ||
           precisionOf(chosen, maker->second->name) != Precision::Int8;
  });
}

/// Passive layers between layers that are not in int8 pass on what they get;
/// layers are in the order of the network.
Precisions MixSearch::complete(const Precisions &chosen) const {
  Precisions result = chosen;
  Names leads;
  for (auto it = layers.rbegin(); it != layers.rend(); ++it) {
    auto found = readers.find((*it)->result);
    bool isRead = (*it)->isReadInFloat;
    if (found != readers.end())
      isRead |= absl::c_any_of(found->second, [&](const auto *reader) {
        return chosen.count(reader->name) || leads.count(reader->name);
      });
    if ((*it)->isPassive && isRead)
      leads.insert((*it)->name);
  }
  for (const QuantizedLayer *layer : layers) {
    if (!leads.count(layer->name) || !isFed(*layer, result))
      continue;
    Precision in = Precision::Int8;
    for (const std::string &input : layer->inputs) {
      auto maker = makers.find(input);
      in = std::max(in, maker == makers.end()
                            ? Precision::Float
                            : precisionOf(result, maker->second->name));
    }
    result[layer->name] = in;
  }
  return result;
}

/// Whether a layer that computes stays in int8: without any the network is
/// none of integers.
bool MixSearch::leavesSomething(const Names &out) const {
  return absl::c_any_of(layers, [&](const QuantizedLayer *layer) {
    return !layer->isPassive && !out.count(layer->name);
  });
}

Names MixSearch::firstRanked(size_t count) const {
  Names result;
  for (size_t i = 0; i < count; ++i)
    result.insert(ranked[i].begin(), ranked[i].end());
  return result;
}

static Precisions inFloat(const Names &names) {
  Precisions result;
  for (const std::string &name : names)
    result[name] = Precision::Float;
  return result;
}

absl::StatusOr<Accuracy> MixSearch::measure(const Names &out) {
  mix.set_evaluations(mix.evaluations() + 1);
  progress.show(absl::StrCat("mix ", mix.evaluations(), ": ", out.size(),
                             " layers in float"));
  const Precisions all = complete(inFloat(out));
  return network->measureLayers([&](const std::string &unit) {
    const bool isLayer = absl::c_any_of(
        layers, [&](const auto *layer) { return layer->name == unit; });
    return isLayer && precisionOf(all, unit) == Precision::Int8;
  });
}

absl::StatusOr<bool> MixSearch::suffices(const Names &out) {
  auto accuracy = measure(out);
  if (!accuracy.ok())
    return accuracy.status();
  return shareOf(*accuracy) >= target;
}

/// Takes ranked units out until that suffices: twice as many each time, then
/// by halves between the last two numbers.
absl::Status MixSearch::grow() {
  size_t last = 0, most = ranked.size();
  while (most > 0 && !leavesSomething(firstRanked(most)))
    --most;
  for (taken = std::min<size_t>(1, most); taken > 0;) {
    auto enough = suffices(firstRanked(taken));
    if (!enough.ok())
      return enough.status();
    if (*enough || taken == most)
      break;
    last = taken;
    taken = std::min(2 * taken, most);
  }
  while (last + 1 < taken) {
    const size_t middle = (last + taken) / 2;
    auto enough = suffices(firstRanked(middle));
    if (!enough.ok())
      return enough.status();
    (*enough ? taken : last) = middle;
  }
  out = firstRanked(taken);
  return absl::OkStatus();
}

/// Leaves what a layer's int8 would save, the most expensive first.
absl::Status MixSearch::sortByCost() {
  byCost.assign(out.begin(), out.end());
  if (out.size() < 2)
    return absl::OkStatus();
  std::map<std::string, double> without; // ms
  for (const std::string &name : out) {
    Names others = out;
    others.erase(name);
    auto prediction = search.predictWith(complete(inFloat(others)));
    if (!prediction.ok())
      return prediction.status();
    without[name] = prediction->total_ms();
  }
  absl::c_sort(byCost, [&](const auto &a, const auto &b) {
    return std::make_pair(without[a], a) < std::make_pair(without[b], b);
  });
  return absl::OkStatus();
}

/// Takes less out where that suffices, too.
absl::Status MixSearch::tryBack(const Names &fewer) {
  if (fewer.size() == out.size())
    return absl::OkStatus();
  auto enough = suffices(fewer);
  if (enough.ok() && *enough)
    out = fewer;
  return enough.status();
}

absl::Status MixSearch::shrink() {
  Names units; // without those that only read what one of them makes
  for (size_t i = 0; i < taken; ++i)
    for (const Sensitivity &unit : report.sensitivity())
      if (out.count(unit.layer()) && ranked[i].count(unit.layer()))
        units.insert(unit.layer());
  auto status = tryBack(units);
  if (status.ok())
    status = sortByCost();
  // A layer that came back may make another one superfluous.
  for (size_t before = out.size() + 1; status.ok() && out.size() < before;) {
    before = out.size();
    for (const std::string &name : byCost) {
      Names fewer = out;
      if (fewer.erase(name) && status.ok())
        status = tryBack(fewer);
    }
  }
  return status;
}

absl::StatusOr<QuantizeSearch::Tried>
MixSearch::tryOut(const Precisions &chosen, const std::string &name) {
  mix.set_evaluations(mix.evaluations() + 1);
  return search.tryPrecisions(name, complete(chosen), evaluated, report);
}

static std::string stepName(const Precisions &chosen) {
  size_t wide = 0;
  for (const auto &[name, in] : chosen)
    wide += in == Precision::Int16;
  const size_t real = chosen.size() - wide;
  if (wide && real)
    return absl::StrCat("mix: ", wide, " in int16, ", real, " in float");
  return absl::StrCat("mix: ", chosen.size(), " in ", wide ? "int16" : "float");
}

/// 16 bits instead of float, for all, else for each by itself.
absl::Status MixSearch::tryWide(QuantizeSearch::Tried &best) {
  std::vector<Names> groups = {out};
  if (out.size() > 1)
    for (const std::string &name : byCost)
      if (out.count(name))
        groups.push_back({name});
  for (const Names &names : groups) {
    Precisions other = chosen;
    for (const std::string &name : names)
      other[name] = Precision::Int16;
    const bool isAll = absl::c_all_of(
        other, [](const auto &of) { return of.second == Precision::Int16; });
    if (isAll && names.size() < out.size())
      continue; // it was tried first
    auto tried = tryOut(other, stepName(other));
    if (!tried.ok())
      return tried.status();
    if (shareOf(tried->evaluation.accuracy) < target)
      continue;
    best = *std::move(tried);
    chosen = std::move(other);
    if (names.size() == out.size())
      break;
  }
  return absl::OkStatus();
}

/// Compiles and evaluates the mix itself. Where it has other answers than the
/// switched network, whose sums are in another order, more is taken out.
absl::Status MixSearch::settle() {
  if (out.empty())
    return absl::OkStatus();
  const double all8 = shareOf(report.accuracy());
  chosen = inFloat(out);
  auto best = tryOut(chosen, stepName(chosen));
  while (best.ok() && shareOf(best->evaluation.accuracy) < target &&
         taken < ranked.size() && leavesSomething(firstRanked(taken + 1))) {
    const size_t before = out.size();
    out.merge(Names(ranked[taken++]));
    if (out.size() == before)
      continue;
    chosen = inFloat(out);
    best = tryOut(chosen, stepName(chosen));
  }
  if (!best.ok())
    return best.status();
  if (shareOf(best->evaluation.accuracy) >= target)
    if (auto status = tryWide(*best); !status.ok())
      return status;
  if (shareOf(best->evaluation.accuracy) > all8)
    search.keep(*std::move(best), report);
  else
    chosen.clear(); // nothing that was tried is of use
  return absl::OkStatus();
}

/// What each layer of the mix gains and costs.
absl::Status MixSearch::describe() {
  auto whole = search.costWith(complete(chosen)), real = search.costOfFloat(),
       none = search.costWith({});
  for (const auto *cost : {&whole, &real, &none})
    if (!cost->ok())
      return cost->status();
  *mix.mutable_all_int8() = none->prediction;
  *mix.mutable_mix() = whole->prediction;
  *mix.mutable_all_float() = real->prediction;
  mix.set_all_int8_measured_cycles(double(none->measuredCycles));
  mix.set_mix_measured_cycles(double(whole->measuredCycles));
  mix.set_all_float_measured_cycles(double(real->measuredCycles));
  for (const auto &[name, in] : chosen) {
    Precisions others = chosen;
    others.erase(name);
    Names otherNames = out;
    otherNames.erase(name);
    auto without = search.predictWith(complete(others));
    if (!without.ok())
      return without.status();
    auto accuracy = measure(otherNames);
    if (!accuracy.ok())
      return accuracy.status();
    Reverted &layer = *mix.add_reverted();
    layer.set_layer(name);
    layer.set_precision(quantization::nameOf(in));
    *layer.mutable_accuracy_without() = *std::move(accuracy);
    layer.set_cost_cycles(whole->prediction.cycles() - without->cycles());
    layer.set_cost_ms(whole->prediction.total_ms() - without->total_ms());
  }
  mix.set_reached(shareOf(report.accuracy()));
  return absl::OkStatus();
}

absl::Status MixSearch::run(size_t most) {
  mix.set_target(target);
  const Accuracy &kept = report.accuracy();
  if (kept.labelled() && !kept.float_top1())
    return absl::InvalidArgumentError(
        "--target-accuracy: the float network has no right answer on the "
        "samples, of which no share can be reached; are these its classes, and "
        "is --preprocess its own?");
  if (shareOf(kept) >= target)
    return describe();
  auto board = search.switchboard();
  if (!board.ok())
    return board.status();
  absl::Status status;
  if (!report.sensitivity_size())
    status = search.measureLayers(evaluated, most, report);
  network = std::make_unique<SwitchedNetwork>(**board, evaluated,
                                              evaluated.source().items.size());
  if (status.ok())
    status = network->start();
  if (status.ok())
    rankLayers();
  for (auto step : {&MixSearch::grow, &MixSearch::shrink, &MixSearch::settle,
                    &MixSearch::describe})
    if (status.ok())
      status = (this->*step)();
  return status;
}

} // namespace

absl::Status reachTarget(QuantizeSearch &search, double target,
                         const Samples &evaluated, size_t most,
                         Progress &progress, Quantized &report) {
  return MixSearch(search, target, evaluated, progress, report).run(most);
}

} // namespace tenon::tools
