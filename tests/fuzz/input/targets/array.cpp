// Part of Tenon, under the Apache License v2.0.
//
// NumPy's array files. What is read must be written and read as the same.

#include "isa/program.h"
#include "tests/fuzz/input/target.h"
#include "tools/tenon/npy.h"

namespace tenon::fuzz {

absl::Status array(absl::string_view input) {
  auto read = tools::parseNpy(input, "input");
  if (!read.ok())
    return read.status();
  auto again = tools::parseNpy(tools::toNpy(*read), "written");
  if (!again.ok() || again->shape != read->shape || again->type != read->type ||
      again->bytes != read->bytes)
    broken("an array is not read as it was written");
  return absl::OkStatus();
}

} // namespace tenon::fuzz
