// Part of Tenon, under the Apache License v2.0.
//
// Finds objects: detect NETWORK.tenon LABELS PICTURE OUT.png [DEVICE]

#include "picture.h"

#include <tenon/tenon.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace {

/// Centre and extents, as shares of the picture's.
struct Anchor {
  double y, x, height, width;
};

/// Edges, as shares of the picture's.
struct Object {
  double top, left, bottom, right, score;
  size_t label;
};

/// Of SSD (Liu et al., arXiv 1512.02325, section 2.2) over six grids, from 19
/// by 19 cells on: in each cell boxes of one scale and five aspect ratios, and
/// one between this scale and the next; three in the first grid.
std::vector<Anchor> makeAnchors() {
  static constexpr int Grids[] = {19, 10, 5, 3, 2, 1};
  std::vector<Anchor> anchors;
  for (int level = 0; level < 6; ++level) {
    const double scale = 0.2 + 0.15 * level;
    const double next = level < 5 ? scale + 0.15 : 1;
    std::vector<std::pair<double, double>> shapes; // scale, aspect ratio
    if (level == 0) {
      shapes = {{0.1, 1}, {scale, 2}, {scale, 0.5}};
    } else {
      for (double ratio : {1.0, 2.0, 0.5, 3.0, 1.0 / 3})
        shapes.push_back({scale, ratio});
      shapes.push_back({std::sqrt(scale * next), 1});
    }
    const int grid = Grids[level];
    for (int cell = 0; cell < grid * grid; ++cell)
      for (auto [size, ratio] : shapes)
        anchors.push_back({(cell / grid + 0.5) / grid,
                           (cell % grid + 0.5) / grid, size / std::sqrt(ratio),
                           size * std::sqrt(ratio)});
  }
  return anchors;
}

/// Area in both over area in either.
double overlap(const Object &a, const Object &b) {
  auto area = [](const Object &o) {
    return std::max(o.bottom - o.top, 0.0) * std::max(o.right - o.left, 0.0);
  };
  const Object both{std::max(a.top, b.top),
                    std::max(a.left, b.left),
                    std::min(a.bottom, b.bottom),
                    std::min(a.right, b.right),
                    0,
                    0};
  return area(both) / (area(a) + area(b) - area(both));
}

/// The network's two outputs: where each anchor's object is, and what.
std::vector<Object> decode(const std::vector<double> &boxes,
                           const std::vector<double> &scores, size_t labels,
                           double least) {
  const std::vector<Anchor> anchors = makeAnchors();
  if (boxes.size() != 4 * anchors.size() ||
      scores.size() != labels * anchors.size())
    throw std::runtime_error("the network's outputs are not those of 1,917 "
                             "anchors and of as many classes as labels");
  std::vector<Object> found;
  for (size_t i = 0; i < anchors.size(); ++i) {
    const Anchor &a = anchors[i];
    const double *t = &boxes[4 * i], *score = &scores[labels * i];
    const double y = t[0] / 10 * a.height + a.y, x = t[1] / 10 * a.width + a.x;
    const double h = std::exp(t[2] / 5) * a.height / 2;
    const double w = std::exp(t[3] / 5) * a.width / 2;
    for (size_t label = 1; label < labels; ++label) // 0 is the background
      if (score[label] >= least)
        found.push_back({y - h, x - w, y + h, x + w, score[label], label});
  }
  // Of objects of one class that overlap the one with the highest score stays.
  std::stable_sort(found.begin(), found.end(),
                   [](auto &a, auto &b) { return a.score > b.score; });
  std::vector<Object> kept;
  for (const Object &object : found)
    if (std::none_of(kept.begin(), kept.end(), [&](const Object &other) {
          return other.label == object.label && overlap(other, object) > 0.6;
        }))
      kept.push_back(object);
  return kept;
}

/// What the quantised values of output `index` stand for.
std::vector<double> real(const tenon_info &info,
                         const std::vector<uint8_t> &values) {
  std::vector<double> result;
  for (uint8_t value : values)
    result.push_back((value - info.zero_point) * info.scale);
  return result;
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 5)
    throw std::runtime_error("expected NETWORK LABELS PICTURE OUT [DEVICE]");
  tenon::Program program(argv[1]);
  tenon::Session session(program, argc > 5 ? argv[5] : "functional");
  std::ifstream file(argv[2]);
  std::vector<std::string> labels;
  for (std::string line; std::getline(file, line);)
    labels.push_back(line);

  const tenon_info in = program.input(0);
  if (program.outputs() != 2 || in.type != TENON_UINT8 || in.rank != 4 ||
      in.shape[1] != 3)
    throw std::runtime_error("the network does not take a picture of bytes, "
                             "1x3xHxW, and give boxes and scores");
  const std::vector<int64_t> shape(in.shape, in.shape + in.rank);
  Picture picture = Picture::read(argv[3]);
  const Picture small = picture.resized(int(shape[3]), int(shape[2]));
  std::vector<uint8_t> input = small.planes();

  const std::vector<tenon_array> inputs{tenon::array(input, shape)};
  std::vector<uint8_t> values[2];
  std::vector<int64_t> shapes[2];
  std::vector<tenon_array> outputs;
  for (int i = 0; i < 2; ++i) {
    shapes[i] = session.outputShape(inputs, i);
    values[i].resize(shapes[i][1] * shapes[i][2]);
    outputs.push_back(tenon::array(values[i], shapes[i]));
  }
  session.run(inputs, outputs);

  for (const Object &o :
       decode(real(program.output(0), values[0]),
              real(program.output(1), values[1]), labels.size(), 0.5)) {
    std::printf("%-16s %.2f  rows %.2f to %.2f, columns %.2f to %.2f\n",
                labels[o.label].c_str(), o.score, o.top, o.bottom, o.left,
                o.right);
    char text[64];
    std::snprintf(text, sizeof text, "%s %.2f", labels[o.label].c_str(),
                  o.score);
    picture.drawBox(int(o.left * picture.width), int(o.top * picture.height),
                    int(o.right * picture.width),
                    int(o.bottom * picture.height), text, {255, 196, 0});
  }
  picture.writePng(argv[4]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "detect: %s\n", error.what());
  return 1;
}
