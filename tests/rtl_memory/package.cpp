// Part of Tenon, under the Apache License v2.0.
//
// Prints package tenon_pkg of a configuration: rtl_memory_package CONFIG.

#include "isa/verilog.h"
#include "tests/rtl_memory/common.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fprintf(stderr, "usage: rtl_memory_package CONFIG\n"), 2;
  std::fputs(tenon::isa::verilogPackage(tenon::test::layoutOf(argv[1])).c_str(),
             stdout);
}
