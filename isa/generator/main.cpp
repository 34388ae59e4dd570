// Part of Tenon, under the Apache License v2.0.
//
// tenon-isa-gen: writes the generated C++ of the instruction set.
// Usage: tenon-isa-gen SPECIFICATION TEMPLATE OUTPUT_DIRECTORY CONFIGURATION...

#include "isa/generator/check.h"
#include "isa/generator/emit.h"

#include "google/protobuf/text_format.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace tenon::isa;

namespace {

bool readFile(const std::string &path, std::string &text) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  text = buffer.str();
  if (!in)
    std::cerr << path << ": cannot be read\n";
  return bool(in);
}

bool writeFile(const std::string &path, const std::string &text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    std::cerr << path << ": cannot be written\n";
  return bool(out);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::cerr << "usage: tenon-isa-gen SPECIFICATION TEMPLATE "
                 "OUTPUT_DIRECTORY CONFIGURATION...\n";
    return 2;
  }
  std::string specText, headerTemplate;
  if (!readFile(argv[1], specText) || !readFile(argv[2], headerTemplate))
    return 1;
  spec::Specification spec;
  if (!google::protobuf::TextFormat::ParseFromString(specText, &spec)) {
    std::cerr << argv[1] << ": not a specification\n";
    return 1;
  }
  std::vector<std::string> findings = checkSpecification(spec);
  for (const std::string &finding : findings)
    std::cerr << argv[1] << ": " << finding << "\n";
  if (!findings.empty())
    return 1;
  std::vector<std::pair<std::string, std::string>> configs;
  for (int i = 4; i < argc; ++i) {
    configs.emplace_back(std::filesystem::path(argv[i]).stem().string(), "");
    if (!readFile(argv[i], configs.back().second))
      return 1;
  }
  std::string directory = argv[3];
  return writeFile(directory + "/isa.h", emitHeader(headerTemplate, spec)) &&
                 writeFile(directory + "/fields.cpp", emitFields(spec)) &&
                 writeFile(directory + "/embedded.cpp",
                           emitEmbedded(specText, configs))
             ? 0
             : 1;
}
