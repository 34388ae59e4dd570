// Part of Tenon, under the Apache License v2.0.

#include "isa/executable.h"

#include "isa/host_abi.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"

namespace tenon::isa {
namespace {

template <typename... Args>
absl::Status invalid(fmt::format_string<Args...> format, Args &&...args) {
  return absl::InvalidArgumentError(
      fmt::format(format, std::forward<Args>(args)...));
}

#define TENON_NAME(name) #name,
constexpr absl::string_view importable[] = {TENON_HOST_IMPORTS(TENON_NAME)};
#undef TENON_NAME

absl::Status checkFeatures(const Executable &executable,
                           absl::Span<const absl::string_view> known) {
  auto next = known.begin();
  for (const std::string &feature : executable.features()) {
    next = std::find(next, known.end(), feature);
    if (next == known.end())
      return invalid("features: '{}' is unknown or out of order, expected some "
                     "of: {}",
                     feature, absl::StrJoin(known, ", "));
    ++next;
  }
  return absl::OkStatus();
}

absl::Status checkAbi(const ElfImage &image) {
  for (const std::string &symbol : image.imports())
    if (!absl::c_linear_search(importable, symbol))
      return invalid("image: it imports '{}', host code may import {}", symbol,
                     absl::StrJoin(importable, ", "));
  std::optional<uint32_t> version = image.constant32(TENON_HOST_ABI_SYMBOL);
  if (!version)
    return invalid("image: it does not say which host interface it has: there "
                   "is no constant '" TENON_HOST_ABI_SYMBOL "'");
  if (*version != TENON_HOST_ABI_VERSION)
    return invalid("image: it was made for version {} of the host interface, "
                   "this is version {}; compile the program again",
                   *version, TENON_HOST_ABI_VERSION);
  if (!image.constant64(TENON_HOST_CONSTANTS_SYMBOL))
    return invalid("image: it does not say how many constants it reads: there "
                   "is no constant '" TENON_HOST_CONSTANTS_SYMBOL "'");
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<ElfImage> readExecutable(const Executable &executable) {
  const Architecture *architecture = architectureOf(executable.triple());
  if (!architecture)
    return invalid("triple: '{}' is none that host code can be made for",
                   executable.triple());
  absl::Status status = checkFeatures(executable, featuresOf(*architecture));
  if (!status.ok())
    return status;
  auto image = ElfImage::read(executable.image(), *architecture);
  if (!image.ok())
    return invalid("image: {}", std::string(image.status().message()));
  if (status = checkAbi(*image); !status.ok())
    return status;
  return image;
}

std::optional<uint64_t> workspaceOf(const ElfImage &image,
                                    absl::string_view symbol) {
  if (!image.hasFunction(symbol))
    return std::nullopt;
  return image.constant64(absl::StrCat(symbol, TENON_HOST_WORKSPACE_SUFFIX));
}

uint64_t constantsOf(const ElfImage &image) {
  return *image.constant64(TENON_HOST_CONSTANTS_SYMBOL);
}

std::string kernelSymbol(absl::string_view function) {
  return absl::StrCat(function, "_packed");
}

std::string toString(const Executable &executable) {
  std::string text = executable.triple();
  if (executable.features_size())
    text += " with " + absl::StrJoin(executable.features(), ", ");
  return text;
}

} // namespace tenon::isa
