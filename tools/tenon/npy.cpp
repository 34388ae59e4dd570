//===- tools/tenon/npy.cpp - NumPy's array files --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Source: NumPy enhancement proposal 1, format versions 1.0 to 3.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/npy.h"

#include "isa/element_type.h"
#include "isa/program.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <cstring>

namespace tenon::tools {

using runtime::Array;
using runtime::Shape;

static const char magic[] = "\x93NUMPY";

/// What NumPy writes for a type. Those it has none of its own for are
/// ml_dtypes', of which files keep the size alone.
static std::string descriptor(const isa::ElementFormat &format) {
  switch (format.type) {
  case isa::FLOAT8E5M2:
    return "<f1"; // as ml_dtypes calls it
  case isa::FLOAT16:
  case isa::FLOAT32:
  case isa::FLOAT64:
    return absl::StrCat("<f", format.bytes);
  case isa::BOOL:
    return "|b1";
  default:
    break;
  }
  const char *order = format.bytes == 1 ? "|" : "<";
  if (format.kind == isa::ElementKind::Float || format.bits < 8)
    return absl::StrCat(order, "V", format.bytes);
  return absl::StrCat(
      order, format.kind == isa::ElementKind::Signed ? "i" : "u", format.bytes);
}

/// The type that a descriptor names, or `wanted` where it says no more than
/// that type's size.
static isa::ElementType typeOf(absl::string_view text,
                               isa::ElementType wanted) {
  // One byte has no order.
  if (text.size() < 3 || (text[0] == '>' && text.substr(2) != "1"))
    return isa::ELEMENT_TYPE_UNSPECIFIED;
  for (const isa::ElementFormat &format : isa::elementFormats()) {
    const std::string own = descriptor(format);
    if (own.substr(1) == text.substr(1) &&
        (own[1] != 'V' || format.type == wanted))
      return format.type;
  }
  return isa::ELEMENT_TYPE_UNSPECIFIED;
}

std::string toNpy(const Array &array) {
  std::string shape;
  for (int64_t extent : array.shape)
    absl::StrAppend(&shape, extent, ",");
  std::string header = absl::StrCat(
      "{'descr': '", descriptor(*isa::findElementFormat(array.type)),
      "', 'fortran_order': False, 'shape': (", shape, "), }");
  // Magic, version, length and header fill a multiple of 64 bytes.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file(magic, 6);
  file += '\x01';
  file += '\x00';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(array.bytes.begin(), array.bytes.end());
  return file;
}

/// The text between `from` and `to` behind `key` in a header.
static absl::string_view between(absl::string_view header,
                                 absl::string_view key, char from, char to) {
  size_t at = header.find(key);
  if (at == absl::string_view::npos)
    return {};
  size_t begin = header.find(from, at + key.size());
  size_t end =
      begin == absl::string_view::npos ? begin : header.find(to, begin + 1);
  if (end == absl::string_view::npos)
    return {};
  return header.substr(begin + 1, end - begin - 1);
}

static bool parseShape(absl::string_view text, Shape &shape) {
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    int64_t extent;
    if (!absl::SimpleAtoi(part, &extent) || extent < 0 || extent > (1 << 30))
      return false;
    shape.push_back(extent);
  }
  return true;
}

absl::StatusOr<Array> parseNpy(absl::string_view file, absl::string_view path,
                               isa::ElementType wanted) {
  auto bad = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("'", path, "': ", what));
  };
  if (file.size() < 12 || file.substr(0, 6) != absl::string_view(magic, 6))
    return bad("not a .npy file");
  auto byte = [&](size_t i) { return static_cast<uint8_t>(file[i]); };
  bool wide = byte(6) >= 2;
  size_t length = byte(8) | byte(9) << 8;
  if (wide)
    length |= static_cast<size_t>(byte(10)) << 16 |
              static_cast<size_t>(byte(11)) << 24;
  size_t begin = wide ? 12 : 10;
  if (length > file.size() - begin)
    return bad("truncated .npy header");
  absl::string_view header = file.substr(begin, length);
  if (header.find("'fortran_order': True") != absl::string_view::npos)
    return bad("Fortran order is not supported; save a C-ordered array");
  Array array;
  absl::string_view type = between(header, "'descr':", '\'', '\'');
  array.type = typeOf(type, wanted);
  if (array.type == isa::ELEMENT_TYPE_UNSPECIFIED)
    return bad(absl::StrCat(
        "element type '", type, "' is not supported",
        absl::StrContains(type, 'V') && wanted
            ? absl::StrCat(" for ", isa::elementName(wanted), " values")
            : "",
        "; bool, integers and floats in little endian are, and ml_dtypes of "
        "the input's own type"));
  if (!parseShape(between(header, "'shape':", '(', ')'), array.shape))
    return bad("the shape in the .npy header cannot be read");
  absl::string_view data = file.substr(begin + length);
  auto count = isa::elementCount({array.shape.begin(), array.shape.end()});
  if (!count.ok())
    return bad(count.status().message());
  const uint64_t want = *count * runtime::elementBytes(array.type);
  if (want != data.size())
    return bad(absl::StrCat("the header asks for ", want, " bytes of data, ",
                            data.size(), " are there"));
  array.bytes.assign(data.begin(), data.end());
  return array;
}

} // namespace tenon::tools
