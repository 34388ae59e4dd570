// Part of Tenon, under the Apache License v2.0.
//
// The text of a configuration. What is legal has a layout and a SystemVerilog
// package.

#include "isa/configuration.h"
#include "isa/isa.h"
#include "isa/verilog.h"
#include "tests/fuzz/input/target.h"

namespace tenon::fuzz {

absl::Status configuration(absl::string_view input) {
  auto parsed = isa::parseConfiguration(input, "input");
  if (!parsed.ok())
    return parsed.status();
  auto layout = isa::Layout::get(*parsed);
  if (!layout.ok())
    broken("a legal configuration has no layout: " +
           layout.status().ToString());
  if (isa::verilogPackage(*layout).empty())
    broken("a legal configuration has no SystemVerilog package");
  return absl::OkStatus();
}

} // namespace tenon::fuzz
