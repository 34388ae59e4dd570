// Part of Tenon, under the Apache License v2.0.
//
// Consistency of the specification.

#ifndef TENON_ISA_GENERATOR_CHECK_H
#define TENON_ISA_GENERATOR_CHECK_H

#include "isa/proto/specification.pb.h"

#include <string>
#include <vector>

namespace tenon::isa {

/// Every inconsistency, one line each; empty when the specification is sound.
std::vector<std::string> checkSpecification(const spec::Specification &spec);

} // namespace tenon::isa

#endif // TENON_ISA_GENERATOR_CHECK_H
