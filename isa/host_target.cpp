// Part of Tenon, under the Apache License v2.0.

#include "isa/host_target.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tenon::isa {
namespace {

// The levels of the x86-64 psABI, cumulative, between what the third and the
// fourth may have besides: each target has a part of this list.
constexpr absl::string_view x86Features[] = {
    "avxvnni",  "cx16",     "popcnt",   "sahf",       "sse3",     "ssse3",
    "sse4.1",   "sse4.2",   "avx",      "avx2",       "bmi",      "bmi2",
    "f16c",     "fma",      "lzcnt",    "movbe",      "avx512f",  "avx512bw",
    "avx512cd", "avx512dq", "avx512vl", "avx512vnni", "amx-tile", "amx-int8"};
constexpr absl::Span<const absl::string_view> x86 = x86Features;

// The floating-point unit of every ARMv7 that runs Linux's hard-float ABI. Not
// NEON, whose floats have no subnormal numbers: other bits than elsewhere.
constexpr absl::string_view armFeatures[] = {"vfp3d16"};

constexpr absl::string_view aarch64Features[] = {"dotprod"};

constexpr absl::string_view x86Triple = "x86_64-unknown-linux-gnu";
constexpr absl::string_view aarch64Triple = "aarch64-unknown-linux-gnu";

constexpr HostTarget targets[] = {
    {"x86-64-v2", x86Triple, Architecture::X86_64, x86.subspan(1, 7)},
    {"x86-64-v3", x86Triple, Architecture::X86_64, x86.subspan(1, 15)},
    {"x86-64-v3-vnni", x86Triple, Architecture::X86_64, x86.subspan(0, 16),
     "x86-64-v3"},
    {"x86-64-v4", x86Triple, Architecture::X86_64, x86.subspan(1, 20)},
    {"x86-64-v4-vnni", x86Triple, Architecture::X86_64, x86.subspan(1, 21),
     "x86-64-v4"},
    {"x86-64-v4-amx", x86Triple, Architecture::X86_64, x86.subspan(1),
     "x86-64-v4-vnni"},
    {"aarch64", aarch64Triple, Architecture::AArch64, {}},
    {"aarch64-dotprod", aarch64Triple, Architecture::AArch64, aarch64Features,
     "aarch64"},
    {"armv7", "armv7-unknown-linux-gnueabihf", Architecture::Arm, armFeatures}};

} // namespace

absl::Span<const HostTarget> hostTargets() { return targets; }

const HostTarget *findHostTarget(absl::string_view name) {
  for (const HostTarget &target : targets)
    if (target.name == name)
      return &target;
  return nullptr;
}

absl::StatusOr<std::vector<const HostTarget *>>
findHostTargets(absl::Span<const std::string> names) {
  auto append = [](std::string *out, const HostTarget &target) {
    absl::StrAppend(out, target.name);
  };
  for (const std::string &name : names)
    if (!findHostTarget(name))
      return absl::InvalidArgumentError(
          absl::StrCat("host '", name, "' is unknown, expected some of: ",
                       absl::StrJoin(targets, ", ", append)));
  std::vector<const HostTarget *> found;
  for (const HostTarget &target : targets)
    if (absl::c_linear_search(names, target.name))
      found.push_back(&target);
  return found;
}

const Architecture *architectureOf(absl::string_view triple) {
  for (const HostTarget &target : targets)
    if (target.triple == triple)
      return &target.architecture;
  return nullptr;
}

absl::Span<const absl::string_view> featuresOf(Architecture architecture) {
  switch (architecture) {
  case Architecture::X86_64:
    return x86;
  case Architecture::AArch64:
    return aarch64Features;
  case Architecture::Arm:
    return armFeatures;
  }
  return {};
}

} // namespace tenon::isa
