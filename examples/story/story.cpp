// Part of Tenon, under the Apache License v2.0.
//
// Tells a story: story NETWORK.tenon PIECES [TOKENS]

#include <tenon/tenon.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <stdexcept>

using Shape = std::vector<int64_t>;

/// A decoder of one token at a time, at a position; what it keeps of those
/// before goes out of each run and into the next.
class Decoder {
public:
  explicit Decoder(const char *path) : program(path), session(program) {
    if (program.inputs() < 3 || program.outputs() != program.inputs() - 1 ||
        program.input(2).rank < 2 || program.output(0).rank != 3)
      throw std::runtime_error("the network does not take a token, its "
                               "position and caches, and give scores and "
                               "caches");
    scores.resize(program.output(0).shape[2]);
    for (size_t i = 2; i < program.inputs(); ++i) {
      const tenon_info cache = program.input(i);
      shapes.emplace_back(cache.shape, cache.shape + cache.rank);
      size_t count = 1;
      for (int64_t extent : shapes.back())
        count *= size_t(extent);
      before.emplace_back(count);
    }
    after = before;
  }

  int64_t positions() const { return shapes.front()[1]; }

  /// The token that is likeliest to follow.
  int64_t next(int64_t token, int64_t position) {
    const Shape one{1}, oneByOne{1, 1}, row{1, 1, int64_t(scores.size())};
    std::vector<int64_t> given{token}, at{position};
    std::vector<tenon_array> inputs{tenon::array(given, oneByOne),
                                    tenon::array(at, one)};
    std::vector<tenon_array> outputs{tenon::array(scores, row)};
    for (size_t i = 0; i < shapes.size(); ++i) {
      inputs.push_back(tenon::array(before[i], shapes[i]));
      outputs.push_back(tenon::array(after[i], shapes[i]));
    }
    session.run(inputs, outputs);
    before.swap(after);
    return std::max_element(scores.begin(), scores.end()) - scores.begin();
  }

private:
  tenon::Program program;
  tenon::Session session;
  std::vector<Shape> shapes;
  std::vector<std::vector<float>> before, after;
  std::vector<float> scores;
};

int main(int argc, char **argv) try {
  if (argc < 3)
    throw std::runtime_error("expected NETWORK PIECES [TOKENS]");
  std::ifstream file(argv[2]);
  std::vector<std::string> pieces;
  for (std::string line; std::getline(file, line);)
    pieces.push_back(line);
  Decoder decoder(argv[1]);
  const size_t tokens = argc > 3 ? std::stoul(argv[3]) : 100;
  std::vector<int64_t> story{1}; // the token before a text
  int64_t position = 0;
  while (story.size() <= tokens) {
    // Where no position is left, half of them hear the end of the story again.
    size_t from = story.size() - 1;
    if (position == decoder.positions()) {
      from = story.size() - size_t(position / 2);
      position = 0;
    }
    int64_t next = 0;
    for (; from < story.size(); ++from)
      next = decoder.next(story[from], position++);
    story.push_back(next);
    const std::string &piece = pieces.at(size_t(next));
    if (piece.size() == 6 && piece.compare(0, 3, "<0x") == 0)
      std::cout << char(std::stoi(piece.substr(3, 2), nullptr, 16));
    else
      std::cout << piece;
    std::cout << std::flush;
  }
  std::cout << '\n';
} catch (const std::exception &error) {
  std::cerr << "story: " << error.what() << '\n';
  return 1;
}
