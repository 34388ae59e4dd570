// Part of Tenon, under the Apache License v2.0.
//
// What the fields of an instruction hold.

#ifndef TENON_ISA_FIELD_LIMITS_H
#define TENON_ISA_FIELD_LIMITS_H

#include "isa/isa.h"

namespace tenon::isa {

/// The largest value of an unsigned field, both named as the specification
/// names them. NotFound where it has no such format or field.
absl::StatusOr<uint64_t> largestValue(const Layout &layout,
                                      absl::string_view format,
                                      absl::string_view field);

} // namespace tenon::isa

#endif // TENON_ISA_FIELD_LIMITS_H
