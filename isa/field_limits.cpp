// Part of Tenon, under the Apache License v2.0.

#include "isa/field_limits.h"
#include "isa/specification.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {

absl::StatusOr<uint64_t> largestValue(const Layout &layout,
                                      absl::string_view format,
                                      absl::string_view field) {
  const spec::Specification &spec = specification();
  for (int i = 0; i < spec.formats_size(); ++i) {
    if (spec.formats(i).name() != format)
      continue;
    for (int j = 0; j < spec.formats(i).fields_size(); ++j)
      if (spec.formats(i).fields(j).name() == field)
        return (uint64_t(1) << layout.formats[i].fields[j].width) - 1;
  }
  return absl::NotFoundError(
      fmt::format("the specification has no field '{}' in format '{}'",
                  std::string(field), std::string(format)));
}

uint64_t lastProgramOffset(const Layout &layout) {
  constexpr unsigned programBits = 28; // of the register (control.sv)
  return ((uint64_t{1} << programBits) - 1) * layout.beatBytes;
}

uint64_t mostDramBytes(const Layout &layout) {
  constexpr uint64_t base = uint64_t{1} << 32;
  return std::max(uint64_t{1} << 33, uint64_t{layout.beatBytes} << 29) - base;
}

} // namespace tenon::isa
