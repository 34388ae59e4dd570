//===- tools/tenon/npy.h - NumPy's array files ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_NPY_H
#define TENON_TOOLS_TENON_NPY_H

#include "runtime/tensor.h"

#include "absl/status/statusor.h"

#include <string>

namespace tenon::tools {

/// Parses the bytes of a .npy file; errors name `path`. Of types that NumPy has
/// no name for (bfloat16, int4, float8...; ml_dtypes) a file says the size
/// alone: the array is then of type `wanted`, if that has that size and no name
/// either.
absl::StatusOr<runtime::Array>
parseNpy(absl::string_view file, absl::string_view path,
         isa::ElementType wanted = isa::ELEMENT_TYPE_UNSPECIFIED);

/// `array` as the bytes of a .npy file (version 1.0).
std::string toNpy(const runtime::Array &array);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_NPY_H
