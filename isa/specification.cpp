// Part of Tenon, under the Apache License v2.0.
//
// The embedded specification and the numbers of a configuration.

#include "isa/embedded.h"

#include "fmt/format.h"
#include "google/protobuf/text_format.h"

#include <cstdlib>
#include <iostream>

namespace tenon::isa {

const spec::Specification &specification() {
  static const spec::Specification *const parsed = [] {
    auto *result = new spec::Specification;
    // The generator has parsed and checked the same text.
    if (!google::protobuf::TextFormat::ParseFromString(
            std::string(specificationText()), result)) {
      std::cerr << "tenon: the embedded ISA specification does not parse; "
                   "this is a defect of the build\n";
      std::abort();
    }
    return result;
  }();
  return *parsed;
}

Names configurationNames(const Configuration &configuration) {
  Names names;
  const auto *descriptor = Configuration::descriptor();
  const auto *reflection = configuration.GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto *field = descriptor->field(i);
    if (field->cpp_type() == field->CPPTYPE_UINT32)
      names[field->name()] = reflection->GetUInt32(configuration, field);
    else if (field->cpp_type() == field->CPPTYPE_ENUM)
      names[field->name()] = reflection->GetEnumValue(configuration, field);
  }
  return names;
}

absl::StatusOr<Names> derivedNames(const Configuration &configuration) {
  Names names = configurationNames(configuration);
  for (const spec::Derived &d : specification().derived()) {
    absl::StatusOr<int64_t> value = evaluate(d.value(), names);
    if (value.ok() && (*value < 0 || *value > UINT32_MAX))
      value = absl::InvalidArgumentError(
          fmt::format("{} does not fit 32 bits", *value));
    if (!value.ok())
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}", d.name(), std::string(value.status().message())));
    names[d.name()] = *value;
  }
  return names;
}

} // namespace tenon::isa
