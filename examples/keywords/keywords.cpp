// Part of Tenon, under the Apache License v2.0.
//
// Hears words: keywords NETWORK.tenon LABELS SOUND [DEVICE]
// What the network is given of each second: keywords --features SOUND

#include "mfcc.h"
#include "sound.h"

#include <tenon/tenon.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

namespace {

/// Calls `hear` with where each second of a sound begins and its features: one
/// each half second, the last one with the sound's end in it.
template <typename Hear>
void eachSecond(const std::string &path, const Hear &hear) {
  const std::vector<float> sound = readSound(path, Mfcc::Rate);
  const Mfcc mfcc;
  for (size_t begin = 0;; begin += Mfcc::Rate / 2) {
    hear(begin, mfcc(&sound[begin], sound.size() - begin));
    if (begin + Mfcc::Rate >= sound.size())
      return;
  }
}

/// To an integer that stands for it; to itself where the network is float.
template <typename T> T quantised(double value, const tenon_info &info) {
  if constexpr (std::numeric_limits<T>::is_integer)
    return T(std::clamp<double>(
        std::nearbyint(value / info.scale) + info.zero_point,
        std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  else
    return T(value);
}

template <typename T>
void hearWords(const tenon::Program &program, const std::string &device,
               const std::vector<std::string> &labels,
               const std::string &path) {
  const tenon_info in = program.input(0), out = program.output(0);
  const std::vector<int64_t> inShape{1, 1, Mfcc::Frames, Mfcc::Coefficients};
  const std::vector<int64_t> outShape{1, int64_t(labels.size())};
  tenon::Session session(program, device);
  std::vector<T> input(Mfcc::Frames * Mfcc::Coefficients),
      output(labels.size());
  if (out.type != in.type ||
      session.outputShape({tenon::array(input, inShape)}, 0) != outShape)
    throw std::runtime_error(
        "the network's output is not a score for each of " +
        std::to_string(labels.size()) + " labels");
  eachSecond(path, [&](size_t begin, const std::vector<double> &features) {
    std::transform(features.begin(), features.end(), input.begin(),
                   [&](double value) { return quantised<T>(value, in); });
    session.run({tenon::array(input, inShape)},
                {tenon::array(output, outShape)});
    const auto best = std::max_element(output.begin(), output.end());
    const double score = std::numeric_limits<T>::is_integer
                             ? (*best - out.zero_point) * out.scale
                             : double(*best);
    std::printf("%6.1f s  %-8s %.2f\n", double(begin) / Mfcc::Rate,
                labels[best - output.begin()].c_str(), score);
  });
}

void printFeatures(const std::string &path) {
  eachSecond(path, [](size_t, const std::vector<double> &features) {
    for (size_t i = 0; i < features.size(); ++i)
      std::printf("%.9g%c", features[i],
                  (i + 1) % Mfcc::Coefficients ? ' ' : '\n');
  });
}

} // namespace

int main(int argc, char **argv) try {
  if (argc == 3 && argv[1] == std::string("--features")) {
    printFeatures(argv[2]);
    return 0;
  }
  if (argc < 4 || argc > 5)
    throw std::runtime_error(
        "expected NETWORK LABELS SOUND [DEVICE] or --features SOUND");
  tenon::Program program(argv[1]);
  const tenon_info in = program.input(0);
  if (program.inputs() != 1 || program.outputs() != 1 ||
      std::vector<int64_t>(in.shape, in.shape + in.rank) !=
          std::vector<int64_t>{1, 1, Mfcc::Frames, Mfcc::Coefficients})
    throw std::runtime_error("the network does not take 49 frames of 10 "
                             "coefficients, 1x1x49x10, and give scores");
  std::ifstream file(argv[2]);
  std::vector<std::string> labels;
  for (std::string line; std::getline(file, line);)
    labels.push_back(line);

  const std::string device = argc > 4 ? argv[4] : "functional";
  if (in.type == TENON_INT8 && in.scale)
    hearWords<int8_t>(program, device, labels, argv[3]);
  else if (in.type == TENON_FLOAT32)
    hearWords<float>(program, device, labels, argv[3]);
  else
    throw std::runtime_error("the network's input is neither float32 nor int8 "
                             "of a known scale");
} catch (const std::exception &error) {
  std::fprintf(stderr, "keywords: %s\n", error.what());
  return 1;
}
