// Part of Tenon, under the Apache License v2.0.
//
// Generated data of the isa library. Private to it.

#ifndef TENON_ISA_EMBEDDED_H
#define TENON_ISA_EMBEDDED_H

#include "isa/specification.h"

namespace tenon::isa {

/// isa/tenon.isa as it was when the library was built.
absl::string_view specificationText();

} // namespace tenon::isa

#endif // TENON_ISA_EMBEDDED_H
