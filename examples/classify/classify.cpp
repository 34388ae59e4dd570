// Part of Tenon, under the Apache License v2.0.
//
// Classifies a picture: classify [--shorter=N] NETWORK.tenon LABELS PICTURE
// [DEVICE]

#include "picture.h"

#include <tenon/tenon.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>

namespace {

/// The middle of a picture that is made `shorter` pixels on its shorter side,
/// of `width` by `height` of these; 0: as much as the picture has.
Region middle(const Picture &picture, int width, int height, int shorter) {
  const double fits =
      std::max(double(width) / picture.width, double(height) / picture.height);
  const double zoom =
      shorter ? double(shorter) / std::min(picture.width, picture.height)
              : fits;
  if (zoom < fits)
    throw std::runtime_error("--shorter=" + std::to_string(shorter) +
                             " leaves less than the " + std::to_string(width) +
                             "x" + std::to_string(height) +
                             " pixels that the network takes");
  const double left = (picture.width - width / zoom) / 2;
  const double top = (picture.height - height / zoom) / 2;
  return {float(std::max(left, 0.0)), float(std::max(top, 0.0)),
          float(std::min(left + width / zoom, double(picture.width))),
          float(std::min(top + height / zoom, double(picture.height)))};
}

/// What the network says of a picture's pixels, minus 128 where it takes signed
/// bytes: a probability of each class.
template <typename T>
std::vector<double> classify(const tenon::Program &program,
                             tenon::Session &session, const Picture &picture) {
  const tenon_info out = program.output(0);
  const std::vector<uint8_t> planes = picture.planes();
  std::vector<T> input;
  for (uint8_t value : planes)
    input.push_back(T(value + std::numeric_limits<T>::min()));
  const std::vector<int64_t> shape{1, 3, picture.height, picture.width};
  const std::vector<tenon_array> inputs{tenon::array(input, shape)};
  const auto classes = session.outputShape(inputs, 0);
  std::vector<T> values(classes.back());
  session.run(inputs, {tenon::array(values, classes)});
  std::vector<double> result;
  for (T value : values)
    result.push_back((value - out.zero_point) * out.scale);
  return result;
}

int shorterSide(const std::string &option) {
  const std::string digits = option.substr(option.find('=') + 1);
  if (digits.empty() || digits.size() > 5 ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      !std::stoi(digits))
    throw std::runtime_error("'" + option +
                             "' is no number of pixels, as in --shorter=256");
  return std::stoi(digits);
}

} // namespace

int main(int argc, char **argv) try {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  int shorter = 0;
  if (!arguments.empty() && arguments[0].rfind("--shorter=", 0) == 0) {
    shorter = shorterSide(arguments[0]);
    arguments.erase(arguments.begin());
  }
  if (arguments.size() < 3 || arguments.size() > 4)
    throw std::runtime_error(
        "expected [--shorter=N] NETWORK LABELS PICTURE [DEVICE]");
  tenon::Program program(arguments[0]);
  tenon::Session session(program,
                         arguments.size() > 3 ? arguments[3] : "functional");
  std::ifstream file(arguments[1]);
  std::vector<std::string> labels;
  for (std::string line; std::getline(file, line);)
    labels.push_back(line);

  const tenon_info in = program.input(0), out = program.output(0);
  if ((in.type != TENON_UINT8 && in.type != TENON_INT8) ||
      out.type != in.type || in.rank != 4 || in.shape[0] > 1 ||
      in.shape[1] != 3 || !in.shape[2] || !in.shape[3])
    throw std::runtime_error("the network does not take a picture of bytes, "
                             "1x3xHxW, and give bytes");
  const int height = int(in.shape[2]), width = int(in.shape[3]);
  Picture picture = Picture::read(arguments[2]);
  picture =
      picture.resized(width, height, middle(picture, width, height, shorter));
  const std::vector<double> scores =
      in.type == TENON_INT8 ? classify<int8_t>(program, session, picture)
                            : classify<uint8_t>(program, session, picture);
  if (scores.size() != labels.size())
    throw std::runtime_error(
        "the network knows " + std::to_string(scores.size()) + " classes, '" +
        arguments[1] + "' names " + std::to_string(labels.size()));

  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min<size_t>(order.size(), 5));
  for (size_t label : order)
    std::printf("%5.1f %%  %s\n", 100 * scores[label], labels[label].c_str());
} catch (const std::exception &error) {
  std::fprintf(stderr, "classify: %s\n", error.what());
  return 1;
}
