// Part of Tenon, under the Apache License v2.0.
//
// Colors what a network sees where in a photo: regions NETWORK.tenon LABELS
// PICTURE OUT.png [DEVICE]

#include "picture.h"

#include <tenon/tenon.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace {

/// The class of each position, row by row; none where none is likely.
struct Map {
  int rows = 0, columns = 0;
  std::vector<int> classes;
};
constexpr int None = -1;

/// Colors that the color-blind can tell apart (Okabe and Ito, 2008).
constexpr Color Colors[] = {
    {230, 159, 0}, {86, 180, 233}, {0, 158, 115}, {204, 121, 167}};
constexpr size_t MaxClasses = std::size(Colors);

/// A class is likely where it has at least half of the probability, which is
/// the softmax of all classes' scores there.
Map likely(const std::vector<uint8_t> &scores,
           const std::vector<int64_t> &shape, double scale) {
  Map map{int(shape[2]), int(shape[3]), {}};
  const size_t count = shape[1], cells = size_t(map.rows) * map.columns;
  for (size_t cell = 0; cell < cells; ++cell) {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i)
      if (scores[i * cells + cell] > scores[best * cells + cell])
        best = i;
    double sum = 0; // of exponentials, the best one's being 1
    for (size_t i = 0; i < count; ++i)
      sum += std::exp(scale *
                      (scores[i * cells + cell] - scores[best * cells + cell]));
    map.classes.push_back(sum <= 2 ? int(best) : None);
  }
  return map;
}

/// (positions, class) of those with the most positions, the most first.
std::vector<std::pair<int, int>> largest(const Map &map, int count) {
  std::vector<std::pair<int, int>> result;
  for (int i = 0; i < count; ++i)
    if (auto n = std::count(map.classes.begin(), map.classes.end(), i))
      result.push_back({int(n), i});
  std::stable_sort(result.begin(), result.end(),
                   [](auto &a, auto &b) { return a.first > b.first; });
  result.resize(std::min(result.size(), MaxClasses));
  return result;
}

Map run(const tenon::Program &program, const std::string &device,
        const Picture &picture, size_t labels) {
  const tenon_info in = program.input(0), out = program.output(0);
  if (in.type != TENON_UINT8 || in.rank != 4 || in.shape[1] != 3 ||
      out.type != TENON_UINT8 || out.rank != 4)
    throw std::runtime_error("the network does not take a picture of bytes, "
                             "1x3xHxW, and give bytes of each position");
  if (in.shape[0] > 1 || !in.shape[2] || !in.shape[3])
    throw std::runtime_error("the network's shape must be fixed: by --shape of "
                             "tenon compile, as in --shape " +
                             std::string(in.name) + "=1,3,480,640");
  const std::vector<int64_t> shape{1, 3, in.shape[2], in.shape[3]};
  tenon::Session session(program, device);
  std::vector<uint8_t> input =
      picture.resized(int(shape[3]), int(shape[2])).planes();
  const std::vector<tenon_array> inputs{tenon::array(input, shape)};
  const std::vector<int64_t> cells = session.outputShape(inputs, 0);
  if (cells[1] != int64_t(labels))
    throw std::runtime_error("the network knows " + std::to_string(cells[1]) +
                             " classes, the labels are " +
                             std::to_string(labels));
  std::vector<uint8_t> scores(cells[1] * cells[2] * cells[3]);
  session.run(inputs, {tenon::array(scores, cells)});
  return likely(scores, cells, out.scale);
}

/// The photo with half of a class's color where that class is.
void color(Picture &picture, const Map &map, int label, const Color &color) {
  for (int i = 0; i < int(map.classes.size()); ++i)
    if (map.classes[i] == label) {
      const int row = i / map.columns, column = i % map.columns;
      picture.blend(picture.width * column / map.columns,
                    picture.height * row / map.rows,
                    picture.width * (column + 1) / map.columns,
                    picture.height * (row + 1) / map.rows, color, 0.5);
    }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 5 || argc > 6)
    throw std::runtime_error("expected NETWORK LABELS PICTURE OUT [DEVICE]");
  const tenon::Program program(argv[1]);
  std::ifstream file(argv[2]);
  std::vector<std::string> labels; // the first of the words for a class
  for (std::string line; std::getline(file, line);)
    labels.push_back(line.substr(0, line.find(',')));
  Picture picture = Picture::read(argv[3]);
  const Map map =
      run(program, argc > 5 ? argv[5] : "functional", picture, labels.size());

  const auto classes = largest(map, int(labels.size()));
  for (size_t i = 0; i < classes.size(); ++i)
    color(picture, map, classes[i].second, Colors[i]);
  // The legend stands below the photo.
  const int line = picture.lineWidth(), bottom = picture.height;
  picture.height += 12 * line * int(classes.size());
  picture.pixels.resize(size_t(3) * picture.width * picture.height, 255);
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto [count, label] = classes[i];
    picture.drawText(0, bottom + 12 * line * int(i), labels[label], Colors[i],
                     line);
    std::printf("%4d of %zu positions  %s\n", count, map.classes.size(),
                labels[label].c_str());
  }
  picture.writePng(argv[4]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "regions: %s\n", error.what());
  return 1;
}
