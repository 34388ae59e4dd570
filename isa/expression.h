// Part of Tenon, under the Apache License v2.0.
//
// Integer expressions of the ISA specification: widths, depths and sizes as
// functions of the configuration.

#ifndef TENON_ISA_EXPRESSION_H
#define TENON_ISA_EXPRESSION_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace tenon::isa {

/// Values of the names an expression may use.
using Names = std::map<std::string, int64_t, std::less<>>;

/// Evaluates `text`: decimal integers, names, + - * / ( ) and the functions
/// clog2(x), min(x, y), max(x, y). Division truncates. An unknown name, a
/// division by zero, clog2 of less than 1, an overflow of 64 bits or a syntax
/// error is InvalidArgument with the expression and the column.
absl::StatusOr<int64_t> evaluate(absl::string_view text, const Names &names);

} // namespace tenon::isa

#endif // TENON_ISA_EXPRESSION_H
