// Part of Tenon, under the Apache License v2.0.
//
// Classifies a picture: classify NETWORK.tenon PICTURE LABELS [DEVICE]

#include <tenon/tenon.hpp>

#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

#include <algorithm>
#include <fstream>
#include <iostream>

int main(int argc, char **argv) try {
  if (argc < 4)
    throw std::runtime_error("expected NETWORK PICTURE LABELS [DEVICE]");
  tenon::Program program(argv[1]);
  tenon::Session session(program, argc > 4 ? argv[4] : "functional");
  const tenon_info in = program.input(0), out = program.output(0);
  const std::vector<int64_t> shape(in.shape, in.shape + in.rank);

  // The network takes 1xCxHxW: pixels minus 128.
  int width, height, colors;
  stbi_uc *pixels = stbi_load(argv[2], &width, &height, &colors, 3);
  if (!pixels || in.type != TENON_INT8 ||
      shape != std::vector<int64_t>{1, 3, height, width})
    throw std::runtime_error("not a picture of the network's size");
  std::vector<int8_t> input(3 * height * width);
  for (size_t i = 0; i < input.size(); ++i)
    input[i % 3 * height * width + i / 3] = int8_t(pixels[i] - 128);
  stbi_image_free(pixels);

  const std::vector<tenon_array> inputs{tenon::array(input, shape)};
  const auto scores = session.outputShape(inputs, 0);
  std::vector<int8_t> output(scores.back());
  session.run(inputs, {tenon::array(output, scores)});

  const auto best = std::max_element(output.begin(), output.end());
  std::ifstream labels(argv[3]);
  std::string label;
  for (auto at = output.begin(); at <= best; ++at)
    std::getline(labels, label);
  std::cout << label << ' ' << (*best - out.zero_point) * out.scale << '\n';
} catch (const std::exception &error) {
  std::cerr << "classify: " << error.what() << '\n';
  return 1;
}
