// Part of Tenon, under the Apache License v2.0.

#include "isa/element_type.h"

#include "absl/strings/match.h"

namespace tenon::isa {

constexpr ElementFormat formats[] = {
    {BOOL, "bool", ElementKind::Bool, 1, 1},
    {INT2, "int2", ElementKind::Signed, 2, 1},
    {INT4, "int4", ElementKind::Signed, 4, 1},
    {INT8, "int8", ElementKind::Signed, 8, 1},
    {INT16, "int16", ElementKind::Signed, 16, 2},
    {INT32, "int32", ElementKind::Signed, 32, 4},
    {INT64, "int64", ElementKind::Signed, 64, 8},
    {UINT2, "uint2", ElementKind::Unsigned, 2, 1},
    {UINT4, "uint4", ElementKind::Unsigned, 4, 1},
    {UINT8, "uint8", ElementKind::Unsigned, 8, 1},
    {UINT16, "uint16", ElementKind::Unsigned, 16, 2},
    {UINT32, "uint32", ElementKind::Unsigned, 32, 4},
    {UINT64, "uint64", ElementKind::Unsigned, 64, 8},
    {FLOAT4E2M1, "float4e2m1", ElementKind::Float, 4, 1},
    {FLOAT8E4M3FN, "float8e4m3fn", ElementKind::Float, 8, 1},
    {FLOAT8E4M3FNUZ, "float8e4m3fnuz", ElementKind::Float, 8, 1},
    {FLOAT8E5M2, "float8e5m2", ElementKind::Float, 8, 1},
    {FLOAT8E5M2FNUZ, "float8e5m2fnuz", ElementKind::Float, 8, 1},
    {FLOAT8E8M0, "float8e8m0", ElementKind::Float, 8, 1},
    {FLOAT16, "float16", ElementKind::Float, 16, 2},
    {BFLOAT16, "bfloat16", ElementKind::Float, 16, 2},
    {FLOAT32, "float32", ElementKind::Float, 32, 4},
    {FLOAT64, "float64", ElementKind::Float, 64, 8}};

absl::Span<const ElementFormat> elementFormats() { return formats; }

const ElementFormat *findElementFormat(ElementType type) {
  for (const ElementFormat &format : formats)
    if (format.type == type)
      return &format;
  return nullptr;
}

ElementType elementTypeOf(absl::string_view name) {
  for (const ElementFormat &format : formats)
    if (absl::EqualsIgnoreCase(format.name, name))
      return format.type;
  return ELEMENT_TYPE_UNSPECIFIED;
}

uint32_t elementBytes(ElementType type) {
  const ElementFormat *format = findElementFormat(type);
  return format ? format->bytes : 0;
}

const char *elementName(ElementType type) {
  const ElementFormat *format = findElementFormat(type);
  return format ? format->name : "unknown";
}

bool isElementByte(const ElementFormat &format, uint8_t byte) {
  if (format.bits >= 8)
    return true;
  const int above = 8 - int(format.bits);
  if (format.kind == ElementKind::Signed)
    return int8_t(uint8_t(byte << above)) >> above == int8_t(byte);
  return byte >> format.bits == 0;
}

} // namespace tenon::isa
