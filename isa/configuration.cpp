// Part of Tenon, under the Apache License v2.0.
//
// Loading and identity of configurations; their legality is in
// check_configuration.cpp.

#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/specification.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"

#include <google/protobuf/text_format.h>

namespace tenon::isa {

std::vector<std::string> shippedConfigurations() {
  std::vector<std::string> names;
  for (const EmbeddedConfiguration &c : embeddedConfigurations())
    names.emplace_back(c.name);
  return names;
}

absl::StatusOr<Configuration> parseConfiguration(absl::string_view text,
                                                 absl::string_view source) {
  Configuration result;
  absl::Status status = parseText(text, source, 1, result);
  if (status.ok())
    status = checkConfiguration(result);
  if (!status.ok())
    return status;
  return result;
}

absl::StatusOr<Configuration> loadConfiguration(absl::string_view nameOrPath) {
  if (absl::StrContains(nameOrPath, '/') ||
      absl::EndsWith(nameOrPath, ".textproto")) {
    absl::StatusOr<std::string> text = readFile(nameOrPath);
    return text.ok() ? parseConfiguration(*text, nameOrPath) : text.status();
  }
  for (const EmbeddedConfiguration &c : embeddedConfigurations())
    if (c.name == nameOrPath)
      return parseConfiguration(c.text, c.name);
  return absl::NotFoundError(fmt::format(
      "no configuration '{}': expected one of {}, or the path of a file "
      "(with '/' or ending in .textproto)",
      std::string(nameOrPath), absl::StrJoin(shippedConfigurations(), ", ")));
}

std::string configurationText(const Configuration &configuration) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(configuration, &text);
  return std::string(absl::StripTrailingAsciiWhitespace(text));
}

uint64_t configurationHash(const Configuration &configuration) {
  const auto *descriptor = Configuration::descriptor();
  const auto *reflection = configuration.GetReflection();
  std::string text = fmt::format("isa={}\n", specification().version());
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto *field = descriptor->field(i);
    if (field->cpp_type() == field->CPPTYPE_UINT32 &&
        field->name() != "clock_mhz")
      text += fmt::format("{}={}\n", field->name(),
                          reflection->GetUInt32(configuration, field));
  }
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

} // namespace tenon::isa
