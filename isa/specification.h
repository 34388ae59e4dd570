// Part of Tenon, under the Apache License v2.0.
//
// The ISA specification and the shipped configurations, embedded in the
// library: nothing reads the source tree.

#ifndef TENON_ISA_SPECIFICATION_H
#define TENON_ISA_SPECIFICATION_H

#include "isa/expression.h"
#include "isa/proto/configuration.pb.h"
#include "isa/proto/specification.pb.h"

#include "absl/strings/string_view.h"

#include <vector>

namespace tenon::isa {

/// isa/tenon.isa.
const spec::Specification &specification();

/// A shipped configuration as protobuf text.
struct EmbeddedConfiguration {
  absl::string_view name;
  absl::string_view text;
};
const std::vector<EmbeddedConfiguration> &embeddedConfigurations();

/// The configuration's numbers under their field names (not name).
Names configurationNames(const Configuration &configuration);

/// The same and every derived name. An expression that cannot be evaluated
/// (depth 0, say) is an error that names it.
absl::StatusOr<Names> derivedNames(const Configuration &configuration);

} // namespace tenon::isa

#endif // TENON_ISA_SPECIFICATION_H
