// Part of Tenon, under the Apache License v2.0.
//
// tenon-isa-manual FILE: writes the reference manual.

#include "isa/files.h"
#include "isa/manual.h"

#include <iostream>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: tenon-isa-manual FILE\n";
    return 2;
  }
  absl::StatusOr<std::string> text = tenon::isa::referenceManual();
  absl::Status status =
      text.ok() ? tenon::isa::writeFile(argv[1], *text) : text.status();
  if (!status.ok())
    std::cerr << "tenon-isa-manual: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
