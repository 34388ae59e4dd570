//===- tools/tenon/npy.cpp - NumPy's array files --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Source: NumPy enhancement proposal 1, format versions 1.0 to 3.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/npy.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <cstring>

namespace tenon::tools {

using runtime::Array;
using runtime::Shape;

static const char magic[] = "\x93NUMPY";

static absl::string_view descriptor(isa::ElementType type) {
  switch (type) {
  case isa::INT8:
    return "|i1";
  case isa::UINT8:
    return "|u1";
  case isa::INT32:
    return "<i4";
  case isa::FLOAT32:
    return "<f4";
  case isa::INT64:
    return "<i8";
  default:
    return "";
  }
}

std::string toNpy(const Array &array) {
  std::string shape;
  for (int64_t extent : array.shape)
    absl::StrAppend(&shape, extent, ",");
  std::string header =
      absl::StrCat("{'descr': '", descriptor(array.type),
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

absl::StatusOr<Array> parseNpy(absl::string_view file, absl::string_view path) {
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
  for (auto candidate :
       {isa::INT8, isa::UINT8, isa::INT32, isa::FLOAT32, isa::INT64})
    if (descriptor(candidate).substr(1) == type.substr(type.empty() ? 0 : 1))
      array.type = candidate;
  if (array.type == isa::ELEMENT_TYPE_UNSPECIFIED ||
      (type[0] == '>' && type.substr(2) != "1"))
    return bad(absl::StrCat("element type '", type,
                            "' is not supported; int8, uint8, int32, int64 and "
                            "float32 in little endian are"));
  if (!parseShape(between(header, "'shape':", '(', ')'), array.shape))
    return bad("the shape in the .npy header cannot be read");
  absl::string_view data = file.substr(begin + length);
  double want = runtime::elementBytes(array.type);
  for (int64_t extent : array.shape)
    want *= extent;
  if (want != static_cast<double>(data.size()))
    return bad(absl::StrCat("the header asks for ", want, " bytes of data, ",
                            data.size(), " are there"));
  array.bytes.assign(data.begin(), data.end());
  return array;
}

} // namespace tenon::tools
