// Part of Tenon, under the Apache License v2.0.
//
// write_package CONFIGURATION: prints package tenon_pkg. CONFIGURATION is a
// name, a .textproto file, or random:SEED.

#include "isa/configuration.h"
#include "isa/isa.h"
#include "isa/verilog.h"

#include <iostream>
#include <random>

namespace {

absl::StatusOr<tenon::isa::Configuration>
configurationOf(const std::string &name) {
  if (name.rfind("random:", 0) != 0)
    return tenon::isa::loadConfiguration(name);
  std::mt19937_64 random(std::strtoull(name.c_str() + 7, nullptr, 10));
  return tenon::isa::randomConfiguration(random);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: write_package NAME|FILE.textproto|random:SEED\n";
    return 2;
  }
  auto configuration = configurationOf(argv[1]);
  if (!configuration.ok()) {
    std::cerr << configuration.status().message() << "\n";
    return 1;
  }
  auto layout = tenon::isa::Layout::get(*configuration);
  if (!layout.ok()) {
    std::cerr << layout.status().message() << "\n";
    return 1;
  }
  std::cout << tenon::isa::verilogPackage(*layout);
}
